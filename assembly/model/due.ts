/** What can wait for a moment: see queue/due-heap.ts. */

/** What can wait in the heap. Zeroed memory is an item that does not wait. */
@unmanaged
export class Due {
  /** On the clock of `now`; only meaningful while it waits. */
  dueMs: f64;
  /** Order among equal moments. */
  sequence: f64;
  /** Place in the heap, from 1; 0: it does not wait. */
  place: i32;
  /** What this is: DUE_*. */
  dueKind: u8;
}

export const DUE_JOB: u8 = 1;
export const DUE_FINALIZER: u8 = 2;
/** A finished Job whose time to live is over. */
export const DUE_REMOVAL: u8 = 3;
