/**
 * The three stages of accounting for a finished pod, checked at every write of a pod or of the Job:
 *
 * - on: its finalizer is on, and the status says nothing of it;
 * - recorded: its UID is in uncountedTerminatedPods, or, for a success of an Indexed Job, its index in
 *   completedIndexes;
 * - counted: its UID has left the list, its finalizer is off, and the counter went up by one for it.
 *
 * Invariant: a finished pod is in exactly one stage and only moves forward; the finalizer goes off no sooner than it is
 * recorded; the counters are the number of pods counted. What still runs when the Job fails counts as failed. A write
 * costs what it changes, so that 100,000 pods can be watched. Source: docs/spec/controller.md 3.5 and the tracking
 * article of kubernetes.io.
 */
import type { KubeObject } from "../../cluster/values/types.ts";
import { parseIntervals } from "../naive/intervals.ts";

const FINALIZER = "batch.kubernetes.io/job-tracking";
const INDEX_KEY = "batch.kubernetes.io/job-completion-index";
type Outcome = "succeeded" | "failed";

interface TrackedPod {
  phase: string;
  hasFinalizer: boolean;
  readonly index: number | undefined;
  stage: "on" | "recorded" | "counted";
  /** What it counts as, once that is decided. */
  outcome?: Outcome;
}

interface JobStatus {
  readonly succeeded?: number;
  readonly failed?: number;
  readonly completedIndexes?: string;
  readonly conditions?: readonly { readonly type: string }[];
  readonly uncountedTerminatedPods?: Partial<Record<Outcome, readonly string[]>>;
}

export class Tracking {
  /** The most pods that ran at one moment. */
  maxRunning = 0;
  readonly #pods = new Map<string, TrackedPod>();
  readonly #uncounted: Record<Outcome, Set<string>> = { succeeded: new Set(), failed: new Set() };
  readonly #counters: Record<Outcome, number> = { succeeded: 0, failed: 0 };
  readonly #isIndexed: boolean;
  #completedIndexes: ReadonlySet<number> = new Set();
  #completedText = "";
  #running = 0;
  #isFailing = false;

  constructor(isIndexed: boolean) {
    this.#isIndexed = isIndexed;
  }

  /** @throws Error naming the pod and the stage that it cannot be in */
  onPod(type: string, { metadata, status }: KubeObject): void {
    const hasFinalizer = type !== "DELETED" && (metadata.finalizers ?? []).includes(FINALIZER);
    let pod = this.#pods.get(metadata.uid);
    if (pod === undefined) {
      const index = metadata.annotations?.[INDEX_KEY];
      pod = { phase: "Pending", hasFinalizer, index: index === undefined ? undefined : Number(index), stage: "on" };
      this.#pods.set(metadata.uid, pod);
      check(hasFinalizer, metadata.uid, "was created without the finalizer");
    }
    this.#running += Number(status.phase === "Running" && type !== "DELETED") - Number(pod.phase === "Running");
    this.maxRunning = Math.max(this.maxRunning, this.#running);
    pod.phase = status.phase;
    const isFreed = pod.hasFinalizer && !hasFinalizer;
    check(pod.hasFinalizer || !hasFinalizer, metadata.uid, "got its finalizer back");
    pod.hasFinalizer = hasFinalizer;
    if (!isFreed) return;
    const outcome = (pod.outcome ??= this.#outcomeOf(pod, metadata.uid));
    if (this.#isIndexed && outcome === "succeeded") {
      check(this.#completedIndexes.has(pod.index!), metadata.uid, "lost its finalizer before its index was recorded");
      pod.stage = "counted";
      return;
    }
    check(
      pod.stage === "recorded" && this.#uncounted[outcome].has(metadata.uid),
      metadata.uid,
      `lost its finalizer in the stage "${pod.stage}", before its UID was recorded`,
    );
  }

  /** @throws Error naming the pod or counter that is wrong */
  onJob(_type: string, { status }: KubeObject): void {
    const {
      succeeded = 0,
      failed = 0,
      completedIndexes = "",
      uncountedTerminatedPods = {},
      conditions = [],
    } = status as JobStatus;
    this.#isFailing ||= conditions.some(({ type }) => type === "FailureTarget");
    this.#moveUncounted("failed", uncountedTerminatedPods.failed ?? [], failed);
    if (this.#isIndexed) this.#moveIndexes(completedIndexes, succeeded, uncountedTerminatedPods.succeeded ?? []);
    else this.#moveUncounted("succeeded", uncountedTerminatedPods.succeeded ?? [], succeeded);
  }

  /** What must hold when the Job has ended. @throws Error */
  atEnd(status: JobStatus): void {
    for (const [uid, pod] of this.#pods)
      check(pod.stage === "counted" && !pod.hasFinalizer, uid, `ends in the stage "${pod.stage}"`);
    for (const outcome of ["succeeded", "failed"] as const) {
      const pods = [...this.#pods.values()].filter((pod) => pod.outcome === outcome).length;
      if ((status[outcome] ?? 0) !== pods)
        throw new Error(`${pods} pods have ${outcome}, and the Job says ${status[outcome]}`);
    }
  }

  #moveUncounted(outcome: Outcome, uids: readonly string[], counter: number): void {
    const before = this.#uncounted[outcome];
    const after = new Set(uids);
    if (after.size !== uids.length) throw new Error(`uncountedTerminatedPods.${outcome} names a pod twice`);
    for (const uid of after) if (!before.has(uid)) this.#record(uid, outcome);
    let counted = 0;
    for (const uid of before) {
      if (after.has(uid)) continue;
      const pod = this.#pods.get(uid)!;
      check(!pod.hasFinalizer, uid, "left the uncounted pods with its finalizer on");
      pod.stage = "counted";
      counted++;
    }
    if (counter !== this.#counters[outcome] + counted)
      throw new Error(
        `${outcome} went from ${this.#counters[outcome]} to ${counter} while ${counted} pods left the uncounted ones`,
      );
    this.#counters[outcome] = counter;
    this.#uncounted[outcome] = after;
  }

  #record(uid: string, outcome: Outcome): void {
    const pod = this.#pods.get(uid);
    if (pod === undefined) throw new Error(`pod ${uid} is uncounted and was never seen`);
    check(this.#outcomeOf(pod, uid) === outcome, uid, `is recorded as ${outcome} in phase ${pod.phase}`);
    pod.outcome = outcome;
    check(
      pod.stage === "on" && pod.hasFinalizer,
      uid,
      `is recorded in the stage "${pod.stage}"${pod.hasFinalizer ? "" : " without its finalizer"}`,
    );
    pod.stage = "recorded";
  }

  #moveIndexes(text: string, succeeded: number, uncounted: readonly string[]): void {
    if (uncounted.length > 0)
      throw new Error(`an Indexed Job records successes by index, not by UID: ${uncounted.join()}`);
    if (text === this.#completedText) return;
    const indexes = parseIntervals(text, Infinity);
    for (const index of this.#completedIndexes)
      if (!indexes.has(index)) throw new Error(`index ${index} is completed no more`);
    if (succeeded !== indexes.size) throw new Error(`succeeded is ${succeeded} with ${indexes.size} completed indexes`);
    this.#completedIndexes = indexes;
    this.#completedText = text;
    this.#counters.succeeded = succeeded;
  }

  #outcomeOf({ phase }: TrackedPod, uid: string): Outcome {
    if (phase === "Succeeded") return "succeeded";
    check(phase === "Failed" || this.#isFailing, uid, `is accounted for in phase ${phase}`);
    return "failed";
  }
}

function check(holds: boolean, uid: string, problem: string): void {
  if (!holds) throw new Error(`pod ${uid} ${problem}`);
}
