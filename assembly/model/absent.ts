/** How an absent number is kept where 0 is a value of its own. */

/** spec.completions is unset: a work queue. */
export const NO_COMPLETIONS: i32 = -1;
/** status.ready, status.terminating: the pointer is nil. */
export const ABSENT: i32 = -1;
/** A pod without a valid completion index. */
export const NO_INDEX: i32 = -1;
