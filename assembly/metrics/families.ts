/**
 * The metrics, with upstream's names where upstream has them: one table of families, and one flat slab of numbers
 * behind it. A series is a cell: how often it was touched, the sum of what was added and, for a histogram, one count
 * per bucket. The table has the name and the labels of each family. It is read when the metrics are written, never when
 * something is counted.
 *
 * Invariant: memory has a bound. Every label has a closed list of values, or at most MAX_MET_VALUES and OTHER. What is
 * counted when is left to observe.ts. Source: docs/spec/controller.md sections 9 and 10. Format: bindings/ABI.md,
 * "metrics".
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, DOT, OPEN_BRACKET, QUOTE } from "../json/punctuation";
import { Writer } from "../json/writer";
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
 * Name, help, and the labels with their values. The value of the first label varies fastest. `*`: the label has no
 * closed list of values.
 */
const FAMILIES: StaticArray<string> = [
  "job_controller_job_syncs_total;Syncs of Jobs that have ended;completion_mode=NonIndexed,Indexed;result=success,error;action=reconciling,tracking,pods_created,pods_deleted",
  "job_controller_job_sync_duration_seconds;Time from the start of a sync to the answer to its last request;completion_mode=NonIndexed,Indexed;result=success,error;action=reconciling,tracking,pods_created,pods_deleted",
  "job_controller_jobs_finished_total;Jobs that have ended;completion_mode=NonIndexed,Indexed;result=succeeded,failed;reason=BackoffLimitExceeded,DeadlineExceeded,PodFailurePolicy,FailedIndexes,MaxFailedIndexesExceeded,SuccessPolicy,CompletionsReached,other",
  "job_controller_jobs_by_external_controller_total;Jobs that another controller manages;controller_name=*",
  "job_controller_job_pods_finished_total;Pods that have ended and are counted in a status;completion_mode=NonIndexed,Indexed;result=succeeded,failed",
  "job_controller_pod_failures_handled_by_failure_policy_total;Failed pods about which a rule of a podFailurePolicy has decided;action=Ignore,Count,FailIndex,FailJob",
  "job_controller_terminated_pods_tracking_finalizer_total;Pods that have ended with the tracking finalizer (add), and that have lost it since or are gone (delete);event=add,delete",
  "job_controller_job_finished_indexes_total;Completion indexes that are decided;status=succeeded,failed;backoffLimit=global,perIndex",
  "job_controller_job_pods_creation_total;Requests to create a pod;reason=new,recreate_terminating_or_failed,recreate_failed;status=succeeded,failed",
  "job_controller_stale_sync_skips_total;Syncs that left pods alone because a watch was behind;group=,batch;resource=pods,jobs",
  "ttl_after_finished_controller_job_deletion_duration_seconds;Time from the end of a Job's time to live to its deletion",
  "workqueue_adds_total;Items that became due;name=job,job_orphan_pod,ttl_jobs_to_delete",
  "workqueue_retries_total;Items that are tried again after a failure;name=job,job_orphan_pod,ttl_jobs_to_delete",
  "stint_job_duration_seconds;Time from the creation of a Job to its final condition;completion_mode=NonIndexed,Indexed;result=succeeded,failed",
];
const FAMILY_COUNT: i32 = 14;

/** The most values of a label without a closed list. Further values count as OTHER. */
const MAX_MET_VALUES: i32 = 64;
/** The API's limit for spec.managedBy. A longer value is OTHER. */
const MAX_MET_VALUE_BYTES: u32 = 63;
const OTHER = "other";

// A cell has touches, sum and buckets, each an f64.
const CELL_HEADER: i32 = 2;

/** Where the cells of each family begin, i32 each. */
const begins = memory.data(4 * 14, 4);
const met = memory.data(sizeof<usize>() * 64, 8);
let metCount: i32 = 0;
const cells = layOut();

/** How many buckets a histogram has besides +Inf, each twice as wide as the one before; 0: the family is a counter. */
function boundsOf(family: i32): i32 {
  if (family == SYNC_DURATION) return 15;
  if (family == JOB_DURATION) return 24;
  return family == REMOVAL_DELAY ? 14 : 0;
}

function firstBoundMs(family: i32): i64 {
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
  const text = FAMILIES[family];
  let at = text.lastIndexOf("=") + 1;
  let place = 0;
  while (true) {
    const end = endOf(text, at, text.length, ",");
    if (end == text.length || isValue(text, at, end, value)) return place;
    at = end + 1;
    ++place;
  }
}

/** Writes all families as a JSON array. */
export function writeFamilies(to: Writer): void {
  to.byte(OPEN_BRACKET);
  for (let family = 0; family < FAMILY_COUNT; ++family) {
    if (family > 0) to.byte(COMMA);
    writeFamily(to, family);
  }
  to.byte(CLOSE_BRACKET);
}

function writeFamily(to: Writer, family: i32): void {
  const text = FAMILIES[family];
  const bounds = boundsOf(family);
  const nameEnd = endOf(text, 0, text.length, ";");
  const helpEnd = endOf(text, nameEnd + 1, text.length, ";");
  to.text('{"name":"');
  to.part(text, 0, nameEnd);
  to.text(bounds > 0 ? '","type":"histogram","help":"' : '","type":"counter","help":"');
  to.part(text, nameEnd + 1, helpEnd);
  to.text('","labels":[');
  for (let at = helpEnd + 1; at < text.length; at = endOf(text, at, text.length, ";") + 1) {
    if (at > helpEnd + 1) to.byte(COMMA);
    quotePart(to, text, at, endOf(text, at, text.length, "="));
  }
  if (bounds > 0) to.text('],"bounds":[');
  for (let bound = 0; bound < bounds; ++bound) {
    if (bound > 0) to.byte(COMMA);
    writeSeconds(to, firstBoundMs(family) << bound);
  }
  to.text('],"samples":[');
  const hasLabels = helpEnd < text.length;
  const count = seriesIn(text);
  let any = false;
  for (let series = 0; series < count; ++series) {
    // A series is shown once it was touched. One without labels is always shown.
    if (hasLabels && load<f64>(cellOf(family, series)) == 0) continue;
    if (any) to.byte(COMMA);
    any = true;
    to.text('{"labels":[');
    writeLabels(to, text, helpEnd + 1, series);
    writeCell(to, cellOf(family, series), bounds);
  }
  to.text("]}");
}

function writeLabels(to: Writer, text: string, from: i32, series: i32): void {
  let rest = series;
  for (let at = from; at < text.length;) {
    const end = endOf(text, at, text.length, ";");
    const count = valuesIn(text, at, end);
    if (at > from) to.byte(COMMA);
    writeValue(to, text, text.indexOf("=", at) + 1, end, rest % count);
    rest /= count;
    at = end + 1;
  }
}

function writeValue(to: Writer, text: string, from: i32, until: i32, place: i32): void {
  if (text.charCodeAt(from) == 0x2a) {
    if (place == MAX_MET_VALUES) quotePart(to, OTHER, 0, OTHER.length);
    else to.quotedBlob(metValue(place));
    return;
  }
  let at = from;
  for (let i = 0; i < place; ++i) at = endOf(text, at, until, ",") + 1;
  quotePart(to, text, at, endOf(text, at, until, ","));
}

function writeCell(to: Writer, cell: usize, bounds: i32): void {
  if (bounds == 0) {
    to.text('],"value":');
    to.number(load<f64>(cell, 8));
    to.byte(CLOSE_BRACE);
    return;
  }
  to.text('],"buckets":[');
  let cumulative: f64 = 0;
  for (let bound = 0; bound < bounds; ++bound) {
    if (bound > 0) to.byte(COMMA);
    cumulative += load<f64>(cell + (usize(CELL_HEADER + bound) << 3));
    to.number(cumulative);
  }
  to.text('],"sum":');
  writeSeconds(to, i64(load<f64>(cell, 8)));
  to.text(',"count":');
  to.number(load<f64>(cell));
  to.byte(CLOSE_BRACE);
}

// Writes milliseconds as seconds: `4`, `0.004`.
function writeSeconds(to: Writer, ms: i64): void {
  to.integer(ms / 1000);
  if (ms % 1000 == 0) return;
  to.byte(DOT);
  for (let unit: i64 = 100; unit > 0; unit /= 10) to.byte(0x30 + u32((ms / unit) % 10));
}

function quotePart(to: Writer, text: string, from: i32, until: i32): void {
  to.byte(QUOTE);
  to.part(text, from, until);
  to.byte(QUOTE);
}

// ── the slab ────────────────────────────────────────────────────────────────────────────────────────

function layOut(): usize {
  let end = 0;
  for (let family = 0; family < FAMILY_COUNT; ++family) {
    store<i32>(begins + (usize(family) << 2), end);
    end += seriesIn(FAMILIES[family]) * (CELL_HEADER + boundsOf(family));
  }
  const size = usize(end) << 3;
  const slab = heap.alloc(size);
  memory.fill(slab, 0, size);
  return slab;
}

function cellOf(family: i32, series: i32): usize {
  const begin = load<i32>(begins + (usize(family) << 2));
  return cells + (usize(begin + series * (CELL_HEADER + boundsOf(family))) << 3);
}

function metValue(place: i32): usize {
  return load<usize>(met + usize(place) * sizeof<usize>());
}

// ── the table ───────────────────────────────────────────────────────────────────────────────────────

// How many series a family has: one for each combination of label values.
function seriesIn(text: string): i32 {
  let count = 1;
  let at = text.indexOf("=");
  while (at >= 0) {
    const end = endOf(text, at, text.length, ";");
    count *= valuesIn(text, at, end);
    at = text.indexOf("=", end);
  }
  return count;
}

function valuesIn(text: string, from: i32, until: i32): i32 {
  if (text.charCodeAt(until - 1) == 0x2a) return MAX_MET_VALUES + 1;
  let count = 1;
  for (let i = from; i < until; ++i) {
    if (text.charCodeAt(i) == 0x2c) ++count;
  }
  return count;
}

function endOf(text: string, from: i32, until: i32, separator: string): i32 {
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
