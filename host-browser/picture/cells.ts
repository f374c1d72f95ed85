/**
 * The state of each row at the playhead, without reading its history: every transition keeps its row's value before and
 * after it, so moving the playhead does or undoes the transitions between.
 *
 * Invariant: `values` are those after the first `position` transitions. Leaves out colours (heat-map.ts).
 */
import { NONE, PodState } from "../records.ts";
import { Column, countUpTo } from "../columns.ts";
import type { Rows, Track } from "./rows.ts";
import { isOver, isTerminal } from "./pod-ends.ts";
import type { Timeline } from "./timeline.ts";

/** How bad a state is; states without a number are normal for a pod. */
const TROUBLE: Readonly<Partial<Record<PodState, number>>> = {
  [PodState.TERMINATING]: 1,
  [PodState.WAITING]: 2,
  [PodState.FAILED]: 3,
};

const MAX_ATTEMPTS = 0xff_ff;

/** A row's value; 0: there was no pod yet. */
export interface CellValue {
  /** State of its newest pod. */
  readonly last: PodState;
  /** The worst state that any of its pods has been in; if all were normal, the same as `last`. */
  readonly worst: PodState;
  readonly attempts: number;
  /** How its newest pod ended, if that is deleted since; else the same as `last`. */
  readonly end: PodState;
}

export function unpack(value: number): CellValue | undefined {
  if (value === 0) return undefined;
  const last = ((value & 15) - 1) as PodState;
  const end = ((value >> 24) - 1) as PodState;
  return {
    last,
    worst: (((value >> 4) & 15) - 1) as PodState,
    attempts: (value >> 8) & MAX_ATTEMPTS,
    end: end < 0 ? last : end,
  };
}

function troubleOf(state: PodState): number {
  return TROUBLE[state] ?? 0;
}

export class Cells {
  readonly #timeline: Timeline;
  readonly #rows: Rows;
  /** For each pod: the place of its row in `values`. */
  readonly #slotOf = new Column("int32");
  readonly #newest = new Column("int32");
  readonly #head = new Column("int32");
  readonly #before = new Column("int32");
  readonly #after = new Column("int32");
  #values = new Int32Array(64);
  #position = 0;

  constructor(timeline: Timeline, rows: Rows) {
    this.#timeline = timeline;
    this.#rows = rows;
  }

  /** Reads new transitions; `rows` must have read them before. */
  update(): void {
    const { transitions, pods } = this.#timeline;
    for (let pod = this.#slotOf.length; pod < pods.job.length; pod++) {
      const before = this.#rows.before.at(pod);
      this.#slotOf.push(before === NONE ? this.#head.length : this.#slotOf.at(before));
      if (before !== NONE) continue;
      this.#head.push(0);
      this.#newest.push(NONE);
    }
    for (let id = this.#after.length; id < transitions.pod.length; id++) this.#read(id);
    if (this.#values.length < this.#head.length) {
      const values = new Int32Array(this.#head.length * 2);
      values.set(this.#values);
      this.#values = values;
    }
  }

  /** Moves to an instant; false: nothing changed. */
  seek(atMs: number): boolean {
    const { atMs: times, pod } = this.#timeline.transitions;
    const target = countUpTo(times.data, times.length, atMs);
    if (target === this.#position) return false;
    const slots = this.#slotOf.data;
    while (this.#position < target) {
      this.#values[slots[pod.data[this.#position]!]!] = this.#after.data[this.#position]!;
      this.#position++;
    }
    while (this.#position > target) {
      this.#position--;
      this.#values[slots[pod.data[this.#position]!]!] = this.#before.data[this.#position]!;
    }
    return true;
  }

  /** The value of a row at the instant of the last `seek`. */
  valueOf(track: Track, row: number): number {
    const pod = row < track.newest.length ? track.newest.data[row]! : NONE;
    return pod === NONE ? 0 : this.#values[this.#slotOf.data[pod]!]!;
  }

  #read(id: number): void {
    const { transitions } = this.#timeline;
    const pod = transitions.pod.at(id);
    const state = transitions.state.at(id) as PodState;
    const slot = this.#slotOf.at(pod);
    const value = this.#head.at(slot);
    let last = value & 15;
    let worst = (value >> 4) & 15;
    let attempts = (value >> 8) & MAX_ATTEMPTS;
    let end = value >> 24;
    if (transitions.previous.at(id) === NONE) {
      this.#newest.data[slot] = pod;
      attempts = Math.min(attempts + 1, MAX_ATTEMPTS);
      end = 0;
    }
    if (this.#newest.at(slot) === pod) last = state + 1;
    // A pod deleted while at work often fails in the same instant; that is no separate failure.
    const previous = transitions.previous.at(id);
    if (state === PodState.GONE && previous !== NONE && isOver(this.#timeline, previous)) {
      worst = (this.#before.at(previous) >> 4) & 15;
    } else if (state === PodState.GONE && previous !== NONE && this.#newest.at(slot) === pod) {
      const before = transitions.state.at(previous) as PodState;
      end = isTerminal(before) ? before + 1 : 0;
    }
    if (troubleOf(state) >= troubleOf((worst - 1) as PodState)) worst = state + 1;
    if (troubleOf((worst - 1) as PodState) === 0) worst = last;
    const after = last | (worst << 4) | (attempts << 8) | (end << 24);
    this.#before.push(value);
    this.#after.push(after);
    this.#head.data[slot] = after;
  }
}
