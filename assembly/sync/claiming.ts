/**
 * Before a sync counts pods, it claims them. It releases pods that name the Job but that the selector no longer
 * matches. It adopts pods without a controller that the selector matches. Before an adoption the sync reads the Job
 * again, because it may have been deleted, or deleted and recreated. Invariant: nothing is counted in a sync in which
 * one of these requests failed. Source: docs/spec/controller.md 2.7.
 */
import { syncBatchPeriodMs } from "../model/configuration";
import { Job } from "../model/job";
import {
  has,
  POD_CLAIM_REQUESTED,
  POD_GONE,
  POD_IN_WORK,
  POD_ORPHAN,
  POD_REMOVAL_REQUESTED,
  POD_UNSELECTED,
} from "../model/pod-state";
import { Pod } from "../model/pod";
import { blobsEqual } from "../memory/blob";
import { mayAdopt } from "../model/selecting-jobs";
import { forEachCandidate } from "../lifecycle/waiting-pods";
import { enqueueAt } from "../queue/job-queue";
import { now } from "../time/now";
import { holdForWork, Sync } from "../model/sync";
import * as trace from "../trace";

let adopted = 0;
let released = 0;

/** Puts the pods to adopt or to release into the work list of the sync. False when there are none. */
export function chooseClaims(job: Job, sync: Sync): bool {
  if (!job.mayClaim || job.deleting) return false;
  job.beginClaims();
  adopted = 0;
  released = 0;
  forEachCandidate(job, (job: Job, pod: Pod) => {
    const adopts = isAdoptable(job, pod);
    if (!adopts && !isReleasable(job, pod)) return;
    // The pod is in the work list of another sync. This Job checks the pod again when that sync is over.
    if (has(pod, POD_IN_WORK)) {
      job.expectClaims();
      enqueueAt(job, now() + syncBatchPeriodMs);
      return;
    }
    if (adopts) ++adopted;
    else ++released;
    job.sync!.claims = holdForWork(pod, job.sync!.claims);
  });
  if (adopted + released == 0) return false;
  sync.adopts = adopted > 0;
  sync.decision = trace.record(job, trace.CLAIMING, 0, adopted, released);
  return true;
}

/** Whether the Job should release the pod: the pod names the Job, but the Job's selector does not match it. */
export function isReleasable(job: Job, pod: Pod): bool {
  return (
    (pod.flags & (POD_UNSELECTED | POD_CLAIM_REQUESTED | POD_GONE)) == POD_UNSELECTED &&
    !job.deleting &&
    !job.finished &&
    blobsEqual(pod.ownerUid, job.uid)
  );
}

/**
 * Whether the Job may adopt the pod now: the pod has no controller, no removal of its finalizer is requested, and the
 * Job's selector matches it.
 */
export function isAdoptable(job: Job, pod: Pod): bool {
  return !has(pod, POD_REMOVAL_REQUESTED | POD_CLAIM_REQUESTED) && mayAdopt(job, pod);
}

/** The first pod that this sync wants to adopt, or null. */
export function firstAdoption(sync: Sync): Pod | null {
  let pod = sync.claims;
  while (pod !== null && !has(pod, POD_ORPHAN)) pod = pod.nextWork;
  return pod;
}
