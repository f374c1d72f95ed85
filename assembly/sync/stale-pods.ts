/**
 * A Job whose status somebody else has written tells of pods that the pod source may not have shown yet: counted ones
 * that still hold their finalizer here, and running ones that are not here at all. A sync on such a view counts twice,
 * or creates too many. So it waits until the pod source has reached the version of that status: the versions of one API
 * server count all of its changes. This engine's own writes need no wait, for it knows from the answers what it has
 * done to pods. Invariant: no Job waits for good. A source that stays behind is listed anew, and where whole lists are
 * behind, too, versions of Jobs and pods have nothing to do with each other, and count for nothing. Source:
 * docs/spec/controller.md 4.
 */
import { syncBatchPeriodMs } from "../model/configuration";
import { findSource, RESOURCE_PODS, Source, sourceOf } from "../model/sources";
import { noteStalePods } from "../metrics/observe";
import { blobAt, blobSize } from "../memory/blob";
import { Job } from "../model/job";
import { clearTold } from "../model/told";
import { findPod, holdsFinalizer, Pod } from "../model/pod";
import { UidList } from "../model/uid-list";
import { enqueueAt } from "../queue/job-queue";
import { now } from "../time/now";
import * as trace from "../trace";

/** Lists of the source that a Job waits for, after a period for the watch. They are the lists of all Jobs that wait. */
const MAX_LISTS: u32 = 3;

/** The pods are not clear yet: the Job is looked at later. */
export function waitsForPods(job: Job): bool {
  if (job.toldVersion == 0) return false;
  const source = findSource(u32(sourceOf(RESOURCE_PODS, job.namespace)))!;
  const isBehind = job.toldWaits && source.listsTaken - job.toldAfterLists >= MAX_LISTS;
  if (source.reached >= job.toldVersion || isBehind) {
    clearTold(job);
    return false;
  }
  if (!job.toldAll && !hasDoubtfulPods(job)) return false;
  waitFor(job, source);
  return true;
}

// First for the watch, then for lists, however long they take.
function waitFor(job: Job, source: Source): void {
  if (job.toldWaits) {
    source.needsList = true;
  } else {
    job.toldWaits = true;
    job.toldAfterLists = source.listsTaken;
  }
  noteStalePods();
  trace.record(job, trace.WAITING_FOR_PODS_TO_BE_CLEAR);
  enqueueAt(job, now() + syncBatchPeriodMs);
}

// Pods that this engine would count, as it saw them before that status was written; and pods of the status that it has
// not seen.
function hasDoubtfulPods(job: Job): bool {
  let pod = job.firstFinished;
  while (pod !== null) {
    if (pod.resourceVersion < job.toldVersion && holdsFinalizer(pod) && !isUncounted(job, pod)) return true;
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
