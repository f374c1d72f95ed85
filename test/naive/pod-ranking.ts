/**
 * The deletion preference the naive way: the six rules of docs/spec/controller.md M3, one after the other, on facts as
 * a Pod states them, and the completion index where they do not tell. Property tests compare the engine with it.
 */

export interface PodFacts {
  readonly nodeName: string;
  readonly phase: string;
  readonly ready: boolean;
  /** lastTransitionTime of the condition `Ready`; undefined: zero time. */
  readonly readySinceMs: number | undefined;
  readonly restartCounts: readonly number[];
  readonly sidecarRestartCounts: readonly number[];
  /** Undefined: zero time. */
  readonly creationMs: number | undefined;
  /** -1: none. */
  readonly completionIndex: number;
}

/** -1 if `a` is deleted before `b`, 1 if after, 0 if the rules do not tell. */
export function compareForDeletion(a: PodFacts, b: PodFacts): number {
  // 1. no nodeName before having one
  if ((a.nodeName === "") !== (b.nodeName === "")) return a.nodeName === "" ? -1 : 1;
  // 2. Pending < Unknown < Running
  if (phaseRank(a.phase) !== phaseRank(b.phase)) return phaseRank(a.phase) < phaseRank(b.phase) ? -1 : 1;
  // 3. not Ready before Ready
  if (a.ready !== b.ready) return a.ready ? 1 : -1;
  // 4. both Ready: the later lastTransitionTime first
  if (a.ready && b.ready && a.readySinceMs !== b.readySinceMs) return isLater(a.readySinceMs, b.readySinceMs) ? -1 : 1;
  // 5. more restarts first, regular containers, then sidecars
  const restarts = Math.max(0, ...b.restartCounts) - Math.max(0, ...a.restartCounts);
  if (restarts !== 0) return Math.sign(restarts);
  const sidecarRestarts = Math.max(0, ...b.sidecarRestartCounts) - Math.max(0, ...a.sidecarRestartCounts);
  if (sidecarRestarts !== 0) return Math.sign(sidecarRestarts);
  // 6. newer first
  if (a.creationMs !== b.creationMs) return isLater(a.creationMs, b.creationMs) ? -1 : 1;
  // The pods of an Indexed Job are sorted by index before they are ranked
  return Math.sign(a.completionIndex - b.completionIndex);
}

/** The rank of a phase in rule 2. */
export function phaseRank(phase: string): number {
  return Math.max(0, ["Pending", "Unknown", "Running"].indexOf(phase));
}

function isLater(a: number | undefined, b: number | undefined): boolean {
  if (a === undefined || b === undefined) return a === undefined;
  return a > b;
}
