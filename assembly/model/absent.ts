/** Markers for an absent number, where 0 is a valid value. */

/** spec.completions is unset: the Job is a work queue. */
export const NO_COMPLETIONS: i32 = -1;
/** status.ready or status.terminating is absent (nil upstream). */
export const ABSENT: i32 = -1;
/** The pod has no valid completion index. */
export const NO_INDEX: i32 = -1;
