/**
 * Stretches of a run in which nothing was recorded: what the time scale may fold.
 *
 * Invariant: stretches are in order and do not overlap, and each is longer than MIN_IDLE_MS; so there are few. Leaves
 * out which of them are worth folding (time-scale.ts).
 */

/** Shorter stretches are never folded. */
export const MIN_IDLE_MS = 2_000;

export interface Stretch {
  readonly fromMs: number;
  readonly untilMs: number;
}

export class Idle {
  readonly stretches: Stretch[] = [];
  #lastMs = 0;

  /** Adds the times of one chunk, each table's in ascending order. */
  append(tables: readonly Float64Array[]): void {
    const positions = tables.map(() => 0);
    for (;;) {
      let earliest = -1;
      for (let i = 0; i < tables.length; i++) {
        const time = tables[i]![positions[i]!];
        if (time !== undefined && (earliest < 0 || time < tables[earliest]![positions[earliest]!]!)) earliest = i;
      }
      if (earliest < 0) return;
      this.#reach(tables[earliest]![positions[earliest]!]!);
      const table = tables[earliest]!;
      let position = positions[earliest]! + 1;
      // Equal and close times mostly follow each other in one table.
      while (position < table.length && table[position]! - this.#lastMs === 0) position++;
      positions[earliest] = position;
    }
  }

  #reach(atMs: number): void {
    if (atMs - this.#lastMs > MIN_IDLE_MS) this.stretches.push({ fromMs: this.#lastMs, untilMs: atMs });
    if (atMs > this.#lastMs) this.#lastMs = atMs;
  }
}
