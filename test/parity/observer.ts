/**
 * What a watcher sees of all scenarios: every state of their Jobs and pods, and the events of the Job controller, with
 * the moment in which each came.
 *
 * One watch of each collection serves all runs; a run has its own {@link Sighting}, filled by the label of the
 * scenario and the namespace. Times are this process's, in milliseconds since 1970; the kubelet that writes times into
 * pods runs in it too.
 */
import type { Clock } from "../../bindings/js/host.ts";
import { type ApiClient, type ApiResource, EVENTS, JOBS, PODS, resourcePath } from "../../cluster/client/client.ts";
import { Reflector, type WatchEventType } from "../../cluster/client/reflector.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { hasCondition } from "../kubernetes/conditions.ts";
import { type Moment, SCENARIO_LABEL } from "./scenario.ts";

const CONTROLLER = "job-controller";
/** Events that came before their Job; the watches are three. */
const MAX_EARLY_EVENTS = 1000;

/** A state of an object, and when it was seen. */
export interface Seen {
  readonly atMs: number;
  readonly object: KubeObject;
}

/** An object from its first state to its last one. */
export interface Life {
  readonly states: readonly Seen[];
  /** When it went, if it did. */
  readonly goneMs: number | undefined;
}

interface MutableLife extends Life {
  readonly states: Seen[];
  goneMs: number | undefined;
}

/** How often an event was written. */
export const timesOf = (event: KubeObject): number => event["series"]?.count ?? event["count"] ?? 1;

export const lastOf = ({ states }: Life): KubeObject => states.at(-1)!.object;

/** All that was seen of one run. */
export class Sighting {
  readonly namespace: string;
  readonly scenario: string;
  readonly jobs = new Map<string, MutableLife>();
  readonly pods = new Map<string, MutableLife>();
  readonly events = new Map<string, KubeObject>();
  /** When something was last seen to change. */
  changedMs: number;

  constructor(namespace: string, scenario: string, nowMs: number) {
    this.namespace = namespace;
    this.scenario = scenario;
    this.changedMs = nowMs;
  }

  /** The main Job's life; undefined until it is seen. */
  get job(): Life | undefined {
    return [...this.jobs.values()].findLast((life) => lastOf(life).metadata.name === this.scenario);
  }

  /** The main Job is gone, going, or has ended. */
  get hasEnded(): boolean {
    const { job } = this;
    return (
      job !== undefined &&
      (job.goneMs !== undefined ||
        lastOf(job).metadata.deletionTimestamp !== undefined ||
        this.holds({ condition: "Complete" }) ||
        this.holds({ condition: "Failed" }))
    );
  }

  /** Nothing more comes of the main Job: it is gone, or has ended and stays. */
  get isOver(): boolean {
    const { job } = this;
    if (job === undefined || job.goneMs !== undefined) return job !== undefined;
    const { metadata, spec } = lastOf(job) as KubeObject & {
      readonly spec: { readonly ttlSecondsAfterFinished?: number };
    };
    return this.hasEnded && metadata.deletionTimestamp === undefined && spec.ttlSecondsAfterFinished === undefined;
  }

  /** Pods that are neither over nor being deleted, oldest first. */
  get activePods(): KubeObject[] {
    return [...this.pods.values()]
      .filter((life) => life.goneMs === undefined)
      .map(lastOf)
      .filter(({ metadata, status }) => metadata.deletionTimestamp === undefined && !isOver(status));
  }

  holds({ pods = {}, created = 0, gone = 0, status = {}, condition, events = {} }: Moment): boolean {
    const lives = [...this.pods.values()];
    const present = lives.filter((life) => life.goneMs === undefined).map(lastOf);
    const job = this.job === undefined ? undefined : lastOf(this.job);
    const [, negation, type] = /^(!?)(.*)$/.exec(condition ?? "")!;
    return (
      lives.length >= created &&
      lives.length - present.length >= gone &&
      Object.entries(pods).every(([state, least]) => present.filter((pod) => isIn(pod, state)).length >= least) &&
      Object.entries(status).every(([counter, least]) => (job?.["status"]?.[counter] ?? 0) >= least) &&
      (condition === undefined ||
        (job?.["status"]?.conditions ?? []).some(
          (one: Condition) => one.type === type && one.status === (negation ? "False" : "True"),
        )) &&
      Object.entries(events).every(([reason, least]) => this.#told(reason) >= least)
    );
  }

  #told(reason: string): number {
    const events = [...this.events.values()].filter((event) => event["reason"] === reason);
    return events.reduce((sum, event) => sum + timesOf(event), 0);
  }

  /** For a run that came to no end. */
  describe(): string {
    const job = this.job;
    const status = job === undefined ? "no Job was seen" : lastOf(job)["status"];
    const pods = [...this.pods.values()].map((life) => {
      const { status: podStatus, metadata } = lastOf(life);
      const end = metadata.deletionTimestamp === undefined ? "" : " terminating";
      return `${life.goneMs === undefined ? "" : "gone "}${podStatus?.phase}${end}`;
    });
    const reasons = [...this.events.values()].map(({ reason }) => reason);
    return `status ${JSON.stringify(status)}, pods ${JSON.stringify(pods)}, events ${JSON.stringify(reasons)}`;
  }

  take(kind: "jobs" | "pods" | "events", type: WatchEventType, object: KubeObject, atMs: number): void {
    this.changedMs = atMs;
    if (kind === "events") {
      if (type !== "DELETED") this.events.set(object.metadata.uid, object);
      return;
    }
    const lives = this[kind];
    let life = lives.get(object.metadata.uid);
    if (life === undefined) lives.set(object.metadata.uid, (life = { states: [], goneMs: undefined }));
    life.states.push({ atMs, object });
    if (type === "DELETED") life.goneMs = atMs;
  }
}

export interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason?: string;
  readonly message?: string;
}

export const isOver = (status: { phase?: string } | undefined): boolean =>
  status?.phase === "Succeeded" || status?.phase === "Failed";

function isIn({ metadata, status }: KubeObject, state: string): boolean {
  if (state === "terminating") return metadata.deletionTimestamp !== undefined && !isOver(status);
  if (state === "Ready") return hasCondition({ status }, "Ready");
  return status?.phase === state;
}

/** Tells the runs what changes, from `start` to `stop`. */
export class Observer {
  readonly #reflectors: readonly Reflector[];
  readonly #sightings = new Map<string, Sighting>();
  readonly #clock: Clock;
  #earlyEvents: { readonly type: WatchEventType; readonly object: KubeObject }[] = [];

  constructor(client: ApiClient, clock: Clock, onProblem: (problem: string) => void) {
    this.#clock = clock;
    const watch = (kind: "jobs" | "pods" | "events", resource: ApiResource): Reflector =>
      new Reflector(
        { client, clock, random: Math.random, path: resourcePath(resource) },
        {
          // The server is new and the observer starts before the first run: a later list would hide what was between.
          onSync: (objects) => {
            for (const object of objects) this.#take(kind, "ADDED", object);
          },
          onEvent: (type, object) => this.#take(kind, type, object),
          onProblem: ({ message }) => onProblem(`the watch of ${kind}: ${message}`),
        },
      );
    this.#reflectors = [watch("jobs", JOBS), watch("pods", PODS), watch("events", EVENTS)];
  }

  start(): void {
    for (const reflector of this.#reflectors) reflector.start();
  }

  stop(): void {
    for (const reflector of this.#reflectors) reflector.stop();
  }

  /** From now on. */
  sight(namespace: string, scenario: string): Sighting {
    const sighting = new Sighting(namespace, scenario, this.#clock.now());
    this.#sightings.set(`${namespace}/${scenario}`, sighting);
    return sighting;
  }

  /** What it has seen is its own; nothing is added any more. */
  forget({ namespace, scenario }: Sighting): void {
    this.#sightings.delete(`${namespace}/${scenario}`);
  }

  #take(kind: "jobs" | "pods" | "events", type: WatchEventType, object: KubeObject): void {
    const { namespace, labels } = object.metadata;
    if (kind === "events") {
      if (object["source"]?.component === CONTROLLER) this.#takeEvent(type, object);
      return;
    }
    const sighting = this.#sightings.get(`${namespace}/${labels?.[SCENARIO_LABEL]}`);
    sighting?.take(kind, type, object, this.#clock.now());
    if (kind !== "jobs" || this.#earlyEvents.length === 0) return;
    const early = this.#earlyEvents;
    this.#earlyEvents = [];
    for (const event of early) this.#takeEvent(event.type, event.object);
  }

  #takeEvent(type: WatchEventType, object: KubeObject): void {
    const { uid } = object["involvedObject"];
    const sighting = [...this.#sightings.values()].find(({ jobs }) => jobs.has(uid));
    if (sighting !== undefined) sighting.take("events", type, object, this.#clock.now());
    else if (this.#earlyEvents.length < MAX_EARLY_EVENTS) this.#earlyEvents.push({ type, object });
  }
}
