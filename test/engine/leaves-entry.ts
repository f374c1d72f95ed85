/**
 * A module of the engine's leaves alone, for property tests and benches: `scripts/build-engine.ts` compiles it to
 * build/leaves.wasm with the options of the engine.
 *
 * Every function is the thinnest possible way in; objects cross as addresses. Leaves out everything that has state
 * across Jobs: that is tested through the engine itself.
 */
// First of all, as in the engine.
import "../../assembly/memory/packed-text";
import { abort } from "../../assembly/memory/abort";
import { BackoffRecord, BackoffUpdate, remainingBackoffMs } from "../../assembly/model/backoff";
import { hashBytes } from "../../assembly/memory/hash";
import { firstOverlap, IntervalFinding, validateIntervals } from "../../assembly/intervals/interval-validation";
import { IntervalSet } from "../../assembly/intervals/intervals";
import { comparePodRanks, PodRank } from "../../assembly/model/pod-ranking";
import { parseTime, writeMicroTime, writeTime } from "../../assembly/time/rfc3339";

export { trap_message } from "../../assembly/memory/abort";
export { hashBytes, firstOverlap, parseTime, remainingBackoffMs, writeMicroTime, writeTime };

/** Zeroed memory, which is an empty set, record or update. */
export function allocate(bytes: usize): usize {
  const at = heap.alloc(bytes);
  memory.fill(at, 0, bytes);
  return at;
}

export function release(at: usize): void {
  heap.free(at);
}

export function abortWith(utf8: usize, length: usize): void {
  abort(String.UTF8.decodeUnsafe(utf8, length), "file.ts", 345, 12);
}

export function setParse(set: usize, text: usize, length: usize, completions: i32): void {
  changetype<IntervalSet>(set).parse(text, length, completions);
}

export function setFormat(set: usize, to: usize): usize {
  return changetype<IntervalSet>(set).format(to);
}

export function setFormattedBytesMax(set: usize): usize {
  return changetype<IntervalSet>(set).formattedBytesMax();
}

export function setEqualsText(set: usize, text: usize, length: usize): bool {
  return changetype<IntervalSet>(set).equalsText(text, length);
}

export function setAdd(set: usize, index: i32): bool {
  return changetype<IntervalSet>(set).add(index);
}

export function setAddRange(set: usize, first: i32, last: i32): void {
  changetype<IntervalSet>(set).addRange(first, last);
}

export function setAddSet(set: usize, other: usize): void {
  changetype<IntervalSet>(set).addSet(changetype<IntervalSet>(other));
}

export function setClamp(set: usize, completions: i32): void {
  changetype<IntervalSet>(set).clamp(completions);
}

export function setContains(set: usize, index: i32): bool {
  return changetype<IntervalSet>(set).contains(index);
}

export function setFirstMissingFrom(set: usize, index: i32): i32 {
  return changetype<IntervalSet>(set).firstMissingFrom(index);
}

export function setCount(set: usize): i32 {
  return changetype<IntervalSet>(set).count;
}

export function setLength(set: usize): i32 {
  return changetype<IntervalSet>(set).length;
}

export function setCountCommon(set: usize, other: usize): i32 {
  return changetype<IntervalSet>(set).countCommon(changetype<IntervalSet>(other));
}

export function setFree(set: usize): void {
  changetype<IntervalSet>(set).free();
}

/** `finding` receives the six i32 fields of IntervalFinding in their order. */
export function validate(text: usize, length: usize, completions: i32, finding: usize): void {
  validateIntervals(text, length, completions, changetype<IntervalFinding>(finding));
}

/**
 * Feeds finished pods to a record: `pods` are pairs of f64 (1 succeeded, 0 failed; finish time).
 * The record is f64 lastFailureTimeMs, i32 failures.
 */
export function backoffUpdate(update: usize, pods: usize, length: i32, record: usize): void {
  const batch = changetype<BackoffUpdate>(update);
  batch.begin();
  for (let i = 0; i < length; i++) {
    const pod = pods + ((<usize>i) << 4);
    const finishTimeMs = load<f64>(pod, 8);
    if (load<f64>(pod) == 1) batch.succeeded(finishTimeMs);
    else batch.failed(finishTimeMs);
  }
  batch.applyTo(changetype<BackoffRecord>(record));
}

/** The ranks lie as PodRank declares them: f64, f64, i32, i32, i32, u8, u8, u8. */
export function compareRanks(a: usize, b: usize): i32 {
  return comparePodRanks(changetype<PodRank>(a), changetype<PodRank>(b));
}
