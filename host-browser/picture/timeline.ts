/**
 * The history of a run in the page: takes chunks as they come, and answers for any instant or range without the Worker.
 *
 * Invariant: rows keep their numbers, times ascend within each table, and a pod's transitions are linked in their
 * order. Leaves out what is drawn from it (rows.ts, cells.ts) and texts of objects (the Worker has those).
 */
import { type Chunk, type JobRecord, type LateColumns, LateTable, NONE, PodState } from "../records.ts";
import type { FlagRecord } from "../../cluster/simulation/recorder.ts";
import { Column, countBelow, countUpTo } from "../columns.ts";
import { COUNTED, StateCounts } from "./counts.ts";
import { Idle } from "./idle.ts";

export class Timeline {
  /** Grows with each append: code that draws from it compares this to detect changes. */
  revision = 0;
  /** The newest instant. */
  nowMs = 0;
  readonly texts: string[] = [];
  readonly jobs: JobRecord[] = [];
  readonly flags: FlagRecord[] = [];
  readonly podNames: string[] = [];
  readonly pods = {
    job: new Column("int32"),
    index: new Column("int32"),
    attempt: new Column("int32"),
    createdMs: new Column("float64"),
    decision: new Column("int32"),
    /** First and last transition. */
    first: new Column("int32"),
    last: new Column("int32"),
  };
  readonly transitions = {
    pod: new Column("int32"),
    atMs: new Column("float64"),
    state: new Column("uint8"),
    detail: new Column("int32"),
    restarts: new Column("int32"),
    node: new Column("int32"),
    decision: new Column("int32"),
    /** The next one of the same pod and the one before, or NONE. */
    next: new Column("int32"),
    previous: new Column("int32"),
  };
  readonly versions = {
    job: new Column("int32"),
    atMs: new Column("float64"),
    active: new Column("int32"),
    ready: new Column("int32"),
    terminating: new Column("int32"),
    succeeded: new Column("int32"),
    failed: new Column("int32"),
    phase: new Column("uint8"),
    completions: new Column("int32"),
    parallelism: new Column("int32"),
    decision: new Column("int32"),
  };
  readonly decisions = {
    job: new Column("int32"),
    atMs: new Column("float64"),
    code: new Column("int32"),
    nextMs: new Column("float64"),
  };
  readonly events = {
    job: new Column("int32"),
    atMs: new Column("float64"),
    reason: new Column("int32"),
    isWarning: new Column("uint8"),
    decision: new Column("int32"),
  };
  readonly gaps = {
    job: new Column("int32"),
    index: new Column("int32"),
    fromMs: new Column("float64"),
    untilMs: new Column("float64"),
    decision: new Column("int32"),
  };
  readonly nodes = { node: new Column("int32"), atMs: new Column("float64"), state: new Column("uint8") };
  readonly counts = new StateCounts();
  readonly idle = new Idle();

  append(chunk: Chunk, nowMs: number): void {
    this.revision++;
    for (const text of chunk.texts) this.texts.push(text);
    for (const job of chunk.jobs) this.jobs.push(job);
    for (const flag of chunk.flags) this.flags.push(flag);
    this.#appendPods(chunk);
    this.#appendTransitions(chunk);
    appendAll(this.versions, chunk.versions);
    appendAll(this.decisions, chunk.decisions);
    appendAll(this.events, chunk.events);
    appendAll(this.gaps, chunk.gaps);
    appendAll(this.nodes, chunk.nodes);
    this.#learn(chunk.late);
    this.idle.append([
      chunk.transitions.atMs,
      chunk.versions.atMs,
      chunk.events.atMs,
      chunk.decisions.atMs,
      Float64Array.from(chunk.flags, ({ atMs }) => atMs),
    ]);
    this.nowMs = Math.max(this.nowMs, nowMs);
  }

  get podCount(): number {
    return this.pods.job.length;
  }

  text(id: number): string {
    return id === NONE ? "" : (this.texts[id] ?? "");
  }

  /** The pod's last transition at or before the instant, or NONE: there is no such pod yet. */
  transitionAt(pod: number, atMs: number): number {
    const { next, previous } = this.transitions;
    const times = this.transitions.atMs.data;
    // Most questions are about the end or the beginning; pods have few transitions.
    let found = this.pods.last.at(pod);
    if (this.pods.createdMs.at(pod) > atMs) return NONE;
    while (found !== NONE && times[found]! > atMs) found = previous.at(found);
    while (found !== NONE && next.at(found) !== NONE && times[next.at(found)]! <= atMs) found = next.at(found);
    return found;
  }

  /** The pod's state; undefined before it was created. */
  stateAt(pod: number, atMs: number): PodState | undefined {
    const transition = this.transitionAt(pod, atMs);
    return transition === NONE ? undefined : (this.transitions.state.at(transition) as PodState);
  }

  /** Ids of the pod's transitions, in order. */
  *transitionsOf(pod: number): Generator<number> {
    for (let id = this.pods.first.at(pod); id !== NONE; id = this.transitions.next.at(id)) yield id;
  }

  /** When the state that began with this transition ended; `nowMs` if it has not. */
  untilMs(transition: number): number {
    const next = this.transitions.next.at(transition);
    return next === NONE ? this.nowMs : this.transitions.atMs.at(next);
  }

  /** The Job's last version at or before the instant, or NONE. */
  versionAt(job: number, atMs: number): number {
    const { atMs: times, job: jobs } = this.versions;
    let id = countUpTo(times.data, times.length, atMs) - 1;
    while (id >= 0 && jobs.at(id) !== job) id--;
    return id;
  }

  /** How many pods are in each state but GONE. */
  countsAt(atMs: number): Int32Array {
    const counts = new Int32Array(COUNTED);
    const { atMs: times } = this.transitions;
    this.counts.read(countUpTo(times.data, times.length, atMs), counts);
    return counts;
  }

  /** Ids of the decisions with `fromMs` ≤ time < `untilMs`: from the first number up to, without, the second. */
  decisionsBetween(fromMs: number, untilMs: number): readonly [from: number, to: number] {
    const { atMs } = this.decisions;
    return [countBelow(atMs.data, atMs.length, fromMs), countBelow(atMs.data, atMs.length, untilMs)];
  }

  eventsBetween(fromMs: number, untilMs: number): readonly [from: number, to: number] {
    const { atMs } = this.events;
    return [countBelow(atMs.data, atMs.length, fromMs), countBelow(atMs.data, atMs.length, untilMs)];
  }

  transitionsBetween(fromMs: number, untilMs: number): readonly [from: number, to: number] {
    const { atMs } = this.transitions;
    return [countBelow(atMs.data, atMs.length, fromMs), countBelow(atMs.data, atMs.length, untilMs)];
  }

  /** The next instant at which something was decided; undefined: none is recorded. */
  nextDecisionMs(afterMs: number): number | undefined {
    return nextOf(this.decisions.atMs, afterMs);
  }

  previousDecisionMs(beforeMs: number): number | undefined {
    return previousOf(this.decisions.atMs, beforeMs);
  }

  nextEventMs(afterMs: number): number | undefined {
    return nextOf(this.events.atMs, afterMs);
  }

  #appendPods({ pods: from }: Chunk): void {
    const { pods } = this;
    pods.job.append(from.job);
    pods.index.append(from.index);
    pods.attempt.append(from.attempt);
    pods.createdMs.append(from.createdMs);
    pods.decision.append(from.decision);
    const none = new Int32Array(from.job.length).fill(NONE);
    pods.first.append(none);
    pods.last.append(none);
    if (from.job.length > 0) for (const name of from.names.split("\n")) this.podNames.push(name);
  }

  /** Decisions that became known after their rows. */
  #learn({ table, row, decision }: LateColumns): void {
    const columns = {
      [LateTable.TRANSITION]: this.transitions.decision,
      [LateTable.VERSION]: this.versions.decision,
      [LateTable.EVENT]: this.events.decision,
      [LateTable.POD]: this.pods.decision,
      [LateTable.GAP]: this.gaps.decision,
    };
    for (let i = 0; i < row.length; i++) columns[table[i] as LateTable].data[row[i]!] = decision[i]!;
  }

  #appendTransitions({ transitions: from }: Chunk): void {
    const { transitions, pods, counts } = this;
    const start = transitions.pod.length;
    transitions.pod.append(from.pod);
    transitions.atMs.append(from.atMs);
    transitions.state.append(from.state);
    transitions.detail.append(from.detail);
    transitions.restarts.append(from.restarts);
    transitions.node.append(from.node);
    transitions.decision.append(from.decision);
    const none = new Int32Array(from.pod.length).fill(NONE);
    transitions.next.append(none);
    transitions.previous.append(none);
    for (let i = 0; i < from.pod.length; i++) {
      const id = start + i;
      const pod = from.pod[i]!;
      const before = pods.last.at(pod);
      if (before === NONE) pods.first.data[pod] = id;
      else {
        transitions.previous.data[id] = before;
        transitions.next.data[before] = id;
      }
      pods.last.data[pod] = id;
      counts.append(before === NONE ? PodState.GONE : transitions.state.at(before), from.state[i]!);
    }
  }
}

function appendAll<K extends string>(
  columns: { readonly [key in K]: Column | Column<"float64"> | Column<"uint8"> },
  from: { readonly [key in K]: Int32Array | Float64Array | Uint8Array },
): void {
  for (const key of Object.keys(columns) as K[]) (columns[key] as Column).append(from[key] as Int32Array);
}

function nextOf(times: Column<"float64">, afterMs: number): number | undefined {
  const id = countUpTo(times.data, times.length, afterMs);
  return id < times.length ? times.at(id) : undefined;
}

function previousOf(times: Column<"float64">, beforeMs: number): number | undefined {
  const id = countBelow(times.data, times.length, beforeMs) - 1;
  return id >= 0 ? times.at(id) : undefined;
}
