/**
 * When and how a pod stopped being at work, by its transitions.
 *
 * Invariant: a terminal state that is over in the same instant is not an end, because a pod that is deleted while at
 * work often fails in that instant. Leaves out where an end is in the picture (scene.ts).
 */
import { NONE, PodState } from "../records.ts";
import type { Timeline } from "./timeline.ts";

export function isTerminal(state: PodState): boolean {
  return state === PodState.SUCCEEDED || state === PodState.FAILED;
}

/** When the pod stopped being at work: its terminal state, or its deletion; undefined: it has not. */
export function endOf(
  timeline: Timeline,
  pod: number,
): { transition: number; atMs: number; state: PodState } | undefined {
  for (const transition of timeline.transitionsOf(pod)) {
    const state = timeline.transitions.state.at(transition) as PodState;
    const isPassing = isTerminal(state) && isOver(timeline, transition);
    if (!isPassing && (isTerminal(state) || state === PodState.GONE)) {
      return { transition, atMs: timeline.transitions.atMs.at(transition), state };
    }
  }
  return undefined;
}

/** Whether the state that begins with this transition ends in the same instant. */
export function isOver({ transitions }: Timeline, transition: number): boolean {
  const next = transitions.next.at(transition);
  return next !== NONE && transitions.atMs.at(next) === transitions.atMs.at(transition);
}
