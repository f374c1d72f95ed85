/**
 * Runs many Jobs whole, at once, in one embedded cluster on virtual time, each with an outcome of its own, and says
 * what each of them did. Leaves out what they should have done.
 */
import { VirtualClock } from "../../cluster/clock.ts";
import type {
  ContainerEvents,
  ContainerHandle,
  ContainerRequest,
  ContainerRuntime,
} from "../../cluster/kubelet/container-runtime.ts";
import type { KubeObject } from "../../cluster/types.ts";
import { seededRandom } from "../../host-browser/simulation/random.ts";
import { EmbeddedCluster } from "../../host-node/embedded.ts";
import type { Act, Outcome } from "./outcomes.ts";
import type { JobSpec } from "./specs.ts";

const START_MS = Date.UTC(2026, 0, 1);
const JOBS_PATH = "/apis/batch/v1/namespaces/default/jobs";
const CAPACITY = { cpu: "10M", memory: "1Pi", pods: "1M" };
const EVICTED_AFTER_MS = 2_000;
/** A Job that has not ended by then never does. */
const MAX_MS = 24 * 3_600_000;
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

interface Course {
  readonly run: Run;
  readonly seen: Seen;
  readonly createdMs: number;
  readonly pods: Map<string, { readonly pod: number; readonly podOfIndex: number; readonly fromMs: number }>;
  readonly ofIndex: Map<number | undefined, number>;
  readonly live: Set<string>;
  evictions: number;
}

/** @throws Error when the cluster has a problem */
export async function runWhole(runs: readonly Run[]): Promise<Seen[]> {
  const clock = new VirtualClock(START_MS);
  const courses = new Map<string, Course>();
  const runtime = new ScriptedRuntime(clock, courses, (pod) => deletePod(embedded, pod));
  const fail = (problem: string): never => {
    throw new Error(`in the runs of a forecast: ${problem}`);
  };
  const embedded = await EmbeddedCluster.create({
    ...{ clock, random: seededRandom(1) },
    nodes: [{ nodeName: "node", runtime, podCIDR: "10.244.0.0/14", capacity: CAPACITY }],
    onProblem: fail,
    onFatal: (error) => fail(error.message),
  });
  embedded.cluster.observe(({ resource, type, object }) => {
    if (resource === "jobs") noteJob(courses, type, object, clock.now());
    else if (resource === "pods") notePod(courses, type, object, clock.now());
  });
  embedded.start();
  clock.runDeferred();
  const all = runs.map((run, i) => create(embedded, run, `job-${i}`, courses, clock.now()));
  const isOver = ({ seen, run, createdMs }: Course): boolean =>
    (run.spec.parallelism === 0 &&
      clock.now() > createdMs + SETTLED_MS &&
      !((run.spec.activeDeadlineSeconds ?? 0) > 60)) ||
    (seen.endMs !== undefined && (run.spec.ttlSecondsAfterFinished === undefined || seen.deletedMs !== undefined));
  let left = all.filter((course) => !isOver(course));
  while (left.length > 0 && clock.now() < START_MS + MAX_MS) {
    for (let i = 0; i < 100; i++) if (!clock.step()) return all.map(({ seen }) => seen);
    left = left.filter((course) => !isOver(course));
  }
  embedded.stop();
  return all.map(({ seen }) => seen);
}

function create(
  { cluster }: EmbeddedCluster,
  run: Run,
  name: string,
  courses: Map<string, Course>,
  createdMs: number,
): Course {
  const seen = { pods: 0, starts: 0, peak: 0, statusBytes: 0, podMs: 0 };
  const course: Course = {
    ...{ run, createdMs, pods: new Map(), ofIndex: new Map(), live: new Set(), evictions: 0 },
    seen: { ...seen, endMs: undefined, deletedMs: undefined, reason: undefined },
  };
  courses.set(name, course);
  const answer = cluster.handle({
    method: "POST",
    path: JOBS_PATH,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: run.spec }),
  });
  if (answer.status !== 201) throw new Error(`refused: ${"body" in answer ? String(answer.body) : answer.status}`);
  return course;
}

function deletePod({ cluster }: EmbeddedCluster, name: string): void {
  cluster.handle({ method: "DELETE", path: `/api/v1/namespaces/default/pods/${name}`, headers: {} });
}

function noteJob(courses: Map<string, Course>, type: string, job: KubeObject, nowMs: number): void {
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

function notePod(courses: Map<string, Course>, type: string, pod: KubeObject, nowMs: number): void {
  const course = courses.get(ownerOf(pod));
  if (course === undefined) return;
  const { uid } = pod.metadata;
  if (type === "ADDED") {
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
class ScriptedRuntime implements ContainerRuntime {
  readonly name = "scripted";
  readonly #clock: VirtualClock;
  readonly #courses: ReadonlyMap<string, Course>;
  readonly #evict: (pod: string) => void;

  constructor(clock: VirtualClock, courses: ReadonlyMap<string, Course>, evict: (pod: string) => void) {
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
      const { evictions = 0, spares } = course.run.outcome;
      if (container["name"] !== "main" || attempt > 0 || course.evictions >= evictions || spares?.(start)) return;
      course.evictions++;
      clock.setTimer(EVICTED_AFTER_MS, () => this.#evict(pod.metadata.name));
    });
    return {
      stop: (gracePeriodSeconds) =>
        clock.setTimer(course.run.outcome.ignoresSigterm ? gracePeriodSeconds * 1000 : 0, () => end(143)),
    };
  }
}
