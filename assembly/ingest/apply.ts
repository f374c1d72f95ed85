/**
 * What was read becomes what is known: records appear, change and go, and Jobs are queued for a sync. Invariant: per
 * UID only a newer resourceVersion replaces a record, so events may come twice, late, or from the answer to an own
 * request before the watch shows them. An object with a problem changes nothing but its own Job, which stops.
 */
import { resumeJob } from "../lifecycle/unreadable";
import { isOver, forgetJob, retire } from "../lifecycle/retire-job";
import { forgetPod, leaveOwner, dropPod } from "../lifecycle/forget-pod";
import { noteGarbage } from "../memory/garbage";
import { ABSENT } from "../model/absent";
import * as reader from "../json/reader";
import { Writer } from "../json/writer";
import { evidenceRead, keepEvidence, readPolicy } from "../model/pod-failure-policy";
import { judgePod, judgeUnkept } from "../lifecycle/judgement";
import { readSuccessPolicy } from "../model/success-policy";
import { noteNewJob, noteTerminated } from "../metrics/observe";
import { blobAt, blobIs, blobOf, blobsEqual, blobSize, freeBlob } from "../memory/blob";
import { documentOf } from "../json/blobs";
import { findTerminal, freeConditions } from "../model/condition";
import { foreignManager } from "../model/configuration";
import { addSelecting } from "../model/selecting-jobs";
import { keptLabelsSize, selectsRead } from "./selection";
import { compileSelector, isOneLabel, selectorProblem } from "../model/label-selector";
import {
  addJob,
  afterChange,
  attachPod,
  beforeChange,
  endDelay,
  findJob,
  forEachJob,
  isCompletedStored,
  Job,
  keepIndexes,
  NOT_COMPARED,
  recountFinished,
  SELECTS_BY_LABELS,
  SELECTS_BY_UID,
  SELECTS_WHAT_IT_CONTROLS,
} from "../model/job";
import { acquireName, releaseName } from "../memory/names";
import { recallPod } from "../lifecycle/past-pods";
import {
  addPod,
  dropEvidence,
  findPod,
  forEachPod,
  has,
  isTerminal,
  PHASE_FAILED,
  PHASE_SUCCEEDED,
  Pod,
  POD_ABANDONED,
  POD_DELAYED,
  POD_FINALIZER,
  POD_FINALIZER_REMOVED,
  POD_ORPHAN,
  POD_OTHER_GROUP,
  POD_UNSELECTED,
  setDeleting,
} from "../model/pod";
import { MAX_UID_BYTES } from "../model/uid-list";
import { addWaiting, adoptWaiting } from "../lifecycle/waiting-pods";
import { enqueueBatched, enqueueForPod, enqueueNow } from "../queue/job-queue";
import { noteTold } from "../model/told";
import { wallNow } from "../time/now";
import * as trace from "../trace";
import * as metadata from "./metadata";
import * as podFacts from "./read-pod";
import * as jobFacts from "./read-job";
import { abandonUnselected, considerOrphan, giveUpOrphans, requestClaims, wakeAdopters } from "../lifecycle/orphans";
import { allSynced, findSource, relist, RESOURCE_JOBS, RESOURCE_PODS, sourceOf } from "../model/sources";

/** The object comes from the answer to an own request, not from a source. */
export const FROM_ANSWER: i32 = -1;

// Where the present object comes from: the id of its source and, while a list is taken, the number of that list.
export let origin: i32 = FROM_ANSWER;
export let epoch: u32 = 0;

const unreadableText = new Writer(256);

/** Says where the objects applied next come from. */
export function setOrigin(sourceId: i32, listEpoch: u32): void {
  origin = sourceId;
  epoch = listEpoch;
}

// ── pods ────────────────────────────────────────────────────────────────────────────────────────────

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

/**
 * A list of pods has ended: what its source did not show is gone, unless it is newer than the list. A pod that could
 * not be read and was not shown again is gone too. `argument`: list epoch in the high half, source id in the low one.
 */
export function sweepPods(sourceId: u32, listEpoch: u32): void {
  forEachPod(
    (pod: Pod, argument: u64) => {
      const id = u32(argument);
      if (
        pod.source == u8(id) &&
        pod.listEpoch != u32(argument >> 32) &&
        pod.resourceVersion <= findSource(id)!.listVersion
      )
        forgetPod(pod, true);
    },
    (u64(listEpoch) << 32) | u64(sourceId),
  );
  forEachJob(
    (job: Job, argument: u64) => {
      if (job.unreadable == 0 || job.unreadableEpoch == u32(argument >> 32) || blobsEqual(job.unreadableUid, job.uid))
        return;
      const namespace = findSource(u32(argument))!.namespace;
      if (namespace == 0 || blobsEqual(namespace, job.namespace)) resumeJob(job);
    },
    (u64(listEpoch) << 32) | u64(sourceId),
  );
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

// ── Jobs ────────────────────────────────────────────────────────────────────────────────────────────

/** Takes the Job that was just read. False when it has a problem. */
export function applyJob(): bool {
  if (!hasIdentity()) {
    jobFacts.drop();
    return false;
  }
  let job = findJob(metadata.namespace, metadata.namespaceSize, metadata.name, metadata.nameSize);
  if (job !== null) {
    if (blobIs(job.uid, metadata.uid, metadata.uidSize)) {
      if (origin != FROM_ANSWER) markJobShown(job);
      if (metadata.resourceVersion <= job.resourceVersion) return true;
    } else {
      if (metadata.resourceVersion <= job.resourceVersion) return true;
      forgetJob(job);
      job = null;
    }
  }
  // An engine makes no Jobs: one that only an answer knows has been deleted since.
  if (job === null && (origin == FROM_ANSWER || isOutdated(RESOURCE_JOBS))) return true;
  if (job === null)
    job = addJob(
      acquireName(metadata.namespace, metadata.namespaceSize),
      blobOf(metadata.name, metadata.nameSize),
      blobOf(metadata.uid, metadata.uidSize),
    );
  markJobShown(job);
  // Known by name only, if at all.
  const isNew = job.resourceVersion == 0;
  if (isNew) readSelector(job);
  if (metadata.problem !== null) {
    // A new Job is known by name only, so that `explain` can say what is wrong with it.
    block(job);
    return false;
  }
  const specChanged = isNew || job.generation != metadata.generation;
  const wasDeleting = job.deleting;
  takeJobFacts(job);
  if (isNew) noteNewJob(job, metadata.creationMs);
  unblock(job);
  readPolicies(job);
  if (isNew && !job.finished) addSelecting(job);
  if (isNew && adoptWaiting(job)) relist(RESOURCE_PODS, job.namespace);
  if (job.deleting && !wasDeleting) {
    giveUpOrphans(job);
    abandonUnselected(job);
  }
  if (job.finished) {
    retire(job);
    return true;
  }
  if (specChanged) enqueueNow(job);
  else if (origin != FROM_ANSWER) enqueueBatched(job);
  return true;
}

export function applyJobDeleted(): bool {
  if (!hasIdentity()) return false;
  const job = findJob(metadata.namespace, metadata.namespaceSize, metadata.name, metadata.nameSize);
  if (job !== null && blobIs(job.uid, metadata.uid, metadata.uidSize)) forgetJob(job);
  return true;
}

/** A list of Jobs has ended: what its source did not show is gone, unless it is newer than the list. */
export function sweepJobs(sourceId: u32, listEpoch: u32): void {
  forEachJob(
    (job: Job, argument: u64) => {
      const id = u32(argument);
      if (
        job.source == u8(id) &&
        job.listEpoch != u32(argument >> 32) &&
        job.resourceVersion <= findSource(id)!.listVersion
      )
        forgetJob(job);
    },
    (u64(listEpoch) << 32) | u64(sourceId),
  );
}

function takeJobFacts(job: Job): void {
  const isNew = job.resourceVersion == 0;
  const completionsChanged = job.completions != jobFacts.completions;
  const modeChanged = job.indexed != jobFacts.indexed;
  job.resourceVersion = metadata.resourceVersion;
  job.generation = metadata.generation;
  job.deleting = !isNaN(metadata.deletionMs);
  job.deletionMs = metadata.deletionMs;
  job.parallelism = jobFacts.parallelism;
  job.completions = jobFacts.completions;
  job.backoffLimit = jobFacts.backoffLimit;
  // No API server takes a limit per index without indexes; one that comes all the same limits nothing.
  job.backoffLimitPerIndex = jobFacts.indexed ? jobFacts.backoffLimitPerIndex : ABSENT;
  job.maxFailedIndexes = jobFacts.maxFailedIndexes;
  job.activeDeadlineMs = jobFacts.activeDeadlineMs;
  job.ttlMs = jobFacts.ttlMs;
  job.indexed = jobFacts.indexed;
  job.onFailure = jobFacts.onFailure;
  job.suspended = jobFacts.suspended;
  job.hasSchedulingGroup = jobFacts.hasSchedulingGroup;
  if (job.onlyReplaceFailed != jobFacts.onlyReplaceFailed) {
    job.onlyReplaceFailed = jobFacts.onlyReplaceFailed;
    recountFinished(job);
  }
  job.hasUnknownMode = jobFacts.hasUnknownMode;
  freeBlob(job.managedBy);
  job.managedBy = foreignManager(jobFacts.hasManagedBy, jobFacts.managedBy, jobFacts.managedBySize);
  if (tellsOfPods(job, isNew)) noteTold(job, isNew);
  job.storedActive = jobFacts.active;
  job.storedReady = jobFacts.ready;
  job.storedTerminating = jobFacts.terminating;
  job.storedSucceeded = jobFacts.succeeded;
  job.storedFailed = jobFacts.failed;
  job.startTimeMs = jobFacts.startTimeMs;
  job.completionTimeMs = jobFacts.completionTimeMs;
  takeConditions(job);
  job.hasUncounted = jobFacts.hasUncounted;
  if (job.liveCompleted === null) return;

  job.uncountedSucceeded.copyFrom(jobFacts.uncountedSucceeded);
  job.uncountedFailed.copyFrom(jobFacts.uncountedFailed);
  takeCompletedText(job);
  // What this engine has just written itself is what it knows already.
  if (completionsChanged || !isCompletedStored(job)) job.completedIsStale = true;
  freeBlob(job.failedText);
  job.failedText = jobFacts.takeFailedText();
  if (completionsChanged || !job.failed.equalsText(blobAt(job.failedText), blobSize(job.failedText)))
    job.failedIsStale = true;
  if (completionsChanged && job.indexes !== null) job.indexes!.mayBeOutOfRange = true;
  if (job.indexed) keepIndexes(job);
  takeTemplate(job, modeChanged);
}

// Pods were counted, or in a Job that is new here made, of which the pod source may not have told yet. What an own
// status write says is taken back when its answer comes (settle.ts).
function tellsOfPods(job: Job, isNew: bool): bool {
  if (jobFacts.succeeded != job.storedSucceeded || jobFacts.failed != job.storedFailed) return true;
  if (isNew && (jobFacts.active > 0 || jobFacts.terminating > 0)) return true;
  const succeeded = job.liveUncountedSucceeded;
  const failed = job.liveUncountedFailed;
  return (
    succeeded !== null &&
    failed !== null &&
    !(succeeded.equals(jobFacts.uncountedSucceeded) && failed.equals(jobFacts.uncountedFailed))
  );
}

// A Job that has ended stays so, also when somebody takes the condition that says so out of its status: nothing else is
// kept of it.
function takeConditions(job: Job): void {
  const conditions = jobFacts.takeConditions();
  const isFinished = findTerminal(conditions) !== null;
  if (job.finished && !isFinished) {
    freeConditions(conditions);
    return;
  }
  freeConditions(job.conditions);
  job.conditions = conditions;
  job.finished = isFinished;
}

// The selector does not change while a Job lives. One that the API server would not have stored is a problem of the
// Job. A Job from elsewhere may have none: its pods are those that name it.
function readSelector(job: Job): void {
  freeBlob(job.selector);
  job.selector = 0;
  job.selects = SELECTS_WHAT_IT_CONTROLS;
  if (jobFacts.selectorSize == 0) return;
  job.selector = compileSelector(jobFacts.selector, jobFacts.selectorSize);
  if (selectorProblem !== null) {
    metadata.noteProblem("couldn't convert Job selector: " + selectorProblem!);
  } else if (isOneLabel(job.selector, metadata.CONTROLLER_UID, job.uid)) {
    job.selects = SELECTS_BY_UID;
    freeBlob(job.selector);
    job.selector = 0;
  } else {
    job.selects = SELECTS_BY_LABELS;
  }
}

// The policies do not change while a Job lives, so that this happens once.
function readPolicies(job: Job): void {
  if (job.finished) return;
  if (!sameText(job.podFailurePolicyText, jobFacts.podFailurePolicy, jobFacts.podFailurePolicySize)) {
    freeBlob(job.podFailurePolicyText);
    job.podFailurePolicyText = documentOf(jobFacts.podFailurePolicy, jobFacts.podFailurePolicySize);
    const old = job.podFailurePolicy;
    if (old !== null) old.free();
    reader.aside();
    job.podFailurePolicy = readPolicy(blobAt(job.podFailurePolicyText), blobSize(job.podFailurePolicyText));
    reader.back();
  }
  if (!sameText(job.successPolicyText, jobFacts.successPolicy, jobFacts.successPolicySize)) {
    freeBlob(job.successPolicyText);
    job.successPolicyText = documentOf(jobFacts.successPolicy, jobFacts.successPolicySize);
    const old = job.successPolicy;
    if (old !== null) old.free();
    reader.aside();
    job.successPolicy = readSuccessPolicy(blobAt(job.successPolicyText), blobSize(job.successPolicyText));
    reader.back();
  }
}

function sameText(blob: usize, ptr: usize, size: u32): bool {
  return blob == 0 ? size == 0 : blobIs(blob, ptr, size);
}

function takeCompletedText(job: Job): void {
  const text = jobFacts.takeCompletedText();
  if (blobsEqual(job.completedText, text)) {
    freeBlob(text);
    return;
  }
  freeBlob(job.completedText);
  job.completedText = text;
  job.comparedCount = NOT_COMPARED;
}

// Kept as it stands; the rendered pieces, which the completion mode has a part in, go when one of the two changed.
function takeTemplate(job: Job, modeChanged: bool): void {
  if (!modeChanged && blobIs(job.template, jobFacts.template, jobFacts.templateSize)) return;
  freeBlob(job.template);
  job.template = documentOf(jobFacts.template, jobFacts.templateSize);
  const rendered = job.podTemplate;
  if (rendered !== null) rendered.free();
  job.podTemplate = null;
}

// ── both ────────────────────────────────────────────────────────────────────────────────────────────

/** Without a name, a UID and a version an object is nobody's: there is nothing to block. */
export function hasIdentity(): bool {
  if (metadata.nameSize == 0) metadata.noteProblem("metadata.name: missing");
  else if (metadata.uidSize == 0) metadata.noteProblem("metadata.uid: missing");
  else if (metadata.uidSize > MAX_UID_BYTES) metadata.noteProblem("metadata.uid: longer than 63 bytes");
  else if (metadata.resourceVersion == 0)
    metadata.noteProblem("metadata.resourceVersion: missing, or not a decimal number");
  else if (!isOfItsSource()) metadata.noteProblem("metadata.namespace: not the one that its source is limited to");
  else return true;
  return false;
}

// A source of one namespace that shows another's is mixed up: the pods of a Job there may be shown by nobody.
function isOfItsSource(): bool {
  if (origin == FROM_ANSWER) return true;
  const namespace = findSource(u32(origin))!.namespace;
  return namespace == 0 || blobIs(namespace, metadata.namespace, metadata.namespaceSize);
}

// The Job that the pod just read names as its controller, if it is known.
function knownOwner(): Job | null {
  if (metadata.ownerUidSize == 0) return null;
  const job = findJob(metadata.namespace, metadata.namespaceSize, metadata.ownerName, metadata.ownerNameSize);
  return job !== null && blobIs(job.uid, metadata.ownerUid, metadata.ownerUidSize) ? job : null;
}

/**
 * The source has come as far as the object just read, which this engine does not know: it has been deleted, and an
 * answer or an event came late. A list says what is there.
 */
export function isOutdated(resource: u8): bool {
  if (epoch != 0) return false;
  if (origin != FROM_ANSWER) return metadata.resourceVersion <= findSource(u32(origin))!.version;
  const namespace = acquireName(metadata.namespace, metadata.namespaceSize);
  const source = findSource(u32(sourceOf(resource, namespace)));
  releaseName(namespace);
  return source !== null && metadata.resourceVersion <= source.version;
}

function markShown(pod: Pod): void {
  if (origin == FROM_ANSWER) {
    if (pod.resourceVersion == 0) pod.source = sourceOf(RESOURCE_PODS, pod.namespace);
    return;
  }
  pod.source = u8(origin);
  if (epoch != 0) pod.listEpoch = epoch;
}

function markJobShown(job: Job): void {
  if (origin == FROM_ANSWER) {
    if (job.resourceVersion == 0) job.source = sourceOf(RESOURCE_JOBS, job.namespace);
    return;
  }
  job.source = u8(origin);
  if (epoch != 0) job.listEpoch = epoch;
}

function block(job: Job): void {
  freeBlob(job.unreadable);
  freeBlob(job.unreadableUid);
  noteGarbage();
  unreadableText.reset();
  if (blobIs(job.uid, metadata.uid, metadata.uidSize)) {
    unreadableText.text("this Job");
  } else {
    unreadableText.text("pod ");
    unreadableText.bytes(metadata.name, metadata.nameSize);
    unreadableText.text(" of this Job");
  }
  unreadableText.text(" cannot be read (");
  unreadableText.text(metadata.problem!);
  unreadableText.byte(0x29);
  job.unreadable = blobOf(unreadableText.start, unreadableText.length);
  job.unreadableUid = blobOf(metadata.uid, metadata.uidSize);
  job.unreadableEpoch = epoch;
  trace.record(job, trace.UNREADABLE, job.unreadable);
}

// Also the Job that the pod belonged to, when it names another one by now, or none.
function unblockFor(pod: Pod | null, owner: Job | null): void {
  if (owner !== null) unblock(owner);
  if (pod !== null && pod.job !== null) unblock(pod.job!);
}

// The object that could not be read can be read now, or is gone.
function unblock(job: Job): void {
  if (job.unreadable != 0 && blobIs(job.unreadableUid, metadata.uid, metadata.uidSize)) resumeJob(job);
}
