/**
 * What a Job does while it runs, seen from outside, and the containers that do what its outcome says: on virtual time
 * (whole-runs.ts) as on a real API server (upstream-runs.ts). Leaves out the clusters.
 */
import type { Clock } from "../../bindings/js/host.ts";
import type {
  ContainerEvents,
  ContainerHandle,
  ContainerRequest,
  ContainerRuntime,
} from "../../cluster/kubelet/container-runtime.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import type { Act, Outcome } from "./script.ts";
import type { JobSpec } from "./specs.ts";

export const JOBS_PATH = "/apis/batch/v1/namespaces/default/jobs";
export const CAPACITY = { cpu: "10M", memory: "1Pi", pods: "1M" };
const EVICTED_AFTER_MS = 2_000;
/** Jobs without pods and without a deadline have done by then what they ever do. */
const SETTLED_MS = 60_000;

export interface Run {
  readonly spec: JobSpec;
  readonly outcome: Outcome;
}

/** What a Job did. Times count from its creation. */
export interface Seen {
  pods: number;
  starts: number;
  peak: number;
  statusBytes: number;
  /** The time of its pods, together. */
  podMs: number;
  endMs: number | undefined;
  deletedMs: number | undefined;
  reason: string | undefined;
}

export interface Course {
  readonly run: Run;
  readonly seen: Seen;
  readonly createdMs: number;
  readonly pods: Map<string, { readonly pod: number; readonly podOfIndex: number; readonly fromMs: number }>;
  readonly ofIndex: Map<number | undefined, number>;
  readonly live: Set<string>;
  evictions: number;
}

export function newCourse(run: Run, createdMs: number): Course {
  const seen = { pods: 0, starts: 0, peak: 0, statusBytes: 0, podMs: 0 };
  return {
    run,
    createdMs,
    pods: new Map(),
    ofIndex: new Map(),
    live: new Set(),
    evictions: 0,
    seen: { ...seen, endMs: undefined, deletedMs: undefined, reason: undefined },
  };
}

/** Whether the Job has done what it ever does. */
export function isOver({ seen, run: { spec }, createdMs }: Course, nowMs: number): boolean {
  if (seen.endMs !== undefined) return spec.ttlSecondsAfterFinished === undefined || seen.deletedMs !== undefined;
  const deadlineMs = (spec.activeDeadlineSeconds ?? 0) * 1000;
  return spec.parallelism === 0 && nowMs > createdMs + SETTLED_MS && deadlineMs <= SETTLED_MS;
}

export function manifestOf({ spec }: Run, name: string): object {
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec };
}

/** The eviction API gives a pod the condition DisruptionTarget, and deletes it. */
export function evictionOf(pod: string): { readonly path: string; readonly body: object } {
  return {
    path: `/api/v1/namespaces/default/pods/${pod}/eviction`,
    body: { apiVersion: "policy/v1", kind: "Eviction", metadata: { name: pod, namespace: "default" } },
  };
}

export function noteJob(courses: ReadonlyMap<string, Course>, type: string, job: KubeObject, nowMs: number): void {
  const course = courses.get(job.metadata.name);
  if (course === undefined) return;
  const { seen, createdMs } = course;
  if (type === "DELETED") {
    seen.deletedMs ??= nowMs - createdMs;
    return;
  }
  const status = job["status"] ?? {};
  seen.statusBytes = Math.max(seen.statusBytes, JSON.stringify(status).length);
  const end = (status.conditions ?? []).find(
    ({ type, status }: Record<string, string>) => (type === "Complete" || type === "Failed") && status === "True",
  );
  if (end === undefined || seen.endMs !== undefined) return;
  seen.endMs = nowMs - createdMs;
  seen.reason = end.reason;
}

export function notePod(courses: ReadonlyMap<string, Course>, type: string, pod: KubeObject, nowMs: number): void {
  const course = courses.get(ownerOf(pod));
  if (course === undefined) return;
  const { uid } = pod.metadata;
  if (type === "ADDED" || !course.pods.has(uid)) {
    if (course.pods.has(uid)) return;
    const index = indexOf(pod);
    const podOfIndex = course.ofIndex.get(index) ?? 0;
    course.ofIndex.set(index, podOfIndex + 1);
    course.pods.set(uid, { pod: course.seen.pods++, podOfIndex, fromMs: nowMs });
    course.live.add(uid);
    course.seen.peak = Math.max(course.seen.peak, course.live.size);
    return;
  }
  if (type !== "DELETED" && !["Succeeded", "Failed"].includes(pod["status"]?.phase)) return;
  if (course.live.delete(uid)) course.seen.podMs += nowMs - course.pods.get(uid)!.fromMs;
}

function ownerOf(pod: KubeObject): string {
  return pod.metadata.labels?.["batch.kubernetes.io/job-name"] ?? "";
}

function indexOf(pod: KubeObject): number | undefined {
  const text = pod.metadata.annotations?.["batch.kubernetes.io/job-completion-index"];
  return text === undefined ? undefined : Number(text);
}

/** Containers that do what the outcome of their Job says. Init containers succeed at once. */
export class ScriptedRuntime implements ContainerRuntime {
  readonly name = "scripted";
  readonly #clock: Clock;
  readonly #courses: ReadonlyMap<string, Course>;
  readonly #evict: (pod: string) => void;

  constructor(clock: Clock, courses: ReadonlyMap<string, Course>, evict: (pod: string) => void) {
    this.#clock = clock;
    this.#courses = courses;
    this.#evict = evict;
  }

  unsupported(): [] {
    return [];
  }

  createPod(_pod: KubeObject, _files: unknown, done: () => void): void {
    this.#clock.defer(done);
  }

  removePod(): void {}

  startContainer({ pod, isInit, attempt, container }: ContainerRequest, events: ContainerEvents): ContainerHandle {
    const course = this.#courses.get(ownerOf(pod))!;
    const clock = this.#clock;
    // On a real server the kubelet may see a pod before this watch does.
    notePod(this.#courses, "ADDED", pod, clock.now());
    const place = course.pods.get(pod.metadata.uid)!;
    let isOver = false;
    const end = (exitCode: number): void => {
      if (!isOver) events.exited({ exitCode });
      isOver = true;
    };
    clock.defer(() => {
      const start = { index: indexOf(pod), ...place, restarts: attempt };
      const planned: Act = course.run.outcome.act(start);
      if (planned === null) return;
      const act = isInit ? { runMs: 0, exitCode: 0 } : planned;
      course.seen.starts++;
      events.started();
      // A second container does as the first, but always succeeds.
      const exitCode = container["name"] === "helper" ? 0 : act.exitCode;
      const endsAtMs = "runMs" in act ? clock.now() + act.runMs : course.createdMs + act.endsAtMs;
      if (endsAtMs !== Infinity) clock.setTimer(Math.max(0, endsAtMs - clock.now()), () => end(exitCode));
      const { evictions = 0, spares, evictedAfterMs = EVICTED_AFTER_MS } = course.run.outcome;
      if (container["name"] !== "main" || attempt > 0 || course.evictions >= evictions || spares?.(start)) return;
      course.evictions++;
      clock.setTimer(evictedAfterMs, () => this.#evict(pod.metadata.name));
    });
    return {
      stop: (gracePeriodSeconds) =>
        clock.setTimer(course.run.outcome.ignoresSigterm ? gracePeriodSeconds * 1000 : 0, () => end(143)),
    };
  }
}
