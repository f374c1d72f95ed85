/**
 * What is known of one Job while its history is written: its rows in the tables, the decisions that later writes may
 * come from, and the rows that wait for a decision. Invariant: lists of rows are in the order of their times.
 */
import { type JobRecord, LateTable, NONE } from "../records.ts";
import { Column } from "../columns.ts";
import { Explanations } from "./explanations.ts";
import { Role } from "./rules.ts";
import type { Tables } from "./tables.ts";

/** How many roles there are, Role.ANY among them. */
const ROLES = Object.keys(Role).length;

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
  /** What the controller deleted the Job for; NONE: it has not. */
  decisionToDelete = NONE;
  /** The latest decision of each role; of Role.ANY the latest one. */
  readonly #latest: number[] = new Array<number>(ROLES).fill(NONE);
  readonly #podCounts = new Map<number, number>();
  #waitingTables: number[] = [];
  #waitingRows: number[] = [];
  #waitingRoles: number[] = [];

  constructor(id: number, { name, namespace, uid }: JobRecord, startMs: number) {
    this.explanations = new Explanations(startMs);
    this.id = id;
    this.namespace = namespace;
    this.name = name;
    this.uid = uid;
  }

  /** How many pods of this completion index were counted before; NONE is an index of its own. Counts this one. */
  nextAttempt(index: number): number {
    const attempt = this.#podCounts.get(index) ?? 0;
    this.#podCounts.set(index, attempt + 1);
    return attempt;
  }

  latest(role: Role): number {
    return this.#latest[role]!;
  }

  /** The latest decision among those of these roles; NONE: there was none. */
  latestOf(...roles: readonly Role[]): number {
    return Math.max(...roles.map((role) => this.#latest[role]!));
  }

  /** The row belongs to the next decision of the role. */
  await(table: LateTable, row: number, role: Role): void {
    this.#waitingTables.push(table);
    this.#waitingRows.push(row);
    this.#waitingRoles.push(role);
  }

  /**
   * The controller has done what it decided: what it wrote and still waits comes from the latest decision. A decision
   * that repeats the one before is not made again.
   */
  settle(tables: Tables): void {
    this.#resolve((awaited) => awaited !== Role.ANY, this.#latest[Role.ANY]!, tables);
  }

  /** A decision was made: rows that waited for it get it. */
  decided(decision: number, role: Role, tables: Tables): void {
    this.decisions.push(decision);
    this.#latest[role] = decision;
    this.#latest[Role.ANY] = decision;
    this.explanations.isTouched = true;
    if (role === Role.DECIDES_END || role === Role.ENDS) this.explanations.isUrgent = true;
    this.#resolve((awaited) => awaited === Role.ANY || awaited === role, decision, tables);
  }

  #resolve(isMeant: (role: number) => boolean, decision: number, tables: Tables): void {
    let kept = 0;
    for (let i = 0; i < this.#waitingRows.length; i++) {
      const awaited = this.#waitingRoles[i]!;
      if (isMeant(awaited)) {
        if (decision !== NONE) tables.setDecision(this.#waitingTables[i] as LateTable, this.#waitingRows[i]!, decision);
        continue;
      }
      this.#waitingTables[kept] = this.#waitingTables[i]!;
      this.#waitingRows[kept] = this.#waitingRows[i]!;
      this.#waitingRoles[kept++] = awaited;
    }
    this.#waitingTables.length = this.#waitingRows.length = this.#waitingRoles.length = kept;
  }
}
