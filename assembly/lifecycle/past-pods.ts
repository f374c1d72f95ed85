/**
 * The backoff after a restart. The first lists show pods that were counted, and lost their finalizer, before this
 * engine started. The engine rebuilds the backoff records of their Jobs from them. Upstream starts without a delay,
 * although these pods still say when they failed.
 *
 * Invariant: nothing is recalled once every source has been listed. So a pod that this engine counted itself, and that
 * a later list shows again, counts once. The failures of pods that are gone cannot be recalled.
 */
import { BackoffUpdate } from "../model/backoff";
import { hashBytes } from "../memory/hash";
import { blobAt, blobIs, blobOf, blobSize, freeBlob } from "../memory/blob";
import { forEachJob, Job } from "../model/job";
import { release, zeroed } from "../memory/records";

/** The most Jobs that are remembered. The others start without a delay, as upstream's do. */
const MAX_OWNERS: i32 = 20000;
/**
 * The most failures of one Job that are remembered, the latest ones. With upstream's constants the wait is longest from
 * the seventh failure on.
 */
const MAX_FAILURES: i32 = 16;
const BUCKETS: u32 = 1024;

/** What is recalled from the pods of one owner. */
@unmanaged
class Past {
  next: Past | null;
  ownerUid: usize;
  latestSuccessMs: f64;
  /** The list that showed these pods. When a list starts over, the memory does, too. */
  listEpoch: u32;
  failures: i32;
  anySuccess: bool;
  /** The address of MAX_FAILURES finish times, the latest ones, in no order. */
  failureTimes: usize;
}

const buckets = memory.data(sizeof<usize>() * 1024, 8);
const update = zeroed<BackoffUpdate>();
let owners: i32 = 0;

/** Recalls a pod that is over and without its finalizer, as one of the first lists shows it. */
export function recallPod(ownerUid: usize, ownerUidSize: u32, listEpoch: u32, succeeded: bool, finishMs: f64): void {
  const past = pastOf(ownerUid, ownerUidSize);
  if (past === null) return;
  if (past.listEpoch != listEpoch) {
    past.listEpoch = listEpoch;
    past.failures = 0;
    past.anySuccess = false;
  }
  if (succeeded) {
    if (!past.anySuccess || finishMs > past.latestSuccessMs) past.latestSuccessMs = finishMs;
    past.anySuccess = true;
  } else {
    rememberFailure(past, finishMs);
  }
}

/** Brings the backoff records up to date, and forgets what was recalled. Every source has been listed. */
export function recallBackoffs(): void {
  if (owners == 0) return;
  forEachJob((job: Job, _: u64) => {
    const past = find(blobAt(job.uid), blobSize(job.uid));
    if (past === null || job.liveBackoff === null) return;
    update.begin();
    if (past.anySuccess) update.succeeded(past.latestSuccessMs);
    for (let i = 0; i < past.failures; ++i) update.failed(load<f64>(past.failureTimes + (usize(i) << 3)));
    update.applyTo(job.backoff);
  }, 0);
  for (let i: u32 = 0; i < BUCKETS; ++i) {
    let past = load<Past | null>(bucketAt(i));
    while (past !== null) {
      const next = past.next;
      freeBlob(past.ownerUid);
      if (past.failureTimes != 0) heap.free(past.failureTimes);
      release<Past>(past);
      past = next;
    }
    store<usize>(bucketAt(i), 0);
  }
  owners = 0;
}

// Keeps a failure. Beyond MAX_FAILURES a later failure replaces the earliest one that is kept.
function rememberFailure(past: Past, finishMs: f64): void {
  if (past.failureTimes == 0) past.failureTimes = heap.alloc(usize(MAX_FAILURES) << 3);
  let at = past.failures;
  if (at < MAX_FAILURES) {
    ++past.failures;
  } else {
    at = 0;
    for (let i = 1; i < MAX_FAILURES; ++i) {
      if (load<f64>(past.failureTimes + (usize(i) << 3)) < load<f64>(past.failureTimes + (usize(at) << 3))) at = i;
    }
    if (finishMs <= load<f64>(past.failureTimes + (usize(at) << 3))) return;
  }
  store<f64>(past.failureTimes + (usize(at) << 3), finishMs);
}

function pastOf(ownerUid: usize, size: u32): Past | null {
  const found = find(ownerUid, size);
  if (found !== null || owners == MAX_OWNERS) return found;
  const past = zeroed<Past>();
  past.ownerUid = blobOf(ownerUid, size);
  const bucket = bucketOf(ownerUid, size);
  past.next = load<Past | null>(bucket);
  store<usize>(bucket, changetype<usize>(past));
  ++owners;
  return past;
}

function find(ownerUid: usize, size: u32): Past | null {
  let past = load<Past | null>(bucketOf(ownerUid, size));
  while (past !== null && !blobIs(past.ownerUid, ownerUid, size)) past = past.next;
  return past;
}

function bucketOf(uid: usize, size: u32): usize {
  return bucketAt(hashBytes(uid, size) & (BUCKETS - 1));
}

function bucketAt(i: u32): usize {
  return buckets + (usize(i) << alignof<usize>());
}
