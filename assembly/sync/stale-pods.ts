/**
 * Waiting for pods that somebody else has counted. When somebody else has written the status of a Job, the status may
 * tell of pods that the pod source has not shown yet: counted pods that here still hold their finalizer, and running
 * pods that are not here at all. A sync that does not know them would count twice, or create too many.
 *
 * So the sync waits until the pod source has reached the version of that status. That works because the versions of one
 * API server count all of its changes. This engine's own writes need no wait: it knows from the answers what it has
 * done to pods.
 *
 * Invariant: no Job waits for ever. A source that stays behind is listed anew. If whole lists stay behind as well, then
 * the versions of Jobs and of pods have nothing to do with each other, and count for nothing. Source:
 * docs/spec/controller.md 4.
 */
import { syncBatchPeriodMs } from "../model/configuration";
import { findSource, RESOURCE_PODS, Source, sourceOf } from "../model/sources";
import { noteStalePods } from "../metrics/observe";
import { blobAt, blobSize } from "../memory/blob";
import { Job } from "../model/job";
import { beginForeignWait, clearForeignStatus } from "../model/foreign-status";
import { findPod, Pod } from "../model/pod";
import { holdsFinalizer } from "../model/pod-state";
import { UidList } from "../model/uid-list";
import { enqueueAt } from "../queue/job-queue";
import { now } from "../time/now";
import * as trace from "../trace";

/**
 * The most lists of the source that a Job waits for, after it has waited one period for the watch. All Jobs that wait
 * share these lists.
 */
const MAX_LISTS: u32 = 3;

/** True when the pods are not clear yet. The Job is then looked at again after a period. */
export function waitsForPods(job: Job): bool {
  if (job.foreignVersion == 0) return false;
  const source = findSource(u32(sourceOf(RESOURCE_PODS, job.namespace)))!;
  const isBehind = job.awaitsForeignVersion && source.listsTaken - job.foreignListsTaken >= MAX_LISTS;
  if (source.reached >= job.foreignVersion || isBehind) {
    clearForeignStatus(job);
    return false;
  }
  if (!job.foreignIsFirst && !hasDoubtfulPods(job)) return false;
  waitFor(job, source);
  return true;
}

// Waits one period for the watch. After that it asks for lists, and waits for them, however long they take.
function waitFor(job: Job, source: Source): void {
  if (job.awaitsForeignVersion) source.needsList = true;
  else beginForeignWait(job, source.listsTaken);
  noteStalePods();
  trace.record(job, trace.WAITING_FOR_PODS_TO_BE_CLEAR);
  enqueueAt(job, now() + syncBatchPeriodMs);
}

// Whether a pod is in doubt. That is a pod which this engine would count, though it has not seen it since that status
// was written; or a pod of the status which it has not seen at all.
function hasDoubtfulPods(job: Job): bool {
  let pod = job.firstFinished;
  while (pod !== null) {
    if (pod.resourceVersion < job.foreignVersion && holdsFinalizer(pod) && !isUncounted(job, pod)) return true;
    pod = pod.nextFinished;
  }
  return hasUnknown(job.uncountedSucceeded) || hasUnknown(job.uncountedFailed);
}

function isUncounted(job: Job, pod: Pod): bool {
  const uid = blobAt(pod.uid);
  const size = blobSize(pod.uid);
  return job.uncountedSucceeded.has(uid, size) || job.uncountedFailed.has(uid, size);
}

function hasUnknown(uids: UidList): bool {
  for (let i = 0; i < uids.length; ++i) {
    if (findPod(uids.at(i), uids.size(i)) === null) return true;
  }
  return false;
}
