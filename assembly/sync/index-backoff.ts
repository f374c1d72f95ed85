/**
 * The backoff per completion index (backoffLimitPerIndex): which indexes have to wait, until when, and how the trace
 * names them. Source: docs/spec/controller.md 3.6, step M8.
 */
import { IntervalSet } from "../intervals/intervals";
import { Writer } from "../json/writer";
import { COMMA } from "../json/punctuation";
import { blobOf, freeBlob } from "../memory/blob";
import { zeroed } from "../memory/records";
import { backoffMs, remainingBackoffMs } from "../model/backoff";
import { podBackoffBaseMs, podBackoffMaxMs } from "../model/configuration";
import { delayedPod, Job } from "../model/job";
import { Pod } from "../model/pod";
import { Sync } from "../model/sync";
import { enqueueAt } from "../queue/job-queue";
import { now, toWall, wallNow } from "../time/now";
import * as trace from "../trace";
import { absoluteFailures } from "./counting";

/** The most bytes of waiting indexes that the trace names, the lowest index first. */
const MAX_NAMED_BYTES: u32 = 1000;

const waiting = zeroed<IntervalSet>();
const text = new Writer(64);

/**
 * Keeps the chosen indexes whose backoff is over, and returns how many. A waiting index still uses up one of the chosen
 * places, as in upstream, which chooses first and filters then.
 */
export function dropDelayedIndexes(job: Job, sync: Sync, count: i32): i32 {
  let kept = 0;
  let soonestMs: f64 = Infinity;
  let soonestIndex = 0;
  let soonestFailures = 0;
  for (let i = 0; i < count; ++i) {
    const index = load<i32>(sync.indexes + (usize(i) << 2));
    const predecessor = delayedPod(job, index);
    const failures = predecessor === null ? 0 : absoluteFailures(predecessor) + 1;
    const remainingMs = predecessor === null ? 0 : remainingMsOf(predecessor);
    if (remainingMs <= 0) {
      store<i32>(sync.indexes + (usize(kept++) << 2), index);
      continue;
    }
    job.indexes!.giveBack(index);
    if (remainingMs >= soonestMs) continue;
    soonestMs = remainingMs;
    soonestIndex = index;
    soonestFailures = failures;
  }
  if (soonestMs < Infinity) {
    enqueueAt(job, now() + soonestMs);
    const named = namesOfWaiting(job);
    trace.recordWait(
      job,
      trace.INDEX_BACKOFF,
      toWall(now() + soonestMs),
      soonestMs,
      soonestIndex,
      soonestFailures,
      backoffMs(soonestFailures, podBackoffBaseMs, podBackoffMaxMs),
      named,
    );
    freeBlob(named);
  }
  return kept;
}

function remainingMsOf(predecessor: Pod): f64 {
  const failures = absoluteFailures(predecessor) + 1;
  return remainingBackoffMs(failures, predecessor.finishMs, wallNow(), podBackoffBaseMs, podBackoffMaxMs);
}

// The indexes that wait, as text in a new blob; 0: there is only one.
function namesOfWaiting(job: Job): usize {
  const delayed = job.delayed!;
  waiting.clear();
  for (let slot: u32 = 0; slot < delayed.places; ++slot) {
    const pod = delayed.podAt(slot);
    if (pod !== null && remainingMsOf(pod) > 0) waiting.add(pod.completionIndex);
  }
  if (waiting.count < 2) return 0;
  text.reset();
  let size = u32(waiting.format(text.grow(u32(waiting.formattedBytesMax()))));
  if (size > MAX_NAMED_BYTES) {
    size = MAX_NAMED_BYTES;
    while (load<u8>(text.start + size) != COMMA) --size;
  }
  return blobOf(text.start, size);
}
