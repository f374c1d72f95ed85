/**
 * Applies the Job that was read: creates, updates or removes its record, and queues a sync. Invariant: only a newer
 * resourceVersion replaces what is known. So events are idempotent: they may come twice, late, or from the answer to
 * the engine's own request. A Job with a problem stops.
 */
import { readSuccessPolicy } from "../model/success-policy";
import { readPodFailurePolicy } from "../model/pod-failure-policy";
import { documentOf } from "../json/blobs";
import { SLASH } from "../json/punctuation";
import { Writer } from "../json/writer";
import { compileSelector, isOneLabel } from "../model/label-selector";
import { findTerminal, freeConditions } from "../model/condition";
import { noteForeignStatus } from "../model/foreign-status";
import { foreignManager, gangScheduling } from "../model/configuration";
import { writeReference } from "../model/gang-objects";
import { enqueueBatched, enqueueNow, retrySooner } from "../queue/job-queue";
import { abandonUnselected, giveUpOrphans } from "../lifecycle/orphans";
import { adoptWaiting } from "../lifecycle/waiting-pods";
import { dropTemplate } from "../model/pod-template";
import { addSelecting } from "../model/selecting-jobs";
import { takeIndexTexts } from "../model/stored-indexes";
import { noteNewJob } from "../metrics/observe";
import { block, unblock } from "./unreadable-object";
import { acquireName } from "../memory/names";
import { relist, RESOURCE_JOBS, RESOURCE_PODS } from "../model/sources";
import { forgetJob, retire } from "../lifecycle/retire-job";
import { blobIs, blobOf, dropBlob, freeBlob } from "../memory/blob";
import {
  addJob,
  findJob,
  Job,
  keepIndexes,
  recountFinished,
  SELECTS_BY_LABELS,
  SELECTS_BY_UID,
  SELECTS_WHAT_IT_CONTROLS,
} from "../model/job";
import { hasIdentity, isOutdated, markShown, Origin } from "./origin";
import { CONTROLLER_UID } from "./read-metadata";
import { JobFacts } from "./job-facts";
import { ObjectFacts } from "./object-facts";

// The reference to the controller of the Job that was read last.
const reference = new Writer(128);

/** Takes in the Job that was read. False when it has a problem. */
export function applyJob(facts: JobFacts, origin: Origin): bool {
  if (!hasIdentity(facts, origin)) {
    facts.drop();
    return false;
  }
  let job = findJob(facts.namespace, facts.namespaceSize, facts.name, facts.nameSize);
  if (job !== null) {
    if (blobIs(job.uid, facts.uid, facts.uidSize)) {
      if (!origin.isAnswer) {
        markShown<Job>(job, RESOURCE_JOBS, origin);
        retrySooner(job);
      }
      if (facts.resourceVersion <= job.resourceVersion) return true;
    } else {
      if (facts.resourceVersion <= job.resourceVersion) return true;
      forgetJob(job);
      job = null;
    }
  }
  // The engine creates no Jobs. If only an answer shows a Job, then the Job has been deleted since.
  if (job === null && (origin.isAnswer || isOutdated(facts, origin, RESOURCE_JOBS))) return true;
  if (job === null)
    job = addJob(
      acquireName(facts.namespace, facts.namespaceSize),
      blobOf(facts.name, facts.nameSize),
      blobOf(facts.uid, facts.uidSize),
    );
  markShown<Job>(job, RESOURCE_JOBS, origin);
  // This is a Job that was not known before, or only by name.
  const isNew = job.resourceVersion == 0;
  if (isNew) readSelector(job, facts);
  if (facts.problem !== null) {
    // A new Job is then known by name only. So `explain` can say what is wrong with it.
    block(job, facts, origin);
    return false;
  }
  const specChanged = isNew || job.generation != facts.generation;
  const wasDeleting = job.deleting;
  takeJobFacts(job, facts);
  if (isNew) noteNewJob(job, facts.creationMs);
  unblock(job, facts);
  readPolicies(job, facts);
  if (gangScheduling) takeGangWishes(job, facts);
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
  else if (!origin.isAnswer) enqueueBatched(job);
  return true;
}

/** Removes the Job that was read, because it is gone. False when it has a problem. */
export function applyJobDeleted(facts: ObjectFacts, origin: Origin): bool {
  if (!hasIdentity(facts, origin)) return false;
  const job = findJob(facts.namespace, facts.namespaceSize, facts.name, facts.nameSize);
  if (job !== null && blobIs(job.uid, facts.uid, facts.uidSize)) forgetJob(job);
  return true;
}

function takeJobFacts(job: Job, facts: JobFacts): void {
  const isNew = job.resourceVersion == 0;
  const completionsChanged = job.spec.completions != facts.spec.completions;
  const modeChanged = job.spec.indexed != facts.spec.indexed;
  const replacementChanged = job.spec.onlyReplaceFailed != facts.spec.onlyReplaceFailed;
  job.resourceVersion = facts.resourceVersion;
  job.generation = facts.generation;
  job.deleting = !isNaN(facts.deletionMs);
  job.deletionMs = facts.deletionMs;
  job.spec.copyFrom(facts.spec);
  if (replacementChanged) recountFinished(job);
  freeBlob(job.managedBy);
  job.managedBy = foreignManager(facts.hasManagedBy, facts.managedBy, facts.managedBySize);
  if (changesPodCounts(job, facts, isNew)) noteForeignStatus(job, isNew);
  job.storedActive = facts.active;
  job.storedReady = facts.ready;
  job.storedTerminating = facts.terminating;
  job.storedSucceeded = facts.succeeded;
  job.storedFailed = facts.failed;
  job.startTimeMs = facts.startTimeMs;
  job.completionTimeMs = facts.completionTimeMs;
  takeConditions(job, facts);
  job.hasUncounted = facts.hasUncounted;
  if (job.liveCompleted === null) return;

  job.uncountedSucceeded.copyFrom(facts.uncountedSucceeded);
  job.uncountedFailed.copyFrom(facts.uncountedFailed);
  takeIndexTexts(job, facts.takeCompletedText(), facts.takeFailedText(), completionsChanged);
  if (completionsChanged && job.indexes !== null) job.indexes!.mayBeOutOfRange = true;
  if (job.spec.indexed) keepIndexes(job);
  takeTemplate(job, facts, modeChanged);
}

// Whether the status counts pods that the pod source may not have shown yet: ended pods or, for a Job that is new to
// the engine, running ones. If the status is the engine's own write, its answer undoes the note
// (steps/write-status.ts).
function changesPodCounts(job: Job, facts: JobFacts, isNew: bool): bool {
  if (facts.succeeded != job.storedSucceeded || facts.failed != job.storedFailed) return true;
  if (isNew && (facts.active > 0 || facts.terminating > 0)) return true;
  const succeeded = job.liveUncountedSucceeded;
  const failed = job.liveUncountedFailed;
  return (
    succeeded !== null &&
    failed !== null &&
    !(succeeded.equals(facts.uncountedSucceeded) && failed.equals(facts.uncountedFailed))
  );
}

// A Job that has ended stays ended, even if another client removes that condition from its status: the engine keeps
// nothing else of the Job.
function takeConditions(job: Job, facts: JobFacts): void {
  const conditions = facts.takeConditions();
  const isFinished = findTerminal(conditions) !== null;
  if (job.finished && !isFinished) {
    freeConditions(conditions);
    return;
  }
  freeConditions(job.conditions);
  job.conditions = conditions;
  job.finished = isFinished;
}

// The selector does not change while a Job lives. If the API server would not have stored this selector, the Job has a
// problem. A Job from elsewhere may have no selector: then its pods are those that name it.
function readSelector(job: Job, facts: JobFacts): void {
  job.selector = dropBlob(job.selector);
  job.selects = SELECTS_WHAT_IT_CONTROLS;
  if (facts.selectorSize == 0) return;
  const compiled = compileSelector(facts.selector, facts.selectorSize);
  const problem = compiled.problem;
  job.selector = compiled.blob;
  if (problem !== null) {
    facts.noteProblem("couldn't convert Job selector: " + problem);
  } else if (isOneLabel(job.selector, CONTROLLER_UID, job.uid)) {
    job.selects = SELECTS_BY_UID;
    job.selector = dropBlob(job.selector);
  } else {
    job.selects = SELECTS_BY_LABELS;
  }
}

// The policies do not change while a Job lives, so this happens once.
function readPolicies(job: Job, facts: JobFacts): void {
  if (job.finished) return;
  const failureText = keptDocument(job.podFailurePolicyText, facts.podFailurePolicy, facts.podFailurePolicySize);
  if (failureText != job.podFailurePolicyText) {
    const old = job.podFailurePolicy;
    if (old !== null) old.free();
    job.podFailurePolicy = readPodFailurePolicy(failureText);
    freeBlob(job.podFailurePolicyText);
    job.podFailurePolicyText = failureText;
  }
  const successText = keptDocument(job.successPolicyText, facts.successPolicy, facts.successPolicySize);
  if (successText != job.successPolicyText) {
    const old = job.successPolicy;
    if (old !== null) old.free();
    job.successPolicy = readSuccessPolicy(successText);
    freeBlob(job.successPolicyText);
    job.successPolicyText = successText;
  }
}

// What the pods of the Job need beside themselves: what its spec says of it, and what its controller has delegated.
function takeGangWishes(job: Job, facts: JobFacts): void {
  if (job.finished) return;
  const scheduling = keptDocument(job.scheduling, facts.scheduling, facts.schedulingSize);
  if (scheduling != job.scheduling) {
    freeBlob(job.scheduling);
    job.scheduling = scheduling;
  }
  freeBlob(job.parent);
  job.parent = facts.isControlled ? parentOf(facts) : 0;
  freeBlob(job.groupTemplate);
  job.groupTemplate = facts.hasGroupTemplate ? blobOf(facts.groupTemplate, facts.groupTemplateSize) : 0;
}

// The controlling owner, as a Workload refers to it. An apiVersion with two slashes names no group, so the slashes that
// it brings into the reference keep any Workload from having this one.
function parentOf(facts: JobFacts): usize {
  const version = facts.controllerApiVersion;
  let groupSize = facts.controllerApiVersionSize;
  while (groupSize > 0 && load<u8>(version + groupSize - 1) != SLASH) --groupSize;
  reference.reset();
  writeReference(
    reference,
    version,
    groupSize == 0 ? 0 : groupSize - 1,
    facts.controllerKind,
    facts.controllerKindSize,
    facts.controllerName,
    facts.controllerNameSize,
  );
  return blobOf(reference.start, reference.length);
}

// `known`, if it holds this JSON; otherwise a new blob with the JSON, and the caller frees `known`. Size 0: there is no
// JSON, and no blob if there was none.
function keptDocument(known: usize, ptr: usize, size: u32): usize {
  if (known == 0 ? size == 0 : blobIs(known, ptr, size)) return known;
  return documentOf(ptr, size);
}

// Keeps the template's JSON. The rendered pieces depend on the template and on the completion mode, so a change of
// either drops them.
function takeTemplate(job: Job, facts: JobFacts, modeChanged: bool): void {
  if (!modeChanged && blobIs(job.template, facts.template, facts.templateSize)) return;
  freeBlob(job.template);
  job.template = documentOf(facts.template, facts.templateSize);
  dropTemplate(job);
}
