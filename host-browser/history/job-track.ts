/**
 * The records of one Job while its history is written: its rows in the tables, the decisions that may have caused later
 * writes, and the rows that wait for a decision. Invariant: lists of rows are in the order of their times.
 */
import { type JobRecord, LateTable, NONE } from "../records.ts";
import { Column, countWhile } from "../columns.ts";
import type { DecisionNumbers } from "./decision-numbers.ts";
import { Explanations } from "./explanations.ts";
import type { Tables } from "./tables.ts";

export class JobTrack {
  readonly id: number;
  readonly namespace: string;
  readonly name: string;
  readonly uid: string;
  readonly pods = new Column("int32");
  readonly versions = new Column("int32");
  readonly decisions = new Column("int32");
  readonly events = new Column("int32");
  /** By position in `events`: how many different Events there were up to it. */
  readonly eventCounts = new Column("int32");
  readonly requests = new Column("int32");
  readonly explanations: Explanations;
  /** With backoffLimitPerIndex. */
  hasBackoffPerIndex = false;
  /** The decision for which the controller deleted the Job; NONE: it has not. */
  decisionToDelete = NONE;
  readonly #numbers: DecisionNumbers;
  /** By completion index. A list: a map takes five times the memory. */
  readonly #podCounts: number[] = [];
  /** Rows that wait for a decision: for the one of this number, or for the next one (NONE). */
  #waitingTables: number[] = [];
  #waitingRows: number[] = [];
  #waitingNumbers: number[] = [];
  /** By number without a decision: when the controller had carried out everything. */
  readonly #settledMs = new Map<number, number>();

  constructor(id: number, { name, namespace, uid }: JobRecord, startMs: number, numbers: DecisionNumbers) {
    this.#numbers = numbers;
    this.explanations = new Explanations(startMs);
    this.id = id;
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
  }

  /** How many pods of this completion index were counted before; NONE counts as a separate index. Counts this one. */
  nextAttempt(index: number): number {
    const attempt = this.#podCounts[index] ?? 0;
    this.#podCounts[index] = attempt + 1;
    return attempt;
  }

  /**
   * The decision of this number; if none has it, the last one before it: the expectation was unchanged, or something
   * failed. NONE: there was none before it.
   */
  decisionOf(number: number): number {
    const count = countWhile(this.decisions.length, (i) => this.#numbers.ofRow(this.decisions.at(i)) <= number);
    return count === 0 ? NONE : this.decisions.at(count - 1);
  }

  /** The same as known at the instant. NONE: it was still expected. */
  decisionAt(number: number, atMs: number, times: Column<"float64">): number {
    const decision = this.decisionOf(number);
    if (decision === NONE) return NONE;
    if (this.#numbers.ofRow(decision) === number) return times.at(decision) <= atMs ? decision : NONE;
    return (this.#settledMs.get(number) ?? Infinity) <= atMs ? decision : NONE;
  }

  /** The row belongs to the next decision, which takes it into account. */
  awaitNext(table: LateTable, row: number): void {
    this.#wait(table, row, NONE);
  }

  /** The controller made this change, for the decision of this number, which may arrive later. */
  carryOut(table: LateTable, row: number, number: number, tables: Tables): void {
    const { length } = this.decisions;
    const isTold = length > 0 && this.#numbers.ofRow(this.decisions.at(length - 1)) >= number;
    if (isTold) setDecision(tables, table, row, this.decisionOf(number));
    else this.#wait(table, row, number);
  }

  /** The controller made a change that was first attributed to another client. */
  carryOutAfterAll(table: LateTable, row: number, number: number, tables: Tables): void {
    this.#drop((i) => this.#waitingRows[i] === row && this.#waitingTables[i] === table);
    this.carryOut(table, row, number, tables);
  }

  /**
   * The controller has carried out its decisions. It does not report a decision that repeats the one before: rows that
   * wait for it get the one before.
   */
  settle(tables: Tables, nowMs: number): void {
    this.#drop((i) => {
      const number = this.#waitingNumbers[i]!;
      if (number === NONE) return false;
      this.#settledMs.set(number, nowMs);
      this.#resolve(i, this.decisionOf(number), tables);
      return true;
    });
  }

  /** A decision has arrived: rows that waited for it get it. */
  decided(decision: number, isUrgent: boolean, tables: Tables, nowMs: number): void {
    this.decisions.push(decision);
    this.explanations.isTouched = true;
    if (isUrgent) this.explanations.isUrgent = true;
    const told = this.#numbers.ofRow(decision);
    this.#drop((i) => {
      const number = this.#waitingNumbers[i]!;
      if (number > told) return false;
      if (number !== NONE && number !== told) this.#settledMs.set(number, nowMs);
      this.#resolve(i, number === NONE ? decision : this.decisionOf(number), tables);
      return true;
    });
  }

  #wait(table: LateTable, row: number, number: number): void {
    this.#waitingTables.push(table);
    this.#waitingRows.push(row);
    this.#waitingNumbers.push(number);
  }

  #resolve(i: number, decision: number, tables: Tables): void {
    setDecision(tables, this.#waitingTables[i] as LateTable, this.#waitingRows[i]!, decision);
  }

  /** Removes the selected rows from the waiting ones. */
  #drop(isMeant: (i: number) => boolean): void {
    if (this.#waitingRows.length === 0) return;
    let kept = 0;
    for (let i = 0; i < this.#waitingRows.length; i++) {
      if (isMeant(i)) continue;
      this.#waitingTables[kept] = this.#waitingTables[i]!;
      this.#waitingRows[kept] = this.#waitingRows[i]!;
      this.#waitingNumbers[kept++] = this.#waitingNumbers[i]!;
    }
    this.#waitingTables.length = this.#waitingRows.length = this.#waitingNumbers.length = kept;
  }
}

function setDecision(tables: Tables, table: LateTable, row: number, decision: number): void {
  if (decision !== NONE) tables.setDecision(table, row, decision);
}
