/**
 * The families of metrics as text, with upstream's names where upstream has them. Invariant: it only reads the slab of
 * families.ts. Format: bindings/ABI.md, "metrics".
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, DOT, OPEN_BRACKET, QUOTE } from "../json/punctuation";
import { Writer } from "../json/writer";
import {
  boundsOf,
  CELL_HEADER,
  cellOf,
  endOf,
  FAMILY_COUNT,
  firstBoundMs,
  labelsOf,
  MAX_MET_VALUES,
  metValue,
  seriesIn,
  valuesIn,
} from "./families";

/** Name and help of each family. */
const NAMES: StaticArray<string> = [
  "job_controller_job_syncs_total;Syncs of Jobs that have ended",
  "job_controller_job_sync_duration_seconds;Time from the start of a sync to the answer to its last request",
  "job_controller_jobs_finished_total;Jobs that have ended",
  "job_controller_jobs_by_external_controller_total;Jobs that another controller manages",
  "job_controller_job_pods_finished_total;Pods that have ended and are counted in a status",
  "job_controller_pod_failures_handled_by_failure_policy_total;Failed pods about which a rule of a podFailurePolicy has decided",
  "job_controller_terminated_pods_tracking_finalizer_total;Pods that have ended with the tracking finalizer (add), and that have lost it since or are gone (delete)",
  "job_controller_job_finished_indexes_total;Completion indexes that are decided",
  "job_controller_job_pods_creation_total;Requests to create a pod",
  "job_controller_stale_sync_skips_total;Syncs that left pods alone because a watch was behind",
  "ttl_after_finished_controller_job_deletion_duration_seconds;Time from the end of a Job's time to live to its deletion",
  "workqueue_adds_total;Items that became due",
  "workqueue_retries_total;Items that are tried again after a failure",
  "stint_job_duration_seconds;Time from the creation of a Job to its final condition",
];

/** The value for which a label without a closed list has no place left. */
const OTHER = "other";

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
  const name = NAMES[family];
  const nameEnd = endOf(name, 0, name.length, ";");
  const text = labelsOf(family);
  const bounds = boundsOf(family);
  to.text('{"name":"');
  to.part(name, 0, nameEnd);
  to.text(bounds > 0 ? '","type":"histogram","help":"' : '","type":"counter","help":"');
  to.part(name, nameEnd + 1, name.length);
  to.text('","labels":[');
  for (let at = 0; at < text.length; at = endOf(text, at, text.length, ";") + 1) {
    if (at > 0) to.byte(COMMA);
    quotePart(to, text, at, endOf(text, at, text.length, "="));
  }
  if (bounds > 0) to.text('],"bounds":[');
  for (let bound = 0; bound < bounds; ++bound) {
    if (bound > 0) to.byte(COMMA);
    writeSeconds(to, firstBoundMs(family) << bound);
  }
  to.text('],"samples":[');
  const count = seriesIn(text);
  let any = false;
  for (let series = 0; series < count; ++series) {
    // A series is shown once it was touched. One without labels is always shown.
    if (text.length > 0 && load<f64>(cellOf(family, series)) == 0) continue;
    if (any) to.byte(COMMA);
    any = true;
    to.text('{"labels":[');
    writeLabels(to, text, series);
    writeCell(to, cellOf(family, series), bounds);
  }
  to.text("]}");
}

function writeLabels(to: Writer, text: string, series: i32): void {
  let rest = series;
  for (let at = 0; at < text.length;) {
    const end = endOf(text, at, text.length, ";");
    const count = valuesIn(text, at, end);
    if (at > 0) to.byte(COMMA);
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
