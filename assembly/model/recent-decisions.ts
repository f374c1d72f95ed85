/**
 * The recent decisions about a Job, so that `explain` can say since when and how often. A ring buffer keeps the last
 * RING_ENTRIES decisions, and a separate entry the one that fails and is retried. trace/ defines the decisions, and
 * what counts as a new one.
 */
import { copyOf, dropBlob, freeBlob } from "../memory/blob";
import { release, zeroed } from "../memory/records";

/** How many decisions are kept for each Job. */
const RING_ENTRIES: u32 = 12;
/** Two numbers of decisions precede the ring: the expected one, and the one that ended the Job. */
const HEAD_BYTES: u32 = 8;
const ENDING_AT: u32 = 4;

/** One decision with its numbers, and when it was made. */
@unmanaged
export class RecentDecision {
  /** NaN: the decision has no such number. */
  number0: f64;
  number1: f64;
  number2: f64;
  number3: f64;
  atMs: f64;
  /** When the Job is synced next without an event, wall clock; NaN: only an event causes a sync. */
  nextMs: f64;
  /** A blob that this record owns, or 0. */
  text: usize;
  /** The decision: the address of a row of trace/decisions.ts. */
  decision: usize;
  /** Its number: decisions of all Jobs count up from 1. */
  id: u32;

  /** The address of its four numbers. */
  get numbers(): usize {
    return changetype<usize>(this) + offsetof<RecentDecision>("number0");
  }
}

/** The last decisions of one Job. Zeroed memory is an empty ring. */
@unmanaged
export class RecentDecisions {
  private entries: usize;
  private count: u32;
  /**
   * The decision that fails: its HTTP status, how often it was tried, since when; the fourth number is free. null:
   * nothing fails.
   */
  trouble: RecentDecision | null;

  free(): void {
    this.forgetTrouble();
    for (let i: u32 = 0; i < min(this.count, RING_ENTRIES); ++i) freeBlob(this.slot(i).text);
    if (this.entries != 0) heap.free(this.entries);
    this.entries = 0;
    this.count = 0;
  }

  /** The number that is reserved for the next decision; 0: none is. */
  get expected(): u32 {
    return this.entries == 0 ? 0 : load<u32>(this.entries);
  }

  expect(id: u32): void {
    store<u32>(this.head(), id);
  }

  /** The number of the decision that ends the Job; 0: there was none yet. */
  get ending(): u32 {
    return this.entries == 0 ? 0 : load<u32>(this.entries + ENDING_AT);
  }

  noteEnding(id: u32): void {
    store<u32>(this.head() + ENDING_AT, id);
  }

  get length(): u32 {
    return min(this.count, RING_ENTRIES);
  }

  /** Entry `i` from the oldest that is kept. */
  at(i: u32): RecentDecision {
    return this.slot((this.count - this.length + i) % RING_ENTRIES);
  }

  /** The newest entry; null: there is none. */
  get last(): RecentDecision | null {
    return this.count > 0 ? this.slot((this.count - 1) % RING_ENTRIES) : null;
  }

  /** A new entry, which the caller fills. When the ring is full, it takes the place of the oldest. */
  push(): RecentDecision {
    this.head();
    const entry = this.slot(this.count++ % RING_ENTRIES);
    entry.text = dropBlob(entry.text);
    return entry;
  }

  /** Notes a failure. The first failure of a kind sets the time. Every one sets the text and the status. */
  noteTrouble(decision: usize, text: usize, status: f64, atMs: f64): void {
    let trouble = this.trouble;
    if (trouble === null || trouble.decision != decision) {
      this.forgetTrouble();
      trouble = zeroed<RecentDecision>();
      trouble.decision = decision;
      trouble.number2 = atMs;
      this.trouble = trouble;
    }
    freeBlob(trouble.text);
    trouble.text = copyOf(text);
    trouble.number0 = status;
    trouble.number1 += 1;
  }

  /** Nothing fails any more. */
  forgetTrouble(): void {
    const trouble = this.trouble;
    if (trouble === null) return;
    freeBlob(trouble.text);
    release<RecentDecision>(trouble);
    this.trouble = null;
  }

  // The address of the numbers before the ring, which is made if there is none yet.
  private head(): usize {
    if (this.entries == 0) {
      const bytes = HEAD_BYTES + RING_ENTRIES * offsetof<RecentDecision>();
      this.entries = heap.alloc(bytes);
      memory.fill(this.entries, 0, bytes);
    }
    return this.entries;
  }

  private slot(i: u32): RecentDecision {
    return changetype<RecentDecision>(this.entries + HEAD_BYTES + usize(i) * offsetof<RecentDecision>());
  }
}
