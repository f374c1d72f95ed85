/**
 * When the next pod of a Job is created after a failure (docs/spec/controller.md 3.2, M6, M8), by upstream's constants.
 *
 * The controller keeps its backoff in memory, and no status contains it. All failed pods together determine it exactly.
 * If some are gone, only an upper bound is known. Invariant: a controller that has just started may create the pod
 * earlier, never later.
 */
import { IntervalSet } from "../intervals/intervals";
import { backoffMs, GROWN_BACKOFF_FAILURES, POD_BACKOFF_BASE_MS, POD_BACKOFF_MAX_MS } from "../model/backoff";
import { integerOf, StringSet } from "../json/text";
import { ABSENT, digitsEnd, JsonNode, objectOf, stringOf } from "../json/tree";
import { finishMs, PodTally } from "./pod-tally";

const MAX_ANNOTATION_DIGITS: i32 = 9;
const PREFIX = "batch.kubernetes.io/job-";

// Reused: the engine answers one question at a time.
const completedIndexes = changetype<IntervalSet>(memory.data(offsetof<IntervalSet>(), 8));
const failedIndexes = changetype<IntervalSet>(memory.data(offsetof<IntervalSet>(), 8));

/** The next try of a Job. */
export class Retry {
  /** Wall clock. It may be in the past. */
  nextMs: f64 = NaN;
  /** `nextMs` is the latest moment, and the pod may come before. */
  isBound: bool = false;
  /** When the last pod failed; NaN: not known. */
  sinceMs: f64 = NaN;
}

/** The next try of a Job whose pods have failed and of which none is active. `failed` is at least 1. */
export function nextTry(spec: JsonNode, status: JsonNode, tally: PodTally | null, failed: i64, nowMs: f64): Retry {
  const limitPerIndex = spec.integer("backoffLimitPerIndex");
  const retry = new Retry();
  if (tally !== null) {
    if (limitPerIndex != ABSENT) ofIndexes(retry, spec, status, tally);
    else if (i64(tally.failed.length) >= failed) ofJob(retry, tally);
  }
  if (!isNaN(retry.nextMs)) return retry;
  // Failures that a rule ignores lengthen the wait, and no status counts them.
  const known = limitPerIndex == ABSENT ? failed : min(failed, limitPerIndex);
  // After this many failures the wait no longer grows.
  const enough = i64(GROWN_BACKOFF_FAILURES);
  const failures = spec.has("podFailurePolicy") ? enough : min(known, enough);
  retry.nextMs = nowMs + backoffMs(i32(failures), POD_BACKOFF_BASE_MS, POD_BACKOFF_MAX_MS);
  retry.isBound = true;
  return retry;
}

function ofJob(retry: Retry, tally: PodTally): void {
  let successMs: f64 = -Infinity;
  for (let i = 0; i < tally.succeeded.length; i++) successMs = latest(successMs, finishMs(tally.succeeded[i]));
  let lastMs: f64 = NaN;
  let failures = 0;
  for (let i = 0; i < tally.failed.length; i++) {
    const endMs = finishMs(tally.failed[i]);
    if (!(endMs > successMs)) continue;
    ++failures;
    lastMs = latest(lastMs, endMs);
  }
  if (failures > 0) wait(retry, failures, lastMs);
}

// The first index that is tried again. Indexes that are over, or have another pod, do not wait.
function ofIndexes(retry: Retry, spec: JsonNode, status: JsonNode, tally: PodTally): void {
  readIndexes(completedIndexes, "completedIndexes", spec, status);
  readIndexes(failedIndexes, "failedIndexes", spec, status);
  const over = new StringSet();
  for (let i = 0; i < tally.succeeded.length; i++) over.add(annotation(tally.succeeded[i], "completion-index"));
  const last = new Map<string, JsonNode>();
  for (let i = 0; i < tally.failed.length; i++) {
    const pod = tally.failed[i];
    const index = annotation(pod, "completion-index");
    if (!last.has(index) || failuresOf(pod) >= failuresOf(last.get(index))) last.set(index, pod);
  }
  for (let i = 0; i < tally.failed.length; i++) {
    const pod = tally.failed[i];
    const index = annotation(pod, "completion-index");
    const number = numberIn(index);
    if (last.get(index) !== pod || over.has(index)) continue;
    if (completedIndexes.contains(number) || failedIndexes.contains(number)) continue;
    const candidate = new Retry();
    wait(candidate, failuresOf(pod) + 1, finishMs(pod));
    if (candidate.nextMs < retry.nextMs || isNaN(retry.nextMs)) {
      retry.nextMs = candidate.nextMs;
      retry.sinceMs = candidate.sinceMs;
    }
  }
}

function wait(retry: Retry, failures: i32, lastMs: f64): void {
  retry.sinceMs = lastMs;
  retry.nextMs = lastMs + backoffMs(failures, POD_BACKOFF_BASE_MS, POD_BACKOFF_MAX_MS);
}

function latest(a: f64, b: f64): f64 {
  return b > a || isNaN(a) ? b : a;
}

// How often the index had failed before this pod, ignored failures included.
function failuresOf(pod: JsonNode): i32 {
  return numberIn(annotation(pod, "index-failure-count")) + numberIn(annotation(pod, "index-ignored-failure-count"));
}

function numberIn(text: string): i32 {
  const size = text.length;
  return size > 0 && size <= MAX_ANNOTATION_DIGITS && digitsEnd(text, 0) == size ? i32(integerOf(text)) : 0;
}

function annotation(pod: JsonNode, name: string): string {
  return stringOf(objectOf(pod.object("metadata"), "annotations"), PREFIX + name);
}

// Reads a list of indexes of the status, like `1,3-5`.
function readIndexes(into: IntervalSet, name: string, spec: JsonNode, status: JsonNode): void {
  const text = String.UTF8.encode(status.string(name));
  const completions = max<i64>(0, min<i64>(spec.integer("completions"), i32.MAX_VALUE));
  into.parse(changetype<usize>(text), text.byteLength, i32(completions));
}
