/**
 * Time cut into bins, each at most a pixel wide: what bands and thin rows are drawn from. Outside folds a bin lasts a
 * power of two of milliseconds and begins at a multiple of that, so it stays the same while one pans.
 *
 * Invariant: bins ascend, touch and fill the window. Leaves out what is counted in them.
 */
import { countUpTo } from "../columns.ts";
import type { TimeScale } from "./time-scale.ts";

const BINS_OF_FOLD = 8;

export class Bins {
  /** Where each bin begins; one more for the end of the last. */
  readonly edges: Float64Array;

  /** `pixelWidth`: how much of a CSS pixel is one of the screen. */
  constructor(scale: TimeScale, pixelWidth = 1) {
    const stepMs = Math.max(1, 2 ** Math.floor(Math.log2(pixelWidth / scale.density)));
    const edges: number[] = [];
    for (const { fromMs, untilMs, isFold } of scale.pieces) {
      edges.push(fromMs);
      if (isFold) {
        for (let i = 1; i < BINS_OF_FOLD; i++) edges.push(fromMs + ((untilMs - fromMs) * i) / BINS_OF_FOLD);
      } else {
        for (let ms = (Math.floor(fromMs / stepMs) + 1) * stepMs; ms < untilMs; ms += stepMs) edges.push(ms);
      }
    }
    edges.push(scale.untilMs);
    this.edges = Float64Array.from(edges);
  }

  get count(): number {
    return this.edges.length - 1;
  }

  /** The bin of an instant; the first or last one for instants beyond. */
  at(ms: number): number {
    return Math.min(Math.max(countUpTo(this.edges, this.edges.length, ms) - 1, 0), this.count - 1);
  }
}
