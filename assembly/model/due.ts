/** The common part of the records that can wait for a time. The queue is in queue/due-heap.ts. */

/** An item that can wait in the heap. Zeroed memory is an item that does not wait. */
@unmanaged
export class Due {
  /** When it is due, on the clock of `now`. It means nothing while the item does not wait. */
  dueMs: f64;
  /** The order among items with the same due time. */
  sequence: f64;
  /** Its place in the heap, from 1; 0: it does not wait. */
  place: i32;
  /** What kind of item this is: DUE_*. */
  dueKind: u8;
}

export const DUE_JOB: u8 = 1;
export const DUE_FINALIZER: u8 = 2;
/** A finished Job whose TTL ends at that time. */
export const DUE_REMOVAL: u8 = 3;
