/**
 * The tables of a run, as records.ts lays them out, with the chains and lists that find a row of a pod or of a Job
 * quickly. Leaves out what is written into them (history.ts) and objects (versions.ts).
 */
import { type Chunk, type JobRecord, LateTable, NONE } from "../records.ts";
import type { FlagRecord } from "../../cluster/simulation/recorder.ts";
import { Column, countWhile } from "../columns.ts";
import { connectionLimitsFor, Table, Texts } from "./columns.ts";

export class Tables {
  readonly texts = new Texts();
  readonly jobs: JobRecord[] = [];
  readonly flags: FlagRecord[] = [];
  readonly podNames: string[] = [];
  readonly pods = new Table({
    job: "int32",
    index: "int32",
    attempt: "int32",
    createdMs: "float64",
    decision: "int32",
  });
  readonly transitions = new Table({
    pod: "int32",
    atMs: "float64",
    state: "uint8",
    detail: "int32",
    restarts: "int32",
    node: "int32",
    decision: "int32",
  });
  readonly versions = new Table({
    job: "int32",
    atMs: "float64",
    active: "int32",
    ready: "int32",
    terminating: "int32",
    succeeded: "int32",
    failed: "int32",
    phase: "uint8",
    completions: "int32",
    parallelism: "int32",
    decision: "int32",
  });
  readonly decisions = new Table({ job: "int32", atMs: "float64", code: "int32", nextMs: "float64" });
  readonly events = new Table({
    job: "int32",
    atMs: "float64",
    reason: "int32",
    isWarning: "uint8",
    decision: "int32",
  });
  readonly gaps = new Table({
    job: "int32",
    index: "int32",
    fromMs: "float64",
    untilMs: "float64",
    decision: "int32",
  });
  readonly nodes = new Table({ node: "int32", atMs: "float64", state: "uint8" });
  /** The row of the same pod before this one, or NONE. */
  readonly previousTransition = new Column("int32");
  /** Of each pod the latest transition. */
  readonly lastTransition = new Column("int32");
  readonly #late = new Table({ table: "uint8", row: "int32", decision: "int32" });
  #jobsTaken = 0;
  #flagsTaken = 0;
  #namesTaken = 0;

  /** Says which decision caused a row. */
  setDecision(table: LateTable, row: number, decision: number): void {
    const { columns, taken } = this.#tableOf(table);
    columns.decision.set(row, decision);
    if (row >= taken) return;
    const late = this.#late.columns;
    late.table.push(table);
    late.row.push(row);
    late.decision.push(decision);
  }

  /** The decision of a row, if it was made by this instant. */
  decisionOf(table: LateTable, row: number, atMs: number): number {
    const decision = this.#tableOf(table).columns.decision.at(row);
    return decision !== NONE && this.decisions.columns.atMs.at(decision) <= atMs ? decision : NONE;
  }

  /** The latest transition of the pod up to this instant; NONE: there was no such pod yet. */
  transitionAt(pod: number, atMs: number): number {
    const times = this.transitions.columns.atMs;
    let row = this.lastTransition.at(pod);
    while (row !== NONE && times.at(row) > atMs) row = this.previousTransition.at(row);
    return row;
  }

  take(): Chunk {
    const from = this.#namesTaken;
    this.#namesTaken = this.podNames.length;
    const names = this.podNames.slice(from).join("\n");
    const jobs = this.jobs.slice(this.#jobsTaken);
    const flags = this.flags.slice(this.#flagsTaken);
    this.#jobsTaken = this.jobs.length;
    this.#flagsTaken = this.flags.length;
    const { pods, transitions, versions, decisions, events, gaps, nodes } = this;
    const room = connectionLimitsFor(pods, transitions, versions, decisions, events, gaps, nodes, this.#late);
    const late = this.#late.take(room);
    this.#late.clear();
    return {
      texts: this.texts.take(),
      jobs,
      pods: { ...pods.take(room), names },
      transitions: transitions.take(room),
      versions: versions.take(room),
      decisions: decisions.take(room),
      events: events.take(room),
      gaps: gaps.take(room),
      nodes: nodes.take(room),
      late,
      flags,
      buffer: room.buffer,
    };
  }

  #tableOf(table: LateTable): { readonly columns: { readonly decision: Column }; readonly taken: number } {
    if (table === LateTable.TRANSITION) return this.transitions;
    if (table === LateTable.VERSION) return this.versions;
    if (table === LateTable.EVENT) return this.events;
    return table === LateTable.POD ? this.pods : this.gaps;
  }
}

/** How many of these rows have a time up to the instant. The rows are in the order of their times. */
export function countRowsUpTo(rows: Column, times: Column<"float64">, atMs: number): number {
  return countWhile(rows.length, (i) => times.at(rows.at(i)) <= atMs);
}
