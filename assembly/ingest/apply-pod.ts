/**
 * The pod that was read becomes what is known: its record appears, changes and goes, and its Job is queued for a sync.
 * Invariant: per UID only a newer resourceVersion replaces a record, so events may come twice, late, or from the answer
 * to an own request before the watch shows them. A pod with a problem changes nothing but its own Job, which stops.
 */
import { addWaiting } from "../lifecycle/waiting-pods";
import { noteTerminated } from "../metrics/observe";
import { wallNow } from "../time/now";
import { recallPod } from "../lifecycle/past-pods";
import { enqueueForPod, enqueueBatched } from "../queue/job-queue";
import { abandonUnselected, requestClaims, wakeAdopters, considerOrphan } from "../lifecycle/orphans";
import { evidenceRead, keepEvidence } from "../model/pod-failure-policy";
import { judgePod, judgeUnkept } from "../lifecycle/judgement";
import { endDelay, beforeChange, afterChange, Job, attachPod, findJob } from "../model/job";
import { acquireName } from "../memory/names";
import { blobOf, freeBlob, blobIs } from "../memory/blob";
import { selectsRead, keptLabelsSize } from "./selection";
import { isOver } from "../lifecycle/retire-job";
import { block, unblock } from "./unreadable-object";
import { forgetPod, leaveOwner, dropPod } from "../lifecycle/forget-pod";
import { allSynced, RESOURCE_PODS, sourceOf } from "../model/sources";
import {
  findPod,
  PHASE_FAILED,
  addPod,
  has,
  POD_DELAYED,
  PHASE_SUCCEEDED,
  POD_UNSELECTED,
  POD_ABANDONED,
  Pod,
  setDeleting,
  POD_FINALIZER,
  POD_OTHER_GROUP,
  POD_FINALIZER_REMOVED,
  isTerminal,
  dropEvidence,
  POD_ORPHAN,
} from "../model/pod";
import { hasIdentity, epoch, origin, FROM_ANSWER, isOutdated } from "./origin";
import * as metadata from "./metadata";
import * as podFacts from "./read-pod";

/** Takes the pod that was just read. False when it has a problem. */
export function applyPod(): bool {
  if (!hasIdentity()) return false;
  let pod = findPod(metadata.uid, metadata.uidSize);
  // Once a list: a list that starts over remembers anew.
  if (!allSynced() && metadata.problem === null && (pod === null || pod.listEpoch != epoch)) recall();
  if (pod !== null) {
    markShown(pod);
    if (metadata.resourceVersion < pod.resourceVersion) return true;
    if (metadata.resourceVersion == pod.resourceVersion) {
      // The watch shows what an own answer said: a pod that is over and counted can go now.
      if (origin != FROM_ANSWER && !isWorthKeeping(knownOwner())) forgetPod(pod, true);
      return true;
    }
  }
  // What it was once says nothing about its Job, whether it can be read or not.
  if (pod === null && isOutdated(RESOURCE_PODS)) return metadata.problem === null;
  const owner = knownOwner();
  if (metadata.problem !== null) {
    if (owner !== null) block(owner);
    return false;
  }
  unblockFor(pod, owner);
  const owned = owner !== null && !isOver(owner) ? owner : null;
  const job = owned !== null && selectsRead(owned) ? owned : null;
  if (!isWorthKeeping(owner)) {
    if (job !== null && podFacts.phase == PHASE_FAILED && isNaN(metadata.deletionMs)) judgeLast(job);
    if (pod !== null) forgetPod(pod, origin != FROM_ANSWER);
    return true;
  }
  if (pod === null) {
    pod = addPod(
      blobOf(metadata.uid, metadata.uidSize),
      blobOf(metadata.name, metadata.nameSize),
      acquireName(metadata.namespace, metadata.namespaceSize),
    );
    markShown(pod);
    takePodFacts(pod);
    if (!join(pod, job)) return true;
  } else if (job !== null && pod.job === job) {
    // What a delayed pod is judged to be stays; but one that failed by deletion may still succeed, and somebody may
    // meddle with it.
    if (
      has(pod, POD_DELAYED) &&
      (podFacts.phase == PHASE_SUCCEEDED ||
        metadata.completionIndex != pod.completionIndex ||
        !metadata.holdsTrackingFinalizer)
    )
      endDelay(job, pod);
    beforeChange(job, pod);
    takePodFacts(pod);
    if (!has(pod, POD_DELAYED)) judgePod(job, pod, job.podFailurePolicy === null ? 0 : evidenceRead());
    afterChange(job, pod);
  } else {
    leaveOwner(pod, origin != FROM_ANSWER);
    takePodFacts(pod);
    if (!join(pod, job)) return true;
  }
  if (owned !== null) {
    if (job !== null) keepWaitMessage(job);
    if (job === null) {
      pod.flags |= POD_UNSELECTED;
      if (owned.deleting) abandonUnselected(owned);
      requestClaims(owned);
    } else if (origin != FROM_ANSWER) {
      enqueueForPod(owned);
    }
    return true;
  }
  if (owner !== null) pod.flags |= POD_ABANDONED;
  wakeAdopters(pod);
  if (allSynced()) considerOrphan(pod);
  return true;
}

/** The pod that was just read is gone. */
export function applyPodDeleted(): bool {
  if (!hasIdentity()) return false;
  const pod = findPod(metadata.uid, metadata.uidSize);
  unblockFor(pod, knownOwner());
  if (pod !== null) forgetPod(pod, origin != FROM_ANSWER);
  return true;
}

// A pod matters to the Job it belongs to until it is over and its finalizer is off, and as long as that has to release
// it; without a Job, while it has its finalizer, may still find its Job, or may be adopted. The answer to an own patch
// comes before the watch has shown it: keep the record until then, or an older event would bring the pod back as new.
function isWorthKeeping(owner: Job | null): bool {
  // Another kind of controller has it, which may use the finalizer for itself. A Job that it names with another API
  // group counts it while that lives.
  if (metadata.isControlled && !metadata.ownerIsBatchV1 && (owner === null || isOver(owner))) return false;
  if (metadata.holdsTrackingFinalizer || origin == FROM_ANSWER) return true;
  if (owner !== null && owner.managedBy != 0) return false;
  // Some Job may adopt it.
  if (!metadata.isControlled) return isNaN(metadata.deletionMs);
  if (podFacts.phase < PHASE_SUCCEEDED) return owner === null || !owner.finished;
  // Its Job may be listed later, and be failed by it, or not select it.
  if (owner === null) return !allSynced() && (podFacts.phase == PHASE_FAILED || keptLabelsSize() > 0);
  // Over as it is, its Job has to release it.
  return !owner.finished && !owner.deleting && !selectsRead(owner);
}

// A pod that was deleted before it ended may have been surplus, or of a suspended Job: that is no failure.
function recall(): void {
  // A watch shows what the list of its source has shown before.
  if (
    epoch == 0 ||
    metadata.ownerUidSize == 0 ||
    metadata.holdsTrackingFinalizer ||
    podFacts.phase < PHASE_SUCCEEDED ||
    !isNaN(metadata.deletionMs)
  )
    return;
  recallPod(
    metadata.ownerUid,
    metadata.ownerUidSize,
    epoch,
    podFacts.phase == PHASE_SUCCEEDED,
    podFacts.finishMs <= wallNow() ? podFacts.finishMs : wallNow(),
  );
}

// What a policy calls final is so without the finalizer too (controller.md S16): a crash may have come between counting
// and the end. Not of a pod that was deleted and let go: see judgePod.
function judgeLast(job: Job): void {
  const name = blobOf(metadata.name, metadata.nameSize);
  if (judgeUnkept(job, name, evidenceRead())) enqueueBatched(job);
  freeBlob(name);
}

function takePodFacts(pod: Pod): void {
  pod.resourceVersion = metadata.resourceVersion;
  pod.finishMs = knownFinish(pod);
  pod.phase = podFacts.phase;
  pod.phaseRank = podFacts.phaseRank;
  pod.hasNode = podFacts.hasNode;
  pod.ready = podFacts.ready;
  pod.readySinceMs = podFacts.readySinceMs;
  pod.creationMs = metadata.creationMs;
  pod.restarts = podFacts.restarts;
  pod.maxRestarts = podFacts.maxRestarts;
  pod.maxSidecarRestarts = podFacts.maxSidecarRestarts;
  pod.completionIndex = metadata.completionIndex;
  pod.indexFailures = metadata.indexFailures;
  pod.indexIgnoredFailures = metadata.indexIgnoredFailures;
  pod.waitCode = podFacts.waitCode;
  if (!isNaN(metadata.deletionMs))
    setDeleting(pod, metadata.deletionMs - metadata.deletionGracePeriodMs, metadata.deletionGracePeriodMs);
  let flags = pod.flags & ~(POD_FINALIZER | POD_OTHER_GROUP);
  if (metadata.ownerUidSize > 0 && !metadata.ownerIsBatchV1) flags |= POD_OTHER_GROUP;
  if (metadata.holdsTrackingFinalizer) {
    flags |= POD_FINALIZER;
    // Somebody put it back after it was taken off.
    if (metadata.resourceVersion > pod.removedAtVersion) flags &= ~POD_FINALIZER_REMOVED;
  }
  pod.flags = flags;
  noteTerminated(pod, isTerminal(pod) && metadata.holdsTrackingFinalizer);
}

// One message a Job, the latest: pods that wait for one reason mostly say the same.
function keepWaitMessage(job: Job): void {
  const message = podFacts.waitMessage;
  if (
    message.length == 0 ||
    (job.waitCode == podFacts.waitCode && blobIs(job.waitMessage, message.start, message.length))
  )
    return;
  freeBlob(job.waitMessage);
  job.waitMessage = blobOf(message.start, message.length);
  job.waitCode = podFacts.waitCode;
}

// The clock of a node may be ahead: a pod that ended in the future, or that has no time at all, ended when that was
// first seen.
function knownFinish(pod: Pod): f64 {
  const timeMs = wallNow();
  if (podFacts.finishMs <= timeMs) return podFacts.finishMs;
  return isTerminal(pod) ? pod.finishMs : timeMs;
}

// To its Job, or to the pods that wait for one. False when there is no room and the pod was dropped.
function join(pod: Pod, job: Job | null): bool {
  freeBlob(pod.ownerUid);
  pod.ownerUid = 0;
  dropEvidence(pod);
  if (job !== null) {
    judgePod(job, pod, job.podFailurePolicy === null ? 0 : evidenceRead());
    attachPod(job, pod);
    return true;
  }
  pod.flags &= ~(POD_UNSELECTED | POD_ABANDONED | POD_ORPHAN);
  pod.evidence = keepEvidence(metadata.labels, keptLabelsSize());
  if (metadata.ownerUidSize > 0) {
    pod.ownerUid = blobOf(metadata.ownerUid, metadata.ownerUidSize);
  } else {
    pod.flags |= POD_ORPHAN;
    if (metadata.controllerUidSize > 0) pod.ownerUid = blobOf(metadata.controllerUid, metadata.controllerUidSize);
  }
  if (addWaiting(pod)) return true;
  dropPod(pod);
  return false;
}

// The Job that the pod just read names as its controller, if it is known.
function knownOwner(): Job | null {
  if (metadata.ownerUidSize == 0) return null;
  const job = findJob(metadata.namespace, metadata.namespaceSize, metadata.ownerName, metadata.ownerNameSize);
  return job !== null && blobIs(job.uid, metadata.ownerUid, metadata.ownerUidSize) ? job : null;
}

function markShown(pod: Pod): void {
  if (origin == FROM_ANSWER) {
    if (pod.resourceVersion == 0) pod.source = sourceOf(RESOURCE_PODS, pod.namespace);
    return;
  }
  pod.source = u8(origin);
  if (epoch != 0) pod.listEpoch = epoch;
}

// Also the Job that the pod belonged to, when it names another one by now, or none.
function unblockFor(pod: Pod | null, owner: Job | null): void {
  if (owner !== null) unblock(owner);
  if (pod !== null && pod.job !== null) unblock(pod.job!);
}
