/**
 * What a Job and its pods did in one simulated run, from the writes of its cluster. Times are milliseconds since the
 * run began, which is when the Job was created. Leaves out what they should have done.
 */
import type { Decision } from "../../../bindings/js/engine.ts";
import type { RunRecorder } from "../../../cluster/simulation/recorder.ts";
import { jobView, podView } from "../../words/job-view.ts";
import type { ContainerStatus, Job, Pod } from "../../../cluster/values/kinds.ts";
import { accountPod, mayHaveFailed } from "../../../cluster/observed/account-pods.ts";
import type { AskAccount } from "../../../cluster/observed/ask-account.ts";

/** The containers of a pod, from their start to their end. With restartPolicy OnFailure a pod has several. */
export interface ContainerRun {
  readonly startMs: number;
  endMs?: number;
  exitCode?: number;
}

export interface PodRun {
  readonly name: string;
  /** Undefined: the Job has no indexes. */
  readonly index: number | undefined;
  /** Of its index, or of the Job: 1 is the first. */
  readonly attempt: number;
  readonly createdMs: number;
  readonly runs: ContainerRun[];
  endMs?: number;
  phase: "Pending" | "Running" | "Succeeded" | "Failed" | "Deleted";
  /** Of its containers, the first that is not 0. */
  exitCode?: number;
  containerStarts: number;
  /** The controller's decision when the pod had ended (docs/decisions.md). */
  decision?: string;
}

/** How the Job ended. */
export interface JobEnd {
  readonly type: "Complete" | "Failed";
  readonly reason: string;
  readonly atMs: number;
}

const ENDED: readonly string[] = ["Succeeded", "Failed"];
/** Decisions that are not about an ended pod: they are made at the same time. */
const OF_OTHERS: readonly string[] = ["Creating", "WaitingForPods", "WaitingForTermination"];
const OF_FAILURES: readonly string[] = ["Backoff", "IndexBackoff"];
const COUNTED = "Counted";

export class RunObserver implements RunRecorder {
  readonly pods: PodRun[] = [];
  end: JobEnd | undefined;
  deletedMs: number | undefined;
  /** The most pods that had not ended at once. */
  peak = 0;
  statusBytes = 0;
  readonly #ask: AskAccount;
  #job: Job | undefined;
  readonly #byUid = new Map<string, PodRun>();
  readonly #attempts = new Map<number | undefined, number>();
  #live = 0;
  /** Pods that have ended since the last decision. */
  #undecided: PodRun[] = [];

  /** @param ask which container of a pod failed */
  constructor(ask: AskAccount) {
    this.#ask = ask;
  }

  onWrite({ resource, type, object }: Parameters<RunRecorder["onWrite"]>[0], nowMs: number): void {
    if (resource === "jobs") this.#onJob(type, object as Job, nowMs);
    else if (resource === "pods") this.#onPod(type, object as Pod, nowMs);
  }

  onDecisions(decisions: readonly Decision[]): void {
    const codes = decisions.map(({ code }) => code).filter((code) => !OF_OTHERS.includes(code));
    if (codes.length === 0) return;
    for (const pod of this.#undecided) {
      const own = pod.phase === "Failed" ? codes : codes.filter((code) => !OF_FAILURES.includes(code));
      pod.decision = own.find((code) => code !== COUNTED) ?? own[0] ?? COUNTED;
    }
    this.#undecided = [];
  }

  onRequest(): void {}
  onSent(): void {}
  onAnswer(): void {}
  onFlag(): void {}
  onInstant(): void {}

  #onJob(type: string, job: Job, nowMs: number): void {
    this.#job = job;
    if (type === "DELETED") {
      this.deletedMs ??= nowMs;
      return;
    }
    this.statusBytes = Math.max(this.statusBytes, JSON.stringify(job.status ?? {}).length);
    const { state, conditions } = jobView(job);
    if (state === "Running" || this.end !== undefined) return;
    this.end = { type: state, reason: conditions.find(({ type }) => type === state)!.reason, atMs: nowMs };
  }

  #onPod(type: string, object: Pod, nowMs: number): void {
    const { uid } = object.metadata;
    const pod = this.#byUid.get(uid) ?? this.#begin(object, nowMs);
    if (pod.endMs !== undefined) return;
    noteContainers(pod, object, this.#exitCodeOf(object), nowMs);
    const phase = (object.status?.phase ?? "Pending") as PodRun["phase"];
    if (type !== "DELETED" && !ENDED.includes(phase)) {
      pod.phase = phase;
      return;
    }
    pod.phase = ENDED.includes(phase) ? phase : "Deleted";
    pod.endMs = nowMs;
    this.#live--;
    this.#undecided.push(pod);
  }

  #begin(object: Pod, nowMs: number): PodRun {
    const { name, uid, completionIndex: index } = podView(object);
    const attempt = (this.#attempts.get(index) ?? 0) + 1;
    this.#attempts.set(index, attempt);
    const pod: PodRun = { name, index, attempt, createdMs: nowMs, runs: [], phase: "Pending", containerStarts: 0 };
    this.#byUid.set(uid, pod);
    this.pods.push(pod);
    this.peak = Math.max(this.peak, ++this.#live);
    return pod;
  }

  /** Of the container that failed, or else of the first that ended; undefined: none has. */
  #exitCodeOf(pod: Pod): number | undefined {
    const job = this.#job;
    const account = job && mayHaveFailed(pod) ? this.#ask({ job, pods: [accountPod(pod)] }) : undefined;
    const ends = mainOf(pod).map(({ state, lastState }) => state?.terminated ?? lastState?.terminated);
    return account?.attempts[0]?.exitCode ?? ends.find((end) => end !== undefined)?.exitCode;
  }
}

function noteContainers(pod: PodRun, object: Pod, exitCode: number | undefined, nowMs: number): void {
  const main = mainOf(object);
  const all = [...(object.status?.initContainerStatuses ?? []), ...main];
  pod.containerStarts = all.reduce(
    (sum, { restartCount = 0, state, lastState }) =>
      sum + (state?.running || state?.terminated || lastState?.terminated ? restartCount + 1 : 0),
    0,
  );
  if (exitCode !== undefined) pod.exitCode = exitCode;
  const open = pod.runs.at(-1);
  const isOpen = open !== undefined && open.endMs === undefined;
  const isRunning = main.some(({ state }) => state?.running !== undefined);
  if (isRunning && !isOpen) pod.runs.push({ startMs: nowMs });
  if (isRunning || !isOpen) return;
  open.endMs = nowMs;
  if (exitCode !== undefined) open.exitCode = exitCode;
}

function mainOf({ status }: Pod): readonly ContainerStatus[] {
  return status?.containerStatuses ?? [];
}
