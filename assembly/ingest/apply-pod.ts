/**
 * Applies the pod that was read: creates, updates or removes its record, and queues a sync of its Job. Invariant: for
 * each UID, only a newer resourceVersion replaces a record. So events are idempotent: they may come twice, late, or
 * from the answer to the engine's own request before the watch shows them. A pod with a problem changes nothing but its
 * own Job, which stops.
 */
import { addWaiting } from "../lifecycle/waiting-pods";
import { noteTerminated } from "../metrics/observe";
import { wallNow } from "../time/now";
import { recallPod } from "../lifecycle/past-pods";
import { enqueueBatched, enqueueForPod, retrySooner } from "../queue/job-queue";
import { abandonUnselected, considerOrphan, requestClaims, wakeAdopters } from "../lifecycle/orphans";
import { judgePod, judgeUnkept } from "../lifecycle/judgement";
import { afterChange, attachPod, beforeChange, endDelay, findJob, Job } from "../model/job";
import { acquireName } from "../memory/names";
import { blobIs, blobOf, dropBlob, freeBlob } from "../memory/blob";
import { keptLabelsSize, selects } from "./selection";
import { isOver } from "../lifecycle/retire-job";
import { block, unblock } from "./unreadable-object";
import { dropPod, forgetPod, leaveOwner } from "../lifecycle/forget-pod";
import { allSynced, RESOURCE_PODS } from "../model/sources";
import { addPod, dropEvidence, findPod, Pod } from "../model/pod";
import { has, isTerminal, PHASE_FAILED, PHASE_SUCCEEDED, POD_DELAYED } from "../model/pod-state";
import { hasIdentity, isOutdated, markShown, Origin } from "./origin";
import { PodFacts } from "./pod-facts";

/** Takes in the pod that was read. False when it has a problem. */
export function applyPod(facts: PodFacts, origin: Origin): bool {
  if (!hasIdentity(facts, origin)) return false;
  let pod = findPod(facts.uid, facts.uidSize);
  // A pod is recalled once for each list: a list that starts over begins a new recall.
  if (!allSynced() && facts.problem === null && (pod === null || pod.listEpoch != origin.listEpoch))
    recall(facts, origin);
  if (pod !== null) {
    markShown<Pod>(pod, RESOURCE_PODS, origin);
    if (facts.resourceVersion < pod.resourceVersion) return true;
    if (facts.resourceVersion == pod.resourceVersion) {
      // The watch has now confirmed what the answer said. The record of a counted pod can go.
      if (!origin.isAnswer) {
        const owner = knownOwner(facts);
        if (owner !== null) retrySooner(owner);
        if (!isWorthKeeping(owner, facts, origin)) forgetPod(pod, true);
      }
      return true;
    }
  }
  // This is an old state of a pod that is gone. It says nothing about the Job, whether it can be read or not.
  if (pod === null && isOutdated(facts, origin, RESOURCE_PODS)) return facts.problem === null;
  const owner = knownOwner(facts);
  if (facts.problem !== null) {
    if (owner !== null) block(owner, facts, origin);
    return false;
  }
  unblockFor(pod, owner, facts);
  const owned = owner !== null && !isOver(owner) ? owner : null;
  const job = owned !== null && selects(owned, facts) ? owned : null;
  if (!isWorthKeeping(owner, facts, origin)) {
    if (job !== null && facts.phase == PHASE_FAILED && isNaN(facts.deletionMs)) judgeLast(job, facts);
    if (pod !== null) forgetPod(pod, !origin.isAnswer);
    return true;
  }
  if (pod === null) {
    pod = newPod(facts, origin);
    if (!join(pod, job, facts)) return true;
  } else if (job !== null && pod.job === job) {
    // The judgement of a delayed pod stays. But a pod that failed because it was deleted may still succeed, and another
    // client may change its index or its finalizer.
    if (
      has(pod, POD_DELAYED) &&
      (facts.phase == PHASE_SUCCEEDED || facts.completionIndex != pod.completionIndex || !facts.holdsTrackingFinalizer)
    )
      endDelay(job, pod);
    beforeChange(job, pod);
    takePodFacts(pod, facts);
    if (!has(pod, POD_DELAYED)) judgePod(job, pod, job.podFailurePolicy === null ? 0 : facts.evidence.bytes());
    afterChange(job, pod);
  } else {
    leaveOwner(pod, !origin.isAnswer);
    takePodFacts(pod, facts);
    if (!join(pod, job, facts)) return true;
  }
  if (owned !== null) {
    if (job !== null) keepWaitMessage(job, facts);
    if (job === null) {
      pod.markUnselected();
      if (owned.deleting) abandonUnselected(owned);
      requestClaims(owned);
    } else if (!origin.isAnswer) {
      enqueueForPod(owned);
    }
    return true;
  }
  if (owner !== null) pod.abandon();
  wakeAdopters(pod);
  if (allSynced()) considerOrphan(pod);
  return true;
}

/** The record of a pod that was not known before. It has no Job yet. */
function newPod(facts: PodFacts, origin: Origin): Pod {
  const pod = addPod(
    blobOf(facts.uid, facts.uidSize),
    blobOf(facts.name, facts.nameSize),
    acquireName(facts.namespace, facts.namespaceSize),
  );
  markShown<Pod>(pod, RESOURCE_PODS, origin);
  takePodFacts(pod, facts);
  return pod;
}

/** Removes the pod that was read, because it is gone. False when it has a problem. */
export function applyPodDeleted(facts: PodFacts, origin: Origin): bool {
  if (!hasIdentity(facts, origin)) return false;
  const pod = findPod(facts.uid, facts.uidSize);
  unblockFor(pod, knownOwner(facts), facts);
  if (pod !== null) forgetPod(pod, !origin.isAnswer);
  return true;
}

// Whether a record of the pod is needed. Its Job needs it until the pod has ended without its finalizer, and as long as
// the Job has to release it. Without a Job the record is needed while the pod has its finalizer, may still find its
// Job, or may be adopted. The answer to the engine's own patch may precede the watch event. Then the record stays, or
// an older event would make the pod look new.
function isWorthKeeping(owner: Job | null, facts: PodFacts, origin: Origin): bool {
  // A controller of another kind owns the pod, and may use the finalizer itself. But if the pod names a Job with
  // another API group, that Job counts it while it lives.
  if (facts.isControlled && !facts.ownerIsBatchV1 && (owner === null || isOver(owner))) return false;
  if (facts.holdsTrackingFinalizer || origin.isAnswer) return true;
  if (owner !== null && owner.managedBy != 0) return false;
  // Some Job may adopt it.
  if (!facts.isControlled) return isNaN(facts.deletionMs);
  if (facts.phase < PHASE_SUCCEEDED) return owner === null || !owner.finished;
  // Its Job may be listed later. The pod may fail that Job, or the Job may not select it.
  if (owner === null) return !allSynced() && (facts.phase == PHASE_FAILED || keptLabelsSize(facts) > 0);
  // The pod is over, but its Job still has to release it.
  return !owner.finished && !owner.deleting && !selects(owner, facts);
}

// Recalls a finished pod for the backoff. A pod that was deleted before it ended is left out: it may have been surplus,
// or its Job suspended, and that is no failure.
function recall(facts: PodFacts, origin: Origin): void {
  // A watch only shows again what the list of its source has shown.
  if (
    origin.listEpoch == 0 ||
    facts.ownerUidSize == 0 ||
    facts.holdsTrackingFinalizer ||
    facts.phase < PHASE_SUCCEEDED ||
    !isNaN(facts.deletionMs)
  )
    return;
  recallPod(
    facts.ownerUid,
    facts.ownerUidSize,
    origin.listEpoch,
    facts.phase == PHASE_SUCCEEDED,
    facts.finishMs <= wallNow() ? facts.finishMs : wallNow(),
  );
}

// Judges a pod of which no record is kept. A failure that a policy calls final counts even if the finalizer is off
// (controller.md S16): there may have been a crash between counting and the end. A pod that was deleted and lost its
// finalizer does not count: see judgePod.
function judgeLast(job: Job, facts: PodFacts): void {
  const name = blobOf(facts.name, facts.nameSize);
  if (judgeUnkept(job, name, facts.evidence.bytes())) enqueueBatched(job);
  freeBlob(name);
}

function takePodFacts(pod: Pod, facts: PodFacts): void {
  pod.resourceVersion = facts.resourceVersion;
  pod.finishMs = knownFinish(pod, facts);
  pod.phase = facts.phase;
  pod.phaseRank = facts.phaseRank;
  pod.hasNode = facts.hasNode;
  pod.ready = facts.ready;
  pod.readySinceMs = facts.readySinceMs;
  pod.creationMs = facts.creationMs;
  pod.restarts = facts.restarts;
  pod.maxRestarts = facts.maxRestarts;
  pod.maxSidecarRestarts = facts.maxSidecarRestarts;
  pod.completionIndex = facts.completionIndex;
  pod.indexFailures = facts.indexFailures;
  pod.indexIgnoredFailures = facts.indexIgnoredFailures;
  pod.waitCode = facts.waitCode;
  if (!isNaN(facts.deletionMs))
    pod.markDeleting(facts.deletionMs - facts.deletionGracePeriodMs, facts.deletionGracePeriodMs);
  pod.showOwnerGroup(facts.ownerUidSize > 0 && !facts.ownerIsBatchV1);
  pod.showFinalizer(facts.holdsTrackingFinalizer, facts.resourceVersion);
  noteTerminated(pod, isTerminal(pod) && facts.holdsTrackingFinalizer);
}

// Keeps one message for each Job, the latest. Pods that wait for one reason mostly say the same.
function keepWaitMessage(job: Job, facts: PodFacts): void {
  const message = facts.waitMessage;
  if (message.length == 0 || (job.waitCode == facts.waitCode && blobIs(job.waitMessage, message.start, message.length)))
    return;
  freeBlob(job.waitMessage);
  job.waitMessage = blobOf(message.start, message.length);
  job.waitCode = facts.waitCode;
}

// When the pod ended. The clock of a node may be ahead. So a pod that ended in the future, or at no known time, counts
// as ended when that was first seen.
function knownFinish(pod: Pod, facts: PodFacts): f64 {
  const timeMs = wallNow();
  if (facts.finishMs <= timeMs) return facts.finishMs;
  return isTerminal(pod) ? pod.finishMs : timeMs;
}

// Adds the pod to its Job, or to the pods that wait for one. False when that pool is full: the pod was dropped.
function join(pod: Pod, job: Job | null, facts: PodFacts): bool {
  pod.ownerUid = dropBlob(pod.ownerUid);
  dropEvidence(pod);
  if (job !== null) {
    judgePod(job, pod, job.podFailurePolicy === null ? 0 : facts.evidence.bytes());
    attachPod(job, pod);
    return true;
  }
  const isOrphan = facts.ownerUidSize == 0;
  pod.awaitJob(isOrphan);
  pod.evidence = facts.evidence.keepWith(facts.labels, keptLabelsSize(facts));
  if (!isOrphan) pod.ownerUid = blobOf(facts.ownerUid, facts.ownerUidSize);
  else if (facts.controllerUidSize > 0) pod.ownerUid = blobOf(facts.controllerUid, facts.controllerUidSize);
  if (addWaiting(pod)) return true;
  dropPod(pod);
  return false;
}

// The Job that the pod names as its controller, if it is known.
function knownOwner(facts: PodFacts): Job | null {
  if (facts.ownerUidSize == 0) return null;
  const job = findJob(facts.namespace, facts.namespaceSize, facts.ownerName, facts.ownerNameSize);
  return job !== null && blobIs(job.uid, facts.ownerUid, facts.ownerUidSize) ? job : null;
}

// Unblocks the Job that the pod names, and the Job that it belonged to before.
function unblockFor(pod: Pod | null, owner: Job | null, facts: PodFacts): void {
  if (owner !== null) unblock(owner, facts);
  if (pod !== null && pod.job !== null) unblock(pod.job!, facts);
}
