/**
 * Draws that hit by chance, and in time: what has a share of one in ten hits in each twenty draws, so that a short run
 * meets what it was made for.
 */

/** A kind hits when, without a hit, this many had come on average. */
const OVERDUE_HITS = 2;

export class Lots {
  readonly #random: () => number;
  /** Draws since the last hit, by kind. */
  readonly #misses = new Map<string, number>();

  /** @param random uniform in [0, 1); asked once a draw */
  constructor(random: () => number) {
    this.#random = random;
  }

  /** @param share of the draws of this kind that hit; 0: none does */
  draw(kind: string, share: number): boolean {
    const draws = (this.#misses.get(kind) ?? 0) + 1;
    const isHit = this.#random() < share || draws * share >= OVERDUE_HITS;
    this.#misses.set(kind, isHit ? 0 : draws);
    return isHit;
  }
}
