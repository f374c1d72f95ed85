/**
 * Lets virtual time run as fast as this machine can, in slices, so that signals are heard and output is written meanwhile.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { VirtualClock } from "../../cluster/clock.ts";

/** Timers that fire before the rest of the process gets its turn. */
const STEPS_PER_SLICE = 200;

export interface VirtualRun {
  readonly clock: VirtualClock;
  /** Checked after each step. */
  isOver(): boolean;
  /** Resolves when output may be written again; undefined when it may. */
  waitForOutput(): Promise<void> | undefined;
}

/** @returns true when the run is over; false when it is not and nothing will ever happen again */
export async function runVirtualTime({ clock, isOver, waitForOutput }: VirtualRun): Promise<boolean> {
  clock.runDeferred();
  for (let step = 1; !isOver(); step++) {
    if (!clock.step()) {
      // Something outside may be under way: a fresh engine is compiled asynchronously.
      await turn();
      clock.runDeferred();
      if (!isOver() && clock.nextTimerAt() === Infinity) return false;
    }
    if (step % STEPS_PER_SLICE === 0) await turn();
    const ready = waitForOutput();
    if (ready !== undefined) await ready;
  }
  return true;
}
