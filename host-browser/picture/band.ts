/**
 * How many pods were in each state at the end of each bin, for the band under the rows and for the minimap.
 *
 * Invariant: bins up to `filled` are final; `update` reads only transitions that it has not read. Leaves out drawing.
 */
import type { Bins } from "./bins.ts";
import { countBelow } from "../columns.ts";
import { COUNTED } from "./counts.ts";
import type { Timeline } from "./timeline.ts";

export class Band {
  readonly bins: Bins;
  /** COUNTED numbers for each bin. */
  readonly counts: Int32Array;
  /** The highest sums of states at work and of finished ones. */
  activePeak = 0;
  finishedPeak = 0;
  /** Bins that have numbers. */
  filled = 0;
  readonly #timeline: Timeline;
  readonly #firstFinished: number;

  constructor(timeline: Timeline, bins: Bins, firstFinished: number) {
    this.#timeline = timeline;
    this.bins = bins;
    this.#firstFinished = firstFinished;
    this.counts = new Int32Array(bins.count * COUNTED);
  }

  /** Fills the bins up to the one of the newest instant, which may still change. */
  update(): void {
    const { timeline, edges } = { timeline: this.#timeline, edges: this.bins.edges };
    const { atMs } = timeline.transitions;
    const last = Math.min(this.bins.count - 1, this.bins.at(timeline.nowMs));
    let bin = Math.max(0, this.filled - 1);
    let read = countBelow(atMs.data, atMs.length, edges[bin]!);
    const counts = new Int32Array(COUNTED);
    timeline.counts.read(read, counts);
    for (; bin <= last; bin++) {
      const untilMs = bin === last ? timeline.nowMs : edges[bin + 1]! - 1e-6;
      let to = read;
      while (to < atMs.length && atMs.data[to]! <= untilMs) to++;
      timeline.counts.advance(counts, read, to);
      read = to;
      this.counts.set(counts, bin * COUNTED);
      this.#note(counts);
    }
    this.filled = last + 1;
  }

  #note(counts: Int32Array): void {
    let active = 0;
    let finished = 0;
    for (let state = 0; state < COUNTED; state++) {
      if (state < this.#firstFinished) active += counts[state]!;
      else finished += counts[state]!;
    }
    if (active > this.activePeak) this.activePeak = active;
    if (finished > this.finishedPeak) this.finishedPeak = finished;
  }
}
