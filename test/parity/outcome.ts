/**
 * What came out of one run, in a form in which two runs can be compared: without names that are drawn, UIDs, versions
 * and times.
 *
 * Invariant: what stays is what a user or another controller could rely on. How many writes it took is left out: that
 * is each controller's own business.
 */
import type { ContainerStatus } from "../../cluster/kubelet/container-status.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { type Condition, isOver, type Life, lastOf, type Sighting, timesOf } from "./observer.ts";
import { INDEX_ANNOTATION, SCENARIO_LABEL } from "./scenario.ts";

const TRACKING_FINALIZER = "batch.kubernetes.io/job-tracking";
/** Counters are followed one by one up to this number. */
const MAX_STEPS = 20;

/** Something that happened to a Job, and the number of the write in which a watcher saw it first. */
export interface Milestone {
  readonly what: string;
  readonly write: number;
  /** A counter on its way to its last value. */
  readonly isPassing: boolean;
  readonly isCounter: boolean;
}

export interface Outcome {
  /** By name of the Job: its final status, finalizers and generation; and whether it is gone. */
  readonly status: Readonly<Record<string, unknown>>;
  readonly order: readonly Milestone[];
  /** `Normal SuccessfulCreate` → count. */
  readonly events: Readonly<Record<string, number>>;
  /** By completion index, `-` without one. */
  readonly podsCreated: Readonly<Record<string, number>>;
  /** The most pods that were there and not over. */
  readonly podsAtOnce: number;
  /** One line a pod that is there at the end, sorted. */
  readonly podsLeft: readonly string[];
  /** The distinct pods, as their controller made them. */
  readonly podContents: readonly string[];
  /**
   * By completion index: from the end of a failed pod as its status gives it (or the request to delete it) to the next
   * pod of the same Job that was created after it.
   */
  readonly gapsMs: Readonly<Record<string, readonly number[]>>;
  /** Other objects that the Job owns: kind and content. */
  readonly objects: readonly string[];
  /** Counters that went back, which no run may show. */
  readonly backwards: readonly string[];
}

/** @param objects Workloads and PodGroups of the run */
export function outcomeOf(sighting: Sighting, objects: readonly KubeObject[] = []): Outcome {
  const neutral = neutralizer(sighting, objects);
  const pods = [...sighting.pods.values()].toSorted((a, b) => a.states[0]!.atMs - b.states[0]!.atMs);
  return {
    status: Object.fromEntries(
      [...sighting.jobs.values()].map((life) => [
        lastOf(life).metadata.name,
        life.goneMs === undefined ? endOf(lastOf(life), neutral) : "gone",
      ]),
    ),
    order: milestonesOf(sighting.job, neutral),
    events: eventsOf(sighting),
    podsCreated: countBy(pods.map((life) => indexOf(lastOf(life)))),
    podsAtOnce: mostAtOnce(pods),
    podsLeft: pods
      .filter((life) => life.goneMs === undefined)
      .map((life) => leftOf(lastOf(life), neutral))
      .toSorted(),
    podContents: [...new Set(pods.map((life) => contentOf(life.states[0]!.object, neutral)))].toSorted(),
    gapsMs: gapsOf(pods),
    objects: objects
      .map((object) =>
        neutral(JSON.stringify({ kind: object.kind, metadata: madeMetadata(object), spec: object["spec"] })),
      )
      .toSorted(),
    backwards: [...sighting.jobs.values()].flatMap(backwardsOf),
  };
}

type Neutral = (text: string) => string;

/** Takes out what differs between any two runs. */
function neutralizer({ namespace, jobs, pods }: Sighting, objects: readonly KubeObject[]): Neutral {
  const names = new Map<string, string>([[namespace, "NAMESPACE"]]);
  for (const life of pods.values())
    names.set(lastOf(life).metadata.name, lastOf(life).metadata.name.replace(/[a-z0-9]{5}$/, "*"));
  for (const [uid, life] of jobs) names.set(uid, `UID of ${lastOf(life).metadata.name}`);
  for (const uid of pods.keys()) names.set(uid, "UID of a pod");
  for (const { kind, metadata } of objects)
    names.set(metadata.name, `NAME of ${kind}`).set(metadata.uid, `UID of ${kind}`);
  const known = [...names.keys()].toSorted((a, b) => b.length - a.length);
  return (text) => known.reduce((result, name) => result.replaceAll(name, names.get(name)!), text);
}

function endOf({ metadata, status }: KubeObject, neutral: Neutral): unknown {
  const { startTime, completionTime, conditions = [], uncountedTerminatedPods: uncounted, ...counters } = status ?? {};
  return {
    ...counters,
    startTime: startTime === undefined ? undefined : "set",
    completionTime: completionTime === undefined ? undefined : "set",
    uncountedTerminatedPods:
      uncounted === undefined
        ? undefined
        : { succeeded: uncounted.succeeded?.length ?? 0, failed: uncounted.failed?.length ?? 0 },
    conditions: conditions.map(
      ({ type, status, reason = "", message = "" }: Condition) => `${type}=${status} ${reason}: ${neutral(message)}`,
    ),
    finalizers: metadata.finalizers ?? [],
    generation: metadata.generation,
    isBeingDeleted: metadata.deletionTimestamp !== undefined,
  };
}

/**
 * What changed for the first time, or back again, in which write. Active, ready and terminating may pass unseen between
 * two writes, and are left out.
 */
function milestonesOf(life: Life | undefined, neutral: Neutral): Milestone[] {
  const milestones: Milestone[] = [];
  const times = new Map<string, number>();
  const known = new Map<string, string>();
  const note = (write: number, what: string): void => {
    const time = (times.get(what) ?? 0) + 1;
    times.set(what, time);
    milestones.push({ what: time === 1 ? what : `${what}, time ${time}`, write, isCounter: false, isPassing: false });
  };
  const change = (write: number, key: string, value: string, initial: string): void => {
    if ((known.get(key) ?? initial) === value) return;
    known.set(key, value);
    note(write, `${key} ${value}`);
  };
  const counters = { succeeded: 0, failed: 0 };
  const last = (life === undefined ? undefined : lastOf(life)["status"]) ?? {};
  for (const [write, { object }] of (life?.states ?? []).entries()) {
    const status = object["status"] ?? {};
    change(write, "startTime", status.startTime === undefined ? "absent" : "set", "absent");
    change(write, "completionTime", status.completionTime === undefined ? "absent" : "set", "absent");
    for (const { type, status: value, reason = "", message = "" } of (status.conditions ?? []) as Condition[])
      change(write, type, `${value} ${reason}: ${neutral(message)}`, "");
    for (const counter of ["succeeded", "failed"] as const) {
      const now: number = Math.min(status[counter] ?? 0, MAX_STEPS);
      while (counters[counter] < now) {
        const value = ++counters[counter];
        milestones.push({
          what: `${counter} ${value}`,
          write,
          isCounter: true,
          isPassing: value < (last[counter] ?? 0),
        });
      }
    }
  }
  return milestones;
}

function eventsOf({ events }: Sighting): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const event of events.values()) {
    const key = `${event["type"]} ${event["reason"]}`;
    counts[key] = (counts[key] ?? 0) + timesOf(event);
  }
  return sorted(counts);
}

function mostAtOnce(pods: readonly Life[]): number {
  const steps: { atMs: number; by: number }[] = pods.flatMap((life) => [
    { atMs: life.states[0]!.atMs, by: 1 },
    { atMs: life.states.find(({ object }) => isOver(object["status"]))?.atMs ?? life.goneMs ?? Infinity, by: -1 },
  ]);
  let now = 0;
  return steps
    .toSorted((a, b) => a.atMs - b.atMs || a.by - b.by)
    .reduce((most, { by }) => Math.max(most, (now += by)), 0);
}

function leftOf(pod: KubeObject, neutral: Neutral): string {
  const { finalizers = [], deletionTimestamp, ownerReferences = [] } = pod.metadata;
  const owners = ownerReferences
    .map(({ kind, name, controller }) => `${controller ? "of" : "beside"} ${kind} ${name}`)
    .join(", ");
  const state = `${pod["status"]?.phase}${deletionTimestamp === undefined ? "" : ", being deleted"}`;
  const finalizerText = `finalizers ${finalizers.join(" ") || "none"}`;
  return neutral(`${indexOf(pod)} ${state}, ${owners || "no owner"}, ${finalizerText}`);
}

/** A pod as it was first seen, without what the scheduler and the kubelet add. */
function contentOf(pod: KubeObject, neutral: Neutral): string {
  const { nodeName: _nodeName, ...spec } = pod["spec"];
  return neutral(JSON.stringify({ metadata: madeMetadata(pod), spec }));
}

function madeMetadata({ metadata }: KubeObject): unknown {
  const { generateName, labels = {}, annotations, ownerReferences, finalizers } = metadata;
  const { [SCENARIO_LABEL]: _scenario, ...others } = labels;
  return { generateName, labels: sorted(others), annotations: sorted(annotations ?? {}), ownerReferences, finalizers };
}

function gapsOf(pods: readonly Life[]): Record<string, number[]> {
  const gaps: Record<string, number[]> = {};
  const lanes = Map.groupBy(pods, (life) => `${controllerOf(lastOf(life))} ${indexOf(lastOf(life))}`);
  for (const lives of lanes.values()) {
    const index = indexOf(lastOf(lives[0]!));
    const failures = lives
      .map(failureOf)
      .filter((failure) => failure !== undefined)
      .toSorted((a, b) => a.seenMs - b.seenMs);
    let previousMs = -Infinity;
    for (const { states } of lives) {
      const createdMs = states[0]!.atMs;
      const failure = failures.findLast(({ seenMs }) => seenMs <= createdMs);
      if (failure !== undefined && failure.seenMs > previousMs) (gaps[index] ??= []).push(createdMs - failure.endedMs);
      previousMs = createdMs;
    }
  }
  return gaps;
}

/**
 * When a pod was seen to fail, and when it did. Delays count from the latter, which the status has in whole seconds: it
 * may lie before the pod's creation. A pod that is deleted because it is one too many loses its finalizer before, and
 * is no failure, even where its kubelet still has the time to say that it failed.
 */
function failureOf({ states }: Life): { readonly seenMs: number; readonly endedMs: number } | undefined {
  const end = states.find(
    ({ object: { metadata, status } }) =>
      metadata.finalizers?.includes(TRACKING_FINALIZER) &&
      (status?.phase === "Failed" || (metadata.deletionTimestamp !== undefined && !isOver(status))),
  );
  if (end === undefined) return undefined;
  const containers: readonly ContainerStatus[] = end.object["status"]?.containerStatuses ?? [];
  const finishedMs = containers
    .map(({ state }) => Date.parse(state.terminated?.finishedAt ?? ""))
    .filter((ms) => !Number.isNaN(ms));
  return { seenMs: end.atMs, endedMs: finishedMs.length === 0 ? end.atMs : Math.max(...finishedMs) };
}

/** Only an elastic Job, whose dropped indexes do not count, may take successes back. */
function backwardsOf({ states }: Life): string[] {
  return states.slice(1).flatMap(({ object }, at) => {
    const before = states[at]!.object["status"] ?? {};
    const after = object["status"] ?? {};
    const isElastic =
      object["spec"].completionMode === "Indexed" && object["spec"].completions === object["spec"].parallelism;
    return ["succeeded", "failed"]
      .filter((counter) => (after[counter] ?? 0) < (before[counter] ?? 0) && !(isElastic && counter === "succeeded"))
      .map((counter) => `${counter} went from ${before[counter]} to ${after[counter] ?? 0}`);
  });
}

function controllerOf({ metadata }: KubeObject): string | undefined {
  return metadata.ownerReferences?.find(({ controller }) => controller)?.uid;
}

const indexOf = ({ metadata }: KubeObject): string => metadata.annotations?.[INDEX_ANNOTATION] ?? "-";

function countBy(keys: readonly string[]): Record<string, number> {
  const counts: Record<string, number> = {};
  for (const key of keys) counts[key] = (counts[key] ?? 0) + 1;
  return sorted(counts);
}

function sorted<T>(record: Readonly<Record<string, T>>): Record<string, T> {
  return Object.fromEntries(Object.entries(record).toSorted(([a], [b]) => (a < b ? -1 : 1)));
}
