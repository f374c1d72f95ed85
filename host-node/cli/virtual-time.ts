/**
 * Runs virtual time as fast as this machine can, in slices, so that signals are handled and output is written in
 * between.
 */
import { setImmediate as turn } from "node:timers/promises";
import type { VirtualClock } from "../../cluster/time/clock.ts";

/** How many callbacks run before the rest of the process gets its turn. They take a few hundredths of a second. */
const CALLBACKS_PER_SLICE = 2_000;

export interface VirtualRun {
  readonly clock: VirtualClock;
  /** Checked after each callback. */
  isOver(): boolean;
  /** Resolves when output may be written again; undefined when it may. */
  waitForOutput(): Promise<void> | undefined;
}

/** @returns true when the run is over; false when it is not and nothing will ever happen again */
export async function runVirtualTime({ clock, isOver, waitForOutput }: VirtualRun): Promise<boolean> {
  for (let callbacks = 1; !isOver(); callbacks++) {
    clock.leaveOutHeartbeats(Infinity);
    if (!clock.runNext()) {
      // Work outside virtual time may be under way: a new engine is compiled asynchronously.
      await turn();
      if (!isOver() && !clock.runNext()) return false;
    }
    if (callbacks % CALLBACKS_PER_SLICE === 0) await turn();
    const ready = waitForOutput();
    if (ready !== undefined) await ready;
  }
  return true;
}
