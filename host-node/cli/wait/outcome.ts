/** When the wait for a Job is over, and whether the Job has reached the wanted state. Pure. */
import type { Verdict } from "../../../bindings/js/engine.ts";

export const GOALS = ["finished", "succeeded", "failed", "suspended"] as const;
export type Goal = (typeof GOALS)[number];

export interface Outcome {
  /**
   * `reached`: it is in the state that was waited for. `missed`: it has ended otherwise. `deleted`: it was deleted
   * before it ended, or while no watch was open. `stuck`: it was stuck for longer than allowed.
   */
  readonly kind: "reached" | "missed" | "deleted" | "stuck";
  /** Whether the command may end with 0. A failed Job is `finished`, but no success. */
  readonly isGood: boolean;
}

/** Undefined: the Job may still reach it. */
export function outcomeOf({ verdict, isFinished }: Verdict, goal: Goal): Outcome | undefined {
  if (goal === "suspended" && verdict === "Suspended") return { kind: "reached", isGood: true };
  if (!isFinished) return undefined;
  if (goal === "finished") return { kind: "reached", isGood: verdict === "Succeeded" };
  const isReached = verdict === (goal === "succeeded" ? "Succeeded" : "Failed") && goal !== "suspended";
  return { kind: isReached ? "reached" : "missed", isGood: isReached };
}
