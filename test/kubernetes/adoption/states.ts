/**
 * The states that a Job can be in when its controller changes, each as a Job: what its pods do in which chapter, what
 * is done to it while there is no controller, and what must have become of it at the end.
 *
 * Chapter 1 is upstream's, chapter 2 Stint's, chapter 3 upstream's again. A new chapter begins while no controller runs
 * Jobs: what its pods do then, nothing sees before the next controller.
 */
import type { Script } from "./kubelet.ts";

/** A patch of the Job; or how it is deleted. */
export type Meddling = { readonly spec: object } | "Background" | "Foreground";

export interface State {
  readonly name: string;
  readonly spec: object;
  readonly script: Script;
  /** Before chapter 2 and before chapter 3, while there is no controller. */
  readonly meddling?: { readonly 2?: Meddling; readonly 3?: Meddling };
  /** Undefined: it is gone. A counter that is left out depends on who was faster. */
  readonly end: { readonly reason: string; readonly succeeded?: number; readonly failed?: number } | undefined;
}

const three = { completions: 3, parallelism: 3 };
const indexed = { ...three, completionMode: "Indexed" };
/** In the chapter that has this number, and later. */
const inChapter =
  (number: number): Script =>
  (chapter) =>
    chapter >= number ? 0 : undefined;
const runs: Script = () => undefined;
/** The first pod fails before chapter 2 and the second before chapter 3; the third does well. */
const retries: Script = (chapter, nth) => (nth >= 3 ? 0 : chapter > nth ? 1 : undefined);
const reached = (succeeded: number, failed = 0): State["end"] => ({ reason: "CompletionsReached", succeeded, failed });

export const STATES: readonly State[] = [
  { name: "done", spec: {}, script: () => 0, end: reached(1) },
  {
    name: "failed",
    spec: { backoffLimit: 0 },
    script: () => 1,
    end: { reason: "BackoffLimitExceeded", succeeded: 0, failed: 1 },
  },
  { name: "running", spec: three, script: inChapter(3), end: reached(3) },
  { name: "ended-and-not-counted", spec: three, script: inChapter(2), end: reached(3) },
  {
    name: "half-way",
    spec: indexed,
    script: (chapter, _, index) => (chapter > index ? 0 : undefined),
    end: reached(3),
  },
  { name: "one-by-one", spec: { completions: 4, parallelism: 1 }, script: inChapter(2), end: reached(4) },
  { name: "in-back-off", spec: {}, script: retries, end: reached(1, 2) },
  { name: "replaced-when-ended", spec: { podReplacementPolicy: "Failed" }, script: retries, end: reached(1, 2) },
  {
    name: "resumed",
    spec: { suspend: true },
    script: inChapter(3),
    meddling: { 2: { spec: { suspend: false } } },
    end: reached(1),
  },
  {
    name: "suspended-meanwhile",
    spec: {},
    script: inChapter(3),
    meddling: { 2: { spec: { suspend: true } }, 3: { spec: { suspend: false } } },
    end: { reason: "CompletionsReached", succeeded: 1 },
  },
  {
    name: "scaled",
    spec: { completions: 6, parallelism: 1 },
    script: inChapter(3),
    meddling: { 2: { spec: { parallelism: 3 } } },
    end: reached(6),
  },
  {
    name: "failed-indexes",
    spec: { ...indexed, backoffLimitPerIndex: 0 },
    script: (chapter, _, index) => (chapter > index ? (index + 1) % 2 : undefined),
    end: { reason: "FailedIndexes", succeeded: 1, failed: 2 },
  },
  {
    name: "failed-by-policy",
    spec: {
      podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }] },
    },
    script: (chapter) => (chapter > 1 ? 42 : undefined),
    end: { reason: "PodFailurePolicy", succeeded: 0, failed: 1 },
  },
  {
    name: "evicted",
    spec: {
      backoffLimit: 0,
      podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "DisruptionTarget" }] }] },
    },
    script: (chapter, nth) => (nth > 1 ? inChapter(3)(chapter, nth, 0) : chapter > 1 ? "evicted" : undefined),
    end: reached(1),
  },
  {
    name: "success-decided",
    spec: { ...indexed, successPolicy: { rules: [{ succeededIndexes: "0" }] } },
    script: (chapter, _, index) => (chapter > 1 && index === 0 ? 0 : undefined),
    end: { reason: "SuccessPolicy", succeeded: 1 },
  },
  {
    name: "deadline-passed",
    spec: {},
    script: runs,
    meddling: { 2: { spec: { activeDeadlineSeconds: 1 } } },
    end: { reason: "DeadlineExceeded", succeeded: 0 },
  },
  { name: "removed-in-time", spec: { ttlSecondsAfterFinished: 0 }, script: inChapter(2), end: undefined },
  { name: "deleted", spec: three, script: runs, meddling: { 2: "Background" }, end: undefined },
  { name: "deleted-with-pods", spec: three, script: runs, meddling: { 3: "Foreground" }, end: undefined },
];
