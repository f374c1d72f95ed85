/**
 * The Job that was read becomes what is known: its record appears, changes and goes, and is queued for a sync.
 * Invariant: only a newer resourceVersion replaces what is known, so events may come twice, late, or from the answer to
 * an own request. A Job with a problem stops.
 */
import { ABSENT } from "../model/absent";
import { readSuccessPolicy } from "../model/success-policy";
import { readPolicy } from "../model/pod-failure-policy";
import { documentOf } from "../json/blobs";
import { compileSelector, selectorProblem, isOneLabel } from "../model/label-selector";
import { findTerminal, freeConditions } from "../model/condition";
import { noteTold } from "../model/told";
import { foreignManager } from "../model/configuration";
import { enqueueNow, enqueueBatched } from "../queue/job-queue";
import { giveUpOrphans, abandonUnselected } from "../lifecycle/orphans";
import { adoptWaiting } from "../lifecycle/waiting-pods";
import { addSelecting } from "../model/selecting-jobs";
import { noteNewJob } from "../metrics/observe";
import { block, unblock } from "./unreadable-object";
import { acquireName } from "../memory/names";
import { RESOURCE_JOBS, relist, RESOURCE_PODS, sourceOf } from "../model/sources";
import { forgetJob, retire } from "../lifecycle/retire-job";
import { blobIs, blobOf, freeBlob, blobAt, blobSize, blobsEqual } from "../memory/blob";
import {
  findJob,
  addJob,
  Job,
  recountFinished,
  isCompletedStored,
  keepIndexes,
  SELECTS_WHAT_IT_CONTROLS,
  SELECTS_BY_UID,
  SELECTS_BY_LABELS,
  NOT_COMPARED,
} from "../model/job";
import { hasIdentity, origin, FROM_ANSWER, isOutdated, epoch } from "./origin";
import * as metadata from "./metadata";
import * as reader from "../json/reader";
import * as jobFacts from "./read-job";

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
// status write says is taken back when its answer comes (steps/write-status.ts).
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

function markJobShown(job: Job): void {
  if (origin == FROM_ANSWER) {
    if (job.resourceVersion == 0) job.source = sourceOf(RESOURCE_JOBS, job.namespace);
    return;
  }
  job.source = u8(origin);
  if (epoch != 0) job.listEpoch = epoch;
}
