/**
 * The metrics: one table of families, and one flat slab of numbers behind it. A series is a cell: how often it was
 * touched, the sum of what was added and, for a histogram, one count per bucket. The table has the labels of each
 * family.
 *
 * Invariant: memory has a bound. Every label has a closed list of values, or at most MAX_MET_VALUES and the last one,
 * `other`. What is counted when is left to observe.ts, and the text, names and help to write-families.ts, which the
 * core does without. Source: docs/spec/controller.md sections 9 and 10.
 */
import { blobAt, blobsEqual, blobSize, copyOf } from "../memory/blob";

export const SYNCS: i32 = 0;
export const SYNC_DURATION: i32 = 1;
export const JOBS_FINISHED: i32 = 2;
export const EXTERNAL_JOBS: i32 = 3;
export const PODS_FINISHED: i32 = 4;
export const FAILURES_HANDLED: i32 = 5;
export const TERMINATED_PODS: i32 = 6;
export const FINISHED_INDEXES: i32 = 7;
export const PODS_CREATION: i32 = 8;
export const STALE_SYNCS: i32 = 9;
export const REMOVAL_DELAY: i32 = 10;
export const QUEUE_ADDS: i32 = 11;
export const QUEUE_RETRIES: i32 = 12;
export const JOB_DURATION: i32 = 13;

/**
 * The labels of each family with their values. The value of the first label varies fastest. `*`: the label has no
 * closed list of values.
 */
const LABELS: StaticArray<string> = [
  "completion_mode=NonIndexed,Indexed;result=success,error;action=reconciling,tracking,pods_created,pods_deleted",
  "completion_mode=NonIndexed,Indexed;result=success,error;action=reconciling,tracking,pods_created,pods_deleted",
  "completion_mode=NonIndexed,Indexed;result=succeeded,failed;reason=BackoffLimitExceeded,DeadlineExceeded,PodFailurePolicy,FailedIndexes,MaxFailedIndexesExceeded,SuccessPolicy,CompletionsReached,other",
  "controller_name=*",
  "completion_mode=NonIndexed,Indexed;result=succeeded,failed",
  "action=Ignore,Count,FailIndex,FailJob",
  "event=add,delete",
  "status=succeeded,failed;backoffLimit=global,perIndex",
  "reason=new,recreate_terminating_or_failed,recreate_failed;status=succeeded,failed",
  "group=,batch;resource=pods,jobs",
  "",
  "name=job,job_orphan_pod,ttl_jobs_to_delete",
  "name=job,job_orphan_pod,ttl_jobs_to_delete",
  "completion_mode=NonIndexed,Indexed;result=succeeded,failed",
];
export const FAMILY_COUNT: i32 = 14;

/** The most values of a label without a closed list. Further values count as `other`, which has this place. */
export const MAX_MET_VALUES: i32 = 64;
/** The API's limit for spec.managedBy. A longer value is `other`. */
const MAX_MET_VALUE_BYTES: u32 = 63;

/** A cell has touches, sum and buckets, each an f64: this many are before the buckets. */
export const CELL_HEADER: i32 = 2;

/** Where the cells of each family begin, i32 each. */
const begins = memory.data(4 * 14, 4);
const met = memory.data(sizeof<usize>() * 64, 8);
let metCount: i32 = 0;
const cells = layOut();

/** How many buckets a histogram has besides +Inf, each twice as wide as the one before; 0: the family is a counter. */
export function boundsOf(family: i32): i32 {
  if (family == SYNC_DURATION) return 15;
  if (family == JOB_DURATION) return 24;
  return family == REMOVAL_DELAY ? 14 : 0;
}

/** The first bound of a histogram. */
export function firstBoundMs(family: i32): i64 {
  if (family == SYNC_DURATION) return 4;
  return family == JOB_DURATION ? 10 : 100;
}

/** Adds to a series. `amount` is the number to count, or the milliseconds to observe. */
export function add(family: i32, series: i32, amount: f64): void {
  const cell = cellOf(family, series);
  store<f64>(cell, load<f64>(cell) + 1);
  store<f64>(cell, load<f64>(cell, 8) + amount, 8);
  const bounds = boundsOf(family);
  if (bounds == 0) return;
  let bound = 0;
  while (bound < bounds && i64(amount) > firstBoundMs(family) << bound) ++bound;
  if (bound == bounds) return;
  const bucket = cell + (usize(CELL_HEADER + bound) << 3);
  store<f64>(bucket, load<f64>(bucket) + 1);
}

/** The series for this value (a blob), in a family whose only label has no closed list. */
export function seriesMet(value: usize): i32 {
  for (let i = 0; i < metCount; ++i) {
    if (blobsEqual(metValue(i), value)) return i;
  }
  if (metCount == MAX_MET_VALUES || blobSize(value) > MAX_MET_VALUE_BYTES) return MAX_MET_VALUES;
  store<usize>(met + usize(metCount) * sizeof<usize>(), copyOf(value));
  return metCount++;
}

/**
 * The place of a value in the closed list of a family's last label. For a value that is not in the list, it is the
 * place of the last one.
 */
export function lastLabelValue(family: i32, value: usize): i32 {
  const text = labelsOf(family);
  let at = text.lastIndexOf("=") + 1;
  let place = 0;
  while (true) {
    const end = endOf(text, at, text.length, ",");
    if (end == text.length || isValue(text, at, end, value)) return place;
    at = end + 1;
    ++place;
  }
}

// ── the slab ────────────────────────────────────────────────────────────────────────────────────────

function layOut(): usize {
  let end = 0;
  for (let family = 0; family < FAMILY_COUNT; ++family) {
    store<i32>(begins + (usize(family) << 2), end);
    end += seriesIn(labelsOf(family)) * (CELL_HEADER + boundsOf(family));
  }
  const size = usize(end) << 3;
  const slab = heap.alloc(size);
  memory.fill(slab, 0, size);
  return slab;
}

/** Where the numbers of a series are. */
export function cellOf(family: i32, series: i32): usize {
  const begin = load<i32>(begins + (usize(family) << 2));
  return cells + (usize(begin + series * (CELL_HEADER + boundsOf(family))) << 3);
}

/** The blob of a value that seriesMet has met. */
export function metValue(place: i32): usize {
  return load<usize>(met + usize(place) * sizeof<usize>());
}

// ── the table ───────────────────────────────────────────────────────────────────────────────────────

/** The labels of a family with their values; empty: it has none. */
export function labelsOf(family: i32): string {
  return LABELS[family];
}

/** How many series a family with these labels has: one for each combination of values. */
export function seriesIn(text: string): i32 {
  let count = 1;
  let at = text.indexOf("=");
  while (at >= 0) {
    const end = endOf(text, at, text.length, ";");
    count *= valuesIn(text, at, end);
    at = text.indexOf("=", end);
  }
  return count;
}

/** How many values the label between two places of a text has. */
export function valuesIn(text: string, from: i32, until: i32): i32 {
  if (text.charCodeAt(until - 1) == 0x2a) return MAX_MET_VALUES + 1;
  let count = 1;
  for (let i = from; i < until; ++i) {
    if (text.charCodeAt(i) == 0x2c) ++count;
  }
  return count;
}

/** The place of the next separator; `until` when there is none before it. */
export function endOf(text: string, from: i32, until: i32, separator: string): i32 {
  const end = text.indexOf(separator, from);
  return end < 0 || end > until ? until : end;
}

function isValue(text: string, from: i32, until: i32, value: usize): bool {
  if (u32(until - from) != blobSize(value)) return false;
  for (let i = from; i < until; ++i) {
    if (text.charCodeAt(i) != load<u8>(blobAt(value) + usize(i - from))) return false;
  }
  return true;
}
