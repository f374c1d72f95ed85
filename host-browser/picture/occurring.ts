/**
 * The states that occur anywhere in a run: those that lasted, and the ends of pods. For the legend.
 *
 * Invariant: reads only what is new in its Timeline. A deleted pod has a separate end only if it was still at work.
 */
import { NONE, PodState } from "../records.ts";
import { isTerminal } from "./pod-ends.ts";
import type { Timeline } from "./timeline.ts";

export class Occurring {
  readonly #timeline: Timeline;
  readonly #counts = new Int32Array(PodState.GONE + 1);
  #read = 0;

  constructor(timeline: Timeline) {
    this.#timeline = timeline;
    this.update();
  }

  has(state: PodState): boolean {
    return this.#counts[state]! > 0;
  }

  update(): void {
    const { state, atMs, previous, pod } = this.#timeline.transitions;
    const counts = this.#counts;
    for (; this.#read < pod.length; this.#read++) {
      const now = state.at(this.#read) as PodState;
      const id = previous.at(this.#read);
      const before = id === NONE ? undefined : (state.at(id) as PodState);
      const hasLasted = id !== NONE && atMs.at(id) < atMs.at(this.#read);
      if (before !== undefined && !isTerminal(before) && hasLasted) counts[before]!++;
      if (isTerminal(now)) counts[now]!++;
      if (now !== PodState.GONE || before === undefined || (isTerminal(before) && hasLasted)) continue;
      // A pod deleted while at work often fails in the same instant.
      if (isTerminal(before)) counts[before]!--;
      counts[PodState.GONE]!++;
    }
  }
}
