/**
 * Counting every pod exactly once, across crashes. First a pod's UID (or its index) is stored in the status. Then its
 * finalizer is removed. Then the UID leaves the list, and the counter goes up. This file chooses what enters the lists
 * and what leaves them; sync/sync.ts keeps the order. Source: docs/spec/controller.md section 4.
 */
import { maxUncountedPods } from "../model/configuration";
import { noteJudged } from "../metrics/observe";
import { blobAt, blobSize } from "../memory/blob";
import { CONDITION_FAILED, CONDITION_FAILURE_TARGET } from "../model/condition";
import { awaitsRemoval, Job, markUncounted, unmarkUncounted } from "../model/job";
import { findPod, Pod } from "../model/pod";
import {
  has,
  holdsFinalizer,
  isFailed,
  isUncounted,
  PHASE_SUCCEEDED,
  POD_NOT_NEEDED,
  POD_UNCOUNTED_FAILED,
  POD_UNCOUNTED_SUCCEEDED,
} from "../model/pod-state";
import { ACTION_IGNORE } from "../model/pod-failure-policy";
import { makeDistinct, UidList } from "../model/uid-list";
import { isInRange } from "./counting";
import { holdForWork, isFree, Sync } from "../model/sync";

/**
 * Removes from the lists what the API server would refuse (api.md V78). Another client may have written a UID twice, in
 * both lists, or an empty one. A pod that is in both lists is counted once: as failed, unless it is known to have
 * succeeded.
 */
export function dropUncountedDuplicates(sync: Sync): void {
  makeDistinct(sync.uncountedFailed, sync.uncountedSucceeded, (uid: usize, size: u32) => {
    const pod = findPod(uid, size);
    return pod !== null && pod.phase == PHASE_SUCCEEDED;
  });
}

/**
 * Moves pods from the lists into the counters: those that no longer have the finalizer, are gone, or are no longer this
 * Job's (steps T4 and T12).
 */
export function settleUncounted(job: Job, sync: Sync): void {
  sync.succeeded += settle(job, sync.uncountedSucceeded);
  sync.failed += settle(job, sync.uncountedFailed);
}

function settle(job: Job, list: UidList): i32 {
  let kept = 0;
  const length = list.length;
  for (let i = 0; i < length; ++i) {
    const pod = findPod(list.at(i), list.size(i));
    if (pod === null || pod.job !== job) continue;
    if (holdsFinalizer(pod)) list.keep(i, kept++);
    else unmarkUncounted(job, pod, POD_UNCOUNTED_SUCCEEDED | POD_UNCOUNTED_FAILED);
  }
  list.truncate(kept);
  return length - kept;
}

/**
 * Chooses the finalizers that may be removed in this sync, and the UIDs that have to be stored before (steps T5 and
 * T6).
 */
export function chooseFinalizers(job: Job, sync: Sync): void {
  const isFailing = sync.verdict == CONDITION_FAILURE_TARGET || sync.verdict == CONDITION_FAILED;
  let newIndexes = 0;
  // When the Job ends, every pod loses its finalizer; otherwise only finished pods do.
  const all = sync.verdict != 0 || job.deleting;
  let pod = all ? job.pods : job.firstFinished;
  // The walk stops after the last pod that holds the finalizer. So a Job that waits for its last pods does not pay for
  // all its pods at each of their events.
  let left = job.holding;
  while (pod !== null && left > 0) {
    const next = all ? pod.next : pod.nextFinished;
    if (awaitsRemoval(pod) && isFree(sync, pod) && !isLeftForNextSync(sync, pod, all)) {
      --left;
      addFinalizer(sync, pod);
      if (pod.phase == PHASE_SUCCEEDED && !has(pod, POD_UNCOUNTED_FAILED)) {
        if (job.spec.indexed) {
          if (isInRange(job, pod)) ++newIndexes;
        } else if (!has(pod, POD_UNCOUNTED_SUCCEEDED)) {
          remember(job, sync.uncountedSucceeded, pod, POD_UNCOUNTED_SUCCEEDED);
        }
      } else if (
        (isFailing || hasFailed(job, pod)) &&
        !isUncounted(pod) &&
        (!job.spec.indexed || isInRange(job, pod))
      ) {
        noteJudged(sync, pod.policyAction);
        if (pod.policyAction != ACTION_IGNORE) remember(job, sync.uncountedFailed, pod, POD_UNCOUNTED_FAILED);
      }
      if (newIndexes + sync.uncountedSucceeded.length + sync.uncountedFailed.length >= maxUncountedPods) {
        sync.reachedCap = true;
        break;
      }
    }
    pod = next;
  }
  if (job.spec.indexed) sync.succeeded = succeededIndexes(job);
}

// How many indexes count as succeeded. The API server lets this counter go back only while the Job is elastic (api.md
// V86). A Job may have been scaled down, which drops indexes, before it stopped being elastic. The counter keeps these,
// because a refused status would block the Job for ever.
function succeededIndexes(job: Job): i32 {
  const count = job.completed.count;
  return job.spec.completions == job.spec.parallelism ? count : max(count, job.storedSucceeded);
}

// Whether to skip a failed pod whose successor this sync created. Upstream counts such a pod in the next sync; this
// function requests that sync.
function isLeftForNextSync(sync: Sync, pod: Pod, all: bool): bool {
  if (!pod.takeReplacedNow()) return false;
  if (!all) sync.leftSome = true;
  return !all;
}

function hasFailed(job: Job, pod: Pod): bool {
  return isFailed(pod, job.spec.onlyReplaceFailed) && !has(pod, POD_NOT_NEEDED);
}

function remember(job: Job, list: UidList, pod: Pod, flag: u32): void {
  list.push(blobAt(pod.uid), blobSize(pod.uid));
  markUncounted(job, pod, flag);
}

// Appends the pod at the end, so that the oldest pods are counted and freed first.
function addFinalizer(sync: Sync, pod: Pod): void {
  holdForWork(pod, null);
  const before = sync.lastFinalizer;
  if (before === null) sync.finalizers = pod;
  else before.nextWork = pod;
  sync.lastFinalizer = pod;
}
