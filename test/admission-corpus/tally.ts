/** How often each class of difference was met, and an example of each. */
import { type Difference, type Weight, WEIGHTS } from "./differences.ts";
import type { CorpusCase } from "./generate.ts";

interface DifferenceClass {
  readonly difference: Difference;
  /** The numbers of its cases. */
  readonly cases: number[];
}

const MAX_SHOWN_CASES = 20;

export class Tally {
  readonly #classes = new Map<string, DifferenceClass>();
  #cases = 0;
  #differing = 0;

  /** The cases so far. */
  get cases(): number {
    return this.#cases;
  }

  /** Those of them in which anything differs. */
  get differing(): number {
    return this.#differing;
  }

  /** The heaviest first, and of one weight the most frequent. */
  get classes(): readonly DifferenceClass[] {
    const rank = ({ difference }: DifferenceClass): number => WEIGHTS.indexOf(difference.weight);
    return [...this.#classes.values()].sort(
      (a, b) =>
        rank(a) - rank(b) || b.cases.length - a.cases.length || (a.difference.what < b.difference.what ? -1 : 1),
    );
  }

  add({ number }: CorpusCase, differences: readonly Difference[]): void {
    this.#cases++;
    if (differences.length > 0) this.#differing++;
    for (const difference of differences) {
      const key = `${difference.weight} ${difference.what}`;
      const known = this.#classes.get(key) ?? { difference, cases: [] };
      known.cases.push(number);
      this.#classes.set(key, known);
    }
  }

  /**
   * A paragraph for each weight, a line for each class.
   *
   * @param reasonOf why a class is left; undefined: it is not known
   * @param shown only classes that contain this text, with the numbers of their cases
   */
  report(reasonOf: (difference: Difference) => string | undefined, shown: string | undefined): string {
    const lines: string[] = [];
    let weight: Weight | undefined;
    for (const { difference, cases } of this.classes) {
      if (shown !== undefined && !difference.what.includes(shown)) continue;
      if (weight !== difference.weight) lines.push("", `== ${difference.weight}`);
      ({ weight } = difference);
      const numbers = cases.toSorted((a, b) => a - b).slice(0, shown === undefined ? 1 : MAX_SHOWN_CASES);
      const reason = reasonOf(difference);
      const known = reason === undefined ? "NOT KNOWN" : `known: ${reason}`;
      const count = String(cases.length).padStart(5);
      lines.push(`${count}×  ${difference.what}  (case ${numbers.join(", ")})  ${known}`);
    }
    return [...lines, "", ...this.#byReason(reasonOf)].join("\n");
  }

  /** A line for each reason: how many cases have a class that is left for it. */
  #byReason(reasonOf: (difference: Difference) => string | undefined): string[] {
    const cases = new Map<string, Set<number>>();
    for (const { difference, cases: numbers } of this.classes) {
      const reason = reasonOf(difference) ?? "NOT KNOWN";
      cases.set(reason, new Set([...(cases.get(reason) ?? []), ...numbers]));
    }
    return [...cases].map(([reason, { size }]) => `${String(size).padStart(5)} cases: ${reason}`);
  }
}
