/**
 * How many pods there should be, and which ones are created or deleted to get there. Pods are created in slow-start
 * batches (1, 2, 4, …: a batch doubles the next only if it succeeds, so a quota that refuses pods costs few requests),
 * and deleted by the deletion ranking. One sync never does both. Source: docs/spec/controller.md 3.6.
 */
import { ABSENT, NO_COMPLETIONS, NO_INDEX } from "../model/absent";
import { remainingBackoffMs } from "../model/backoff";
import { maxPodsPerSync, podBackoffBaseMs, podBackoffMaxMs } from "../model/configuration";
import { blobAt, blobSize } from "../memory/blob";
import { IndexTable } from "../model/index-table";
import { Job } from "../model/job";
import { dropDelayedIndexes } from "./index-backoff";
import { noteCreation } from "../metrics/observe";
import { CREATED_PODS, DELETED_PODS, DID_TRACK } from "../model/sync-metrics";
import { isActive } from "../model/pod-state";
import { Pod } from "../model/pod";
import { templateOf } from "../model/pod-template";
import { comparePodRanks } from "../model/pod-ranking";
import { enqueueAt } from "../queue/job-queue";
import { now, wallNow } from "../time/now";
import { holdForWork, isFree, PHASE_DELETE, Sync } from "../model/sync";
import * as trace from "../trace";

/** The size of the first batch. Each batch that works doubles the next. */
const SLOW_START_INITIAL_BATCH: i32 = 1;

/** Chooses what the sync creates or deletes (steps M1 to M9). The Job is neither ending nor being deleted. */
export function manage(job: Job, sync: Sync): void {
  sync.managed = true;
  sync.didAction = DELETED_PODS;
  if (job.spec.suspended) {
    removeAll(job, sync);
    return;
  }
  // Deletion comes first: a sync that deletes surplus pods creates none.
  const wanted = wantedActive(job, sync);
  const surplus = max(0, job.active - wanted);
  if (surplus > 0 || mustRemove(job)) {
    const deleted = chooseVictims(job, sync, surplus);
    if (deleted > 0) {
      sync.enter(PHASE_DELETE);
      sync.uncountedVictims = true;
      sync.decision = trace.record(job, trace.DELETING_SURPLUS, 0, deleted, job.active, wanted);
      // A victim may have ended in the meantime. Then its deletion causes no event, and no other event may wake the
      // Job.
      sync.leftSome = true;
      return;
    }
  }
  sync.didAction = DID_TRACK;
  // With onlyReplaceFailed, a terminating pod counts as active until it has ended.
  const missing = wanted - job.active - (job.spec.onlyReplaceFailed ? job.terminating : 0);
  if (missing <= 0) return;

  sync.didAction = CREATED_PODS;
  noteCreation(job, sync);
  if (job.spec.backoffLimitPerIndex != ABSENT) {
    prepareCreation(job, sync, missing);
    return;
  }
  // The backoff of the whole Job: no creation before it ends, and the Job is due then.
  const backoff = job.backoff;
  const remainingMs = remainingBackoffMs(
    backoff.failures,
    backoff.lastFailureTimeMs,
    wallNow(),
    podBackoffBaseMs,
    podBackoffMaxMs,
  );
  if (remainingMs > 0) {
    sync.nextCreationMs = now() + remainingMs;
    enqueueAt(job, sync.nextCreationMs);
    return;
  }
  prepareCreation(job, sync, missing);
}

/** Starts the next batch when the last one is answered. False when there is none. */
export function startNextBatch(job: Job, sync: Sync): bool {
  if (sync.toCreate == 0) return false;
  if (sync.createFailures > 0) {
    sync.toCreate = 0;
    return false;
  }
  sync.batchSize = sync.batchSize == 0 ? SLOW_START_INITIAL_BATCH : sync.batchSize * 2;
  sync.batchLeft = min(sync.batchSize, sync.toCreate);
  return true;
}

/** Takes the next pod from the batch. Returns its completion index, or -1 for a Job that is not Indexed. */
export function takeNextIndex(job: Job, sync: Sync): i32 {
  --sync.batchLeft;
  --sync.toCreate;
  return sync.indexes != 0 ? load<i32>(sync.indexes + (usize(sync.nextIndex++) << 2)) : NO_INDEX;
}

/** Returns the chosen indexes that have no active pod yet: they are pending again. */
export function giveBackIndexes(job: Job, sync: Sync): void {
  const indexes = job.indexes;
  if (indexes === null) return;
  for (let i = 0; i < sync.indexCount; ++i) {
    const index = load<i32>(sync.indexes + (usize(i) << 2));
    if (!indexes.isHeld(index) && !job.completed.contains(index)) indexes.giveBack(index);
  }
  sync.indexCount = 0;
}

// Deletes all pods, in one sync and without a limit: a suspended Job keeps none (step M1).
function removeAll(job: Job, sync: Sync): void {
  sync.enter(PHASE_DELETE);
  sync.uncountedVictims = true;
  if (job.active > 0) sync.decision = trace.record(job, trace.SUSPENDING, 0, job.active);
  let pod = job.pods;
  while (pod !== null) {
    if (isActive(pod) && isFree(sync, pod)) sync.victims = holdForWork(pod, sync.victims);
    pod = pod.next;
  }
}

// How many active pods there should be (step M2).
function wantedActive(job: Job, sync: Sync): i32 {
  if (job.spec.completions == NO_COMPLETIONS) return sync.totalSucceeded > 0 ? job.active : job.spec.parallelism;
  return max(0, min(job.spec.completions - sync.totalSucceeded, job.spec.parallelism));
}

function prepareCreation(job: Job, sync: Sync, missing: i32): void {
  if (!hasTemplate(job, sync)) return;
  let count = min(missing, maxPodsPerSync);
  if (job.spec.indexed) {
    sync.indexes = heap.alloc(usize(count) << 2);
    count = job.indexes!.take(
      count,
      job.spec.completions,
      job.completed,
      job.failed,
      job.spec.onlyReplaceFailed ? job.terminatingIndexes : null,
      sync.indexes,
    );
    if (job.spec.backoffLimitPerIndex != ABSENT) count = dropDelayedIndexes(job, sync, count);
    sync.indexCount = count;
  }
  sync.toCreate = count;
  if (count > 0)
    sync.decision = trace.record(job, trace.CREATING, 0, count, job.active, job.active + missing, sync.totalSucceeded);
  sync.moreToCreate = count == maxPodsPerSync && missing > count;
}

/** Whether pods can be rendered from the template. If not, the sync has failed. */
export function hasTemplate(job: Job, sync: Sync): bool {
  const template = templateOf(job);
  if (template !== null && !template.withoutLabels) return true;
  sync.fail();
  trace.record(job, template === null ? trace.TEMPLATE_UNREADABLE : trace.NO_LABELS);
  return false;
}

// Whether there are pods to delete although they are not surplus: their index is missing, repeated or out of range
// (step M3).
function mustRemove(job: Job): bool {
  const indexes = job.indexes;
  return indexes !== null && (indexes.withoutIndex > 0 || indexes.duplicates > 0 || indexes.mayBeOutOfRange);
}

// Chooses the pods to delete (step M3), and returns how many. It sorts all active pods, which costs O(active log
// active), but only when pods have to be deleted. Mandatory victims come first; the rest of `surplus` follows in
// ranking order.
function chooseVictims(job: Job, sync: Sync, surplus: i32): i32 {
  const active = job.active;
  if (active == 0) return 0;
  const pods = heap.alloc(usize(active) * sizeof<usize>());
  let count = 0;
  let pod = job.pods;
  while (pod !== null) {
    if (isActive(pod) && isFree(sync, pod))
      store<usize>(pods + usize(count++) * sizeof<usize>(), changetype<usize>(pod));
    pod = pod.next;
  }
  sortByPreference(pods, count);
  let chosen = job.spec.indexed ? chooseMandatory(job, sync, pods, count) : 0;
  for (let i = 0; i < count && chosen < surplus && chosen < maxPodsPerSync; ++i) {
    const victim = load<Pod | null>(pods + usize(i) * sizeof<usize>());
    if (victim === null) continue;
    sync.victims = holdForWork(victim, sync.victims);
    ++chosen;
  }
  heap.free(pods);
  return chosen;
}

// Chooses the pods whose index is missing or out of range, and of each repeated index all pods but the one that ranks
// last. `pods` is in order of preference. The chosen ones are set to 0 in it.
function chooseMandatory(job: Job, sync: Sync, pods: usize, count: i32): i32 {
  const indexes = job.indexes!;
  let chosen = 0;
  for (let i = 0; i < count && chosen < maxPodsPerSync; ++i) {
    const slot = pods + usize(i) * sizeof<usize>();
    const pod = load<Pod>(slot);
    const index = pod.completionIndex;
    const outOfRange = index == NO_INDEX || index >= job.spec.completions;
    if (!outOfRange && !hasBetterTwin(pod, indexes)) continue;
    sync.victims = holdForWork(pod, sync.victims);
    store<usize>(slot, 0);
    ++chosen;
  }
  if (chosen < maxPodsPerSync && !sync.leftBusy) indexes.mayBeOutOfRange = false;
  return chosen;
}

// Whether another active pod with the same index ranks later for deletion. That one stays.
function hasBetterTwin(pod: Pod, indexes: IndexTable): bool {
  if (indexes.duplicates == 0) return false;
  let twin = indexes.firstOf(pod.completionIndex);
  while (twin !== null && (twin === pod || !isBefore(pod, twin))) twin = twin.nextSameIndex;
  return twin !== null;
}

// Sorts in place (heap sort); the first to be deleted comes first. Equal pods are ordered by UID, so that every run
// chooses the same; upstream's order of equal pods is random.
function sortByPreference(pods: usize, count: i32): void {
  for (let root = (count >> 1) - 1; root >= 0; --root) siftDown(pods, root, count);
  for (let end = count - 1; end > 0; --end) {
    const last = load<usize>(pods + usize(end) * sizeof<usize>());
    store<usize>(pods + usize(end) * sizeof<usize>(), load<usize>(pods));
    store<usize>(pods, last);
    siftDown(pods, 0, end);
  }
}

function siftDown(pods: usize, root: i32, count: i32): void {
  const item = load<Pod>(pods + usize(root) * sizeof<usize>());
  for (;;) {
    let child = root * 2 + 1;
    if (child >= count) break;
    if (
      child + 1 < count &&
      isBefore(load<Pod>(pods + usize(child) * sizeof<usize>()), load<Pod>(pods + usize(child + 1) * sizeof<usize>()))
    )
      ++child;
    const other = load<Pod>(pods + usize(child) * sizeof<usize>());
    if (!isBefore(item, other)) break;
    store<usize>(pods + usize(root) * sizeof<usize>(), changetype<usize>(other));
    root = child;
  }
  store<usize>(pods + usize(root) * sizeof<usize>(), changetype<usize>(item));
}

function isBefore(a: Pod, b: Pod): bool {
  const order = comparePodRanks(a, b);
  if (order != 0) return order < 0;
  const size = min(blobSize(a.uid), blobSize(b.uid));
  const bytes = memory.compare(blobAt(a.uid), blobAt(b.uid), size);
  return bytes != 0 ? bytes < 0 : blobSize(a.uid) < blobSize(b.uid);
}
