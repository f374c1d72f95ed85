/**
 * Waits for pods that another client has counted. When another client has written the status of a Job, the status may
 * count pods that the pod source has not shown yet: counted pods that the engine still sees with their finalizer, and
 * running pods that the engine does not know. A sync without this knowledge would count a pod twice, or create too
 * many.
 *
 * So the sync waits until the pod source has reached the version of that status. Versions of Jobs and pods are
 * comparable, because one API server takes them from one sequence. The engine's own writes need no wait: their answers
 * already show what it did to pods.
 *
 * Invariant: no Job waits for ever. A source that stays behind is listed again. If MAX_LISTS lists stay behind too, the
 * versions of Jobs and pods do not come from one sequence, and the sync ignores them. Source: docs/spec/controller.md
 * 4.
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
 * The most lists of the source that a Job waits for, after it has waited one period for the watch. All waiting Jobs
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

// Waits one period for the watch. After that it requests lists, and waits for them without a time limit.
function waitFor(job: Job, source: Source): void {
  if (job.awaitsForeignVersion) source.needsList = true;
  else beginForeignWait(job, source.listsTaken);
  noteStalePods();
  trace.record(job, trace.WAITING_FOR_PODS_TO_BE_CLEAR);
  enqueueAt(job, now() + syncBatchPeriodMs);
}

// Whether a pod is in doubt: a pod that this sync would count, although the engine has not seen it since that status
// was written, or a pod of the status that the engine has never seen.
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
