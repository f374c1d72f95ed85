/**
 * How many pods are in each state, at any instant: a count for each state at every CHECKPOINT-th transition, and the
 * transitions since then.
 *
 * Invariant: a checkpoint's counts are those before its transition. Leaves out the times: callers find the transition.
 */
import { PodState } from "../records.ts";
import { Column } from "../columns.ts";

/** States that are counted: all but GONE. */
export const COUNTED = PodState.GONE;

const CHECKPOINT = 512;

export class StateCounts {
  readonly #from = new Column("uint8");
  readonly #to = new Column("uint8");
  readonly #checkpoints = new Column("int32");
  readonly #newest = new Int32Array(COUNTED);

  /** Appends a transition; `from` is GONE for a new pod. */
  append(from: number, to: number): void {
    if (this.#from.length % CHECKPOINT === 0) this.#checkpoints.append(this.#newest);
    this.#from.push(from);
    this.#to.push(to);
    move(this.#newest, from, to);
  }

  /** Counts after the first `transitions` transitions, into `counts`, which has COUNTED entries. */
  read(transitions: number, counts: Int32Array): void {
    if (transitions >= this.#from.length) {
      counts.set(this.#newest);
      return;
    }
    const checkpoint = Math.floor(transitions / CHECKPOINT);
    counts.set(this.#checkpoints.data.subarray(checkpoint * COUNTED, (checkpoint + 1) * COUNTED));
    this.advance(counts, checkpoint * CHECKPOINT, transitions);
  }

  /** Changes counts after `from` transitions to those after `to`. */
  advance(counts: Int32Array, from: number, to: number): void {
    const before = this.#from.data;
    const after = this.#to.data;
    for (let id = from; id < to; id++) move(counts, before[id]!, after[id]!);
  }
}

function move(counts: Int32Array, from: number, to: number): void {
  if (from < COUNTED) counts[from]!--;
  if (to < COUNTED) counts[to]!++;
}
