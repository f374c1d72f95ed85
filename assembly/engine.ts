/**
 * The calls of the engine, as bindings/ABI.md fixes them. Each checks its arguments, sets the time, and calls the code
 * that does the work. None of that code has I/O, clocks or random numbers.
 */
import { BAD_JSON, lastRefusal, NOT_CONFIGURED, OUT_OF_ORDER, refuse, refuseTime, UNKNOWN_SOURCE } from "./abi/codes";
import { beginResult, endResult, resultOf } from "./abi/result";
import { review as reviewDocument, reviewError } from "./admission/review";
import { configureFrom, isConfigured } from "./model/configuration";
import { explainJob } from "./explain/explain";
import { collectGarbage, noteGarbage } from "./memory/garbage";
import { listBegin, listEnd, page, streamLost, watchLines } from "./ingest/documents";
import { findSource } from "./model/sources";
import { blobAt, blobSize } from "./memory/blob";
import { pollFrame } from "./turns/poll";
import { settleRequest } from "./turns/settle";
import { goBackTo, isTime, now as currentNow, setNow, setOffset } from "./time/now";

/** A change that breaks hosts raises the first number. An addition raises the second. */
export const abi_version: i32 = 1;
export const abi_minor_version: i32 = 7;

const LIST_BEGIN: u32 = 0;
const PAGE: u32 = 1;
const LIST_END: u32 = 2;
const WATCH_LINES: u32 = 3;
const STREAM_LOST: u32 = 4;

/** Configures the engine, once, with this JSON. Returns a code of the ABI. */
export function configure(ptr: usize, length: u32): i32 {
  collectGarbage();
  return configureFrom(ptr, length);
}

/** Reads what a source sends. `kind` says which part it is (0 to 4, as above). Returns a code of the ABI. */
export function ingest(source: u32, kind: u32, ptr: usize, length: u32, now: f64): i32 {
  collectGarbage();
  if (!isTime(now)) return refuseTime();
  if (!isConfigured()) return refuse(NOT_CONFIGURED, "configure comes first");
  const from = findSource(source);
  if (from === null) return refuse(UNKNOWN_SOURCE, "no source of this id is configured");
  setNow(now);
  if (kind == LIST_BEGIN) return listBegin(from);
  if (kind == PAGE) return page(from, source, ptr, length);
  if (kind == LIST_END) return listEnd(from, source);
  if (kind == WATCH_LINES) return watchLines(from, source, ptr, length);
  if (kind == STREAM_LOST) return streamLost(from);
  return refuse(
    OUT_OF_ORDER,
    "kind must be 0 (list-begin), 1 (page), 2 (list-end), 3 (watch-lines) or 4 (stream-lost)",
  );
}

/** Returns the address of a frame with at most `maxRequests` requests; 0 when `now` is no time. */
export function poll(now: f64, maxRequests: u32): usize {
  collectGarbage();
  if (!isTime(now)) {
    refuseTime();
    return 0;
  }
  setNow(now);
  return pollFrame(maxRequests);
}

/** Reports the outcome of a request. `status` is the HTTP status; 0: it is unknown. Returns a code of the ABI. */
export function settle(id: f64, status: i32, retryAfterMs: f64, ptr: usize, length: u32, now: f64): i32 {
  collectGarbage();
  if (!isTime(now)) return refuseTime();
  setNow(now);
  return settleRequest(id, status, ptr, length, retryAfterMs);
}

/** Sets what has to be added to `now` for wall time, in milliseconds. */
export function clock(offsetMs: f64): void {
  setOffset(offsetMs);
}

/** The version to watch from; -1: list first, or there is no such source. */
export function watch_version(source: u32): f64 {
  const from = findSource(source);
  return from === null || from.needsList ? -1 : f64(from.version);
}

/** Returns the address of the continue token of a list. The token is empty when there is no next page. */
export function list_continue(source: u32): usize {
  const from = findSource(source);
  if (from === null) return resultOf(0, 0);
  return resultOf(blobAt(from.continueToken), blobSize(from.continueToken));
}

/** Answers an AdmissionReview. Returns the address of the answer; 0 when the input is none. */
export function review(ptr: usize, length: u32): usize {
  collectGarbage();
  noteGarbage();
  const result = reviewDocument(ptr, length);
  if (result == 0) refuse(BAD_JSON, reviewError());
  return result;
}

/** Says why a Job is not progressing. The input is `<namespace>/<name>`. Returns the address of the result. */
export function explain(ptr: usize, length: u32): usize {
  return explainJob(ptr, length);
}

/** The same as at the time `now`, without moving the engine there. Returns 0 when `now` is no time. */
export function explain_at(ptr: usize, length: u32, now: f64): usize {
  if (!isTime(now)) {
    refuseTime();
    return 0;
  }
  const before = currentNow();
  setNow(now);
  const result = explainJob(ptr, length);
  goBackTo(before);
  return result;
}

/** Returns the address of the sentence about the last refusal. */
export function last_error(): usize {
  const text = lastRefusal();
  const result = beginResult();
  result.bytes(text.start, text.length);
  return endResult();
}
