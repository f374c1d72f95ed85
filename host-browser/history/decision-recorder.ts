/**
 * Records decisions as rows. The decisions of one `poll` of the engine come just before the requests of that poll are
 * sent. The texts of the latest `MAX_DECISIONS` are kept.
 */
import type { Decision } from "../../bindings/js/engine.ts";
import { NONE } from "../records.ts";
import type { Book } from "./book.ts";
import type { GapRecorder } from "./gap-recorder.ts";
import { Role, ruleOf } from "./rules.ts";

/** The most decisions kept with their sentences. A Job of 100,000 pods makes some thousands. */
export const MAX_DECISIONS = 200_000;

export class DecisionRecorder {
  /** By row. Undefined: beyond the limit. */
  readonly decisions: (Decision | undefined)[] = [];
  readonly #book: Book;
  readonly #gaps: GapRecorder;

  constructor(book: Book, gaps: GapRecorder) {
    this.#book = book;
    this.#gaps = gaps;
  }

  record(decisions: readonly Decision[]): void {
    for (const decision of decisions) this.#add(decision);
  }

  #add(decision: Decision): void {
    const { tables, startMs } = this.#book;
    const track = this.#book.job(decision.uid) ?? this.#book.jobNamed(decision.namespace, decision.job);
    const row = this.decisions.length;
    this.decisions.push(decision);
    this.#book.numbers.add(decision.id ?? 0);
    if (row >= MAX_DECISIONS) this.decisions[row - MAX_DECISIONS] = undefined;
    const columns = tables.decisions.columns;
    const atMs = decision.atMs - startMs;
    columns.job.push(track?.id ?? NONE);
    // Times in a table never fall.
    columns.atMs.push(row === 0 ? atMs : Math.max(atMs, columns.atMs.at(row - 1)));
    columns.code.push(tables.texts.id(decision.code));
    columns.nextMs.push(decision.nextMs === null ? NaN : decision.nextMs - startMs);
    if (track === undefined) return;
    this.#gaps.decided(track.id, row, decision);
    const { role } = ruleOf(decision.code);
    track.decided(row, role === Role.DECIDES_END || role === Role.ENDS, tables, this.#book.nowMs);
  }
}
