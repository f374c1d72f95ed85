/**
 * An Indexed Job whose pods all run at once gets a Workload and a PodGroup before its pods are managed. So a scheduler
 * starts its pods together or not at all. `ensureGang` is called again after each answer, and derives the next request
 * from the known objects. Names are computed from UIDs, so creation is idempotent: if the answer to a creation is lost,
 * the next one gets "already exists", and the object is read. Leaves out updates and deletion: the garbage collector
 * deletes both objects with the Job. Source: docs/spec/controller.md section 11.
 */
import { SLASH } from "../json/punctuation";
import { gangScheduling } from "../model/configuration";
import { RESOURCE_POD_GROUPS, RESOURCE_WORKLOADS } from "../model/sources";
import { Writer } from "../json/writer";
import { blobOf, blobsEqual, copyOf, dropBlob, freeBlob, literal } from "../memory/blob";
import { CONDITION_SUSPENDED, findCondition } from "../model/condition";
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import * as trace from "../trace";
import { writePodGroupName, writeTemplateName, writeWorkloadName } from "./names";
import { firstReferring, GangObject, nextReferring } from "../model/gang-objects";

/** The most attempts of one sync to create one object. Between two attempts it reads the existing object. */
const MAX_ATTEMPTS: u8 = 5;

/** What the last answer of this sync said about the object that is wanted. */
export const ANSWER_NONE: u8 = 0;
/** There is an object with this name. It is read next. */
export const ANSWER_EXISTS: u8 = 1;
/** The object was read. */
export const ANSWER_SHOWN: u8 = 2;

// Why pods are created without a PodGroup; 0: there is no such reason.
const BEGUN: u8 = 1;
const SEVERAL_WORKLOADS: u8 = 2;
const FOREIGN_WORKLOAD: u8 = 3;
const OTHER_TEMPLATES: u8 = 4;
const SEVERAL_POD_GROUPS: u8 = 5;
const FOREIGN_POD_GROUP: u8 = 6;
const REASONS: StaticArray<usize> = [
  literal("it has begun without a Workload"),
  literal("more than one Workload refers to it"),
  literal("its Workload is not controlled by it"),
  literal("its Workload has not exactly one PodGroupTemplate"),
  literal("more than one PodGroup refers to its Workload"),
  literal("its PodGroup is not controlled by it"),
];

const text = new Writer(512);

/**
 * True when pods may be managed; `sync.podGroup` is their PodGroup. False when a request comes first, or the sync is
 * broken.
 */
export function ensureGang(job: Job, sync: Sync): bool {
  // The namespace of a Job that is being deleted may be terminating too. The server would then refuse a PodGroup, and
  // the failed sync would not remove the finalizers.
  if (!gangScheduling || job.deleting || !isCandidate(job)) return true;
  const workload = firstReferring(RESOURCE_WORKLOADS, job.namespace, job.name);
  if (workload === null) {
    if (!isNew(job)) return fallBack(job, BEGUN);
    return wantWorkload(job, sync);
  }
  if (nextReferring(workload) !== null) return fallBack(job, SEVERAL_WORKLOADS);
  if (sync.madeWorkload) {
    if (workload.templateCount == 0) return failWithoutTemplates(job, sync, workload);
  } else {
    if (!isControlledBy(workload, job)) return fallBack(job, FOREIGN_WORKLOAD);
    if (workload.templateCount != 1) return fallBack(job, OTHER_TEMPLATES);
  }
  const podGroup = firstReferring(RESOURCE_POD_GROUPS, job.namespace, workload.name);
  if (podGroup === null) return wantPodGroup(job, sync, workload);
  if (nextReferring(podGroup) !== null) return fallBack(job, SEVERAL_POD_GROUPS);
  if (!isControlledBy(podGroup, job)) return fallBack(job, FOREIGN_POD_GROUP);
  sync.podGroup = copyOf(podGroup.name);
  job.gangFallback = 0;
  return true;
}

/**
 * The sync fails, because no pod is created before both objects are there. `problem` is a blob; `status` is that of the
 * answer that says so, or NaN.
 */
export function failGang(job: Job, sync: Sync, problem: usize, status: f64): void {
  sync.fail();
  sync.breakOff();
  text.reset();
  writeKey(job.namespace, job.name);
  text.text(": ");
  text.blob(problem);
  const message = blobOf(text.start, text.length);
  trace.record(job, trace.GANG_FAILED, message, status);
  freeBlob(message);
}

function isCandidate(job: Job): bool {
  const spec = job.spec;
  return spec.parallelism > 1 && spec.indexed && spec.completions == spec.parallelism && !spec.hasSchedulingGroup;
}

// Whether nothing has happened to the Job yet.
function isNew(job: Job): bool {
  return (
    job.pods === null &&
    isNaN(job.startTimeMs) &&
    job.storedSucceeded == 0 &&
    job.storedFailed == 0 &&
    findCondition(job.conditions, CONDITION_SUSPENDED) === null
  );
}

function isControlledBy(object: GangObject, job: Job): bool {
  return blobsEqual(object.controllerUid, job.uid);
}

function fallBack(job: Job, reason: u8): bool {
  if (job.gangFallback != reason) trace.record(job, trace.GANG_FALLBACK, REASONS[reason - 1]);
  job.gangFallback = reason;
  return true;
}

function wantWorkload(job: Job, sync: Sync): bool {
  text.reset();
  writeWorkloadName(text, job);
  if (!ask(job, sync, RESOURCE_WORKLOADS)) return false;
  begin("Workload", job, sync);
  text.text(']},"spec":{"controllerRef":{"apiGroup":"batch","kind":"Job","name":');
  quoted(job.name);
  text.text('},"podGroupTemplates":[{"name":"');
  writeTemplateName(text, job);
  text.text('","schedulingPolicy":{"gang":{"minCount":');
  text.integer(job.spec.parallelism);
  text.text("}}}]}}");
  sync.gangBody = blobOf(text.start, text.length);
  return false;
}

function wantPodGroup(job: Job, sync: Sync, workload: GangObject): bool {
  text.reset();
  writePodGroupName(text, workload.name, workload.templateName);
  if (!ask(job, sync, RESOURCE_POD_GROUPS)) return false;
  begin("PodGroup", job, sync);
  text.text(',{"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"Workload","name":');
  quoted(workload.name);
  text.text(',"uid":');
  quoted(workload.uid);
  text.text('}]},"spec":{"podGroupTemplateRef":{"workload":{"workloadName":');
  quoted(workload.name);
  text.text(',"podGroupTemplateName":');
  quoted(workload.templateName);
  text.text('}},"schedulingPolicy":');
  if (workload.schedulingPolicy == 0) text.text("{}");
  else text.blob(workload.schedulingPolicy);
  text.text("}}");
  sync.gangBody = blobOf(text.start, text.length);
  return false;
}

// Requests the object whose name is in `text`: it is missing, and is read or created next. False after MAX_ATTEMPTS;
// then the sync has failed.
function ask(job: Job, sync: Sync, resource: u8): bool {
  freeBlob(sync.gangName);
  sync.gangName = blobOf(text.start, text.length);
  sync.gangBody = dropBlob(sync.gangBody);
  if (sync.gangResource != resource) {
    sync.gangResource = resource;
    sync.gangAttempts = 0;
    sync.gangAnswer = ANSWER_NONE;
  }
  // An object of another owner has this name, so it cannot be created.
  if (sync.gangAnswer == ANSWER_SHOWN || (sync.gangAnswer == ANSWER_NONE && sync.gangAttempts == MAX_ATTEMPTS)) {
    text.reset();
    text.text(resourceName(resource));
    text.text(".scheduling.k8s.io ");
    quoted(sync.gangName);
    text.text(" already exists");
    failWith(job, sync);
    return false;
  }
  if (sync.gangAnswer == ANSWER_NONE) ++sync.gangAttempts;
  return true;
}

function failWithoutTemplates(job: Job, sync: Sync, workload: GangObject): bool {
  text.reset();
  text.text("workload ");
  writeKey(workload.namespace, workload.name);
  text.text(" has no PodGroupTemplates");
  failWith(job, sync);
  return false;
}

// The sync fails with the problem in `text`.
function failWith(job: Job, sync: Sync): void {
  const problem = blobOf(text.start, text.length);
  failGang(job, sync, problem, NaN);
  freeBlob(problem);
}

/** The name of the resource in paths: `workloads` or `podgroups`. */
export function resourceName(resource: u8): string {
  return resource == RESOURCE_WORKLOADS ? "workloads" : "podgroups";
}

// Writes the beginning of both objects, up to their first owner.
function begin(kind: string, job: Job, sync: Sync): void {
  text.reset();
  text.text('{"apiVersion":"scheduling.k8s.io/v1alpha2","kind":"');
  text.text(kind);
  text.text('","metadata":{"name":');
  quoted(sync.gangName);
  text.text(',"namespace":');
  quoted(job.namespace);
  text.text(',"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":');
  quoted(job.name);
  text.text(',"uid":');
  quoted(job.uid);
  text.text(',"controller":true,"blockOwnerDeletion":true}');
}

function quoted(blob: usize): void {
  text.quotedBlob(blob);
}

function writeKey(namespace: usize, name: usize): void {
  text.blob(namespace);
  text.byte(SLASH);
  text.blob(name);
}
