/**
 * A Job gets a Workload, which says what a scheduler must know of it, and a PodGroup, to which its pods belong, before
 * its pods are managed. A controller of Jobs may have made the Workload and have delegated the PodGroup. `ensureGang`
 * is called again after each answer, and derives the next request from the known objects. Names are computed from UIDs,
 * so creation is idempotent: if the answer to a creation is lost, the next one gets "already exists", and the object is
 * read. Of what is there, the minCount of a gang alone is changed: it follows the Job. Leaves out deletion: the garbage
 * collector deletes both objects with the Job. Source: docs/spec/controller.md section 11.
 */
import { SLASH } from "../json/punctuation";
import { announceWorkloadRefused } from "../events/announce";
import { gangScheduling } from "../model/configuration";
import { RESOURCE_POD_GROUPS, RESOURCE_WORKLOADS } from "../model/sources";
import { Writer } from "../json/writer";
import { blobAt, blobOf, blobsEqual, blobSize, copyOf, dropBlob, freeBlob, literal } from "../memory/blob";
import { ABSENT } from "../model/absent";
import { CONDITION_SUSPENDED, findCondition } from "../model/condition";
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import * as trace from "../trace";
import { firstReferring, GangObject, nextReferring } from "../model/gang-objects";
import { gangSizeOf } from "./compile";
import { writePodGroup, writePodGroupPatch, writeWorkload, writeWorkloadPatch } from "./documents";
import { writePodGroupName, writeWorkloadName } from "./names";
import { findTemplate, Template } from "./template";

// What the last answer of this sync said about the object that is wanted.
export const ANSWER_NONE: u8 = 0;
/** There is an object with this name. It is read next. */
export const ANSWER_EXISTS: u8 = 1;
/** It was read. */
export const ANSWER_SHOWN: u8 = 2;

// Why pods are created without a PodGroup; 0: there is no such reason.
const BEGUN_WITHOUT_WORKLOAD: u8 = 1;
const SEVERAL_WORKLOADS: u8 = 2;
const BEGUN_WITHOUT_POD_GROUP: u8 = 3;
const SEVERAL_POD_GROUPS: u8 = 4;
const NO_PARENT_WORKLOAD: u8 = 5;
const NO_SUCH_TEMPLATE: u8 = 6;
const REASONS: StaticArray<usize> = [
  literal("the Job has begun without a Workload"),
  literal("the Job has more than one Workload"),
  literal("the Job has begun without a PodGroup"),
  literal("the Job has more than one PodGroup"),
  literal("its controller has no Workload"),
  literal("the Workload of its controller has no such template"),
];

/** How the reference to a Job begins (model/gang-objects.ts). */
const JOB_REFERENCE = "batch/Job/";
const ANY_TEMPLATE: usize = 0;

const text = new Writer(512);

/**
 * True when pods may be managed; `sync.podGroup` is their PodGroup. False when a request comes first, or the sync is
 * broken.
 */
export function ensureGang(job: Job, sync: Sync): bool {
  // The namespace of a Job that is being deleted may be terminating too. The server would then refuse a PodGroup, and
  // the failed sync would not remove the finalizers.
  if (!gangScheduling || job.deleting || job.spec.hasSchedulingGroup) return true;
  if (job.parent == 0) return ensureOwn(job, sync);
  return job.groupTemplate == 0 || ensureDelegated(job, sync);
}

/**
 * The sync fails, because no pod is created before both objects are there. `problem` is a blob; `status` is that of the
 * answer that says so, or NaN. Returns the number of the decision.
 */
export function failGang(job: Job, sync: Sync, problem: usize, status: f64): u32 {
  sync.fail();
  sync.breakOff();
  text.reset();
  writeKey(job.namespace, job.name);
  text.text(": ");
  text.blob(problem);
  const message = blobOf(text.start, text.length);
  const decision = trace.record(job, trace.GANG_FAILED, message, status);
  freeBlob(message);
  return decision;
}

// The Job has no controller: both objects are its own.
function ensureOwn(job: Job, sync: Sync): bool {
  const workload = ownFrom(workloadsOf(job), job);
  if (workload === null) return isNew(job) ? wantWorkload(job, sync) : fallBack(job, BEGUN_WITHOUT_WORKLOAD);
  if (ownFrom(nextReferring(workload), job) !== null) return fallBack(job, SEVERAL_WORKLOADS);
  const template = findTemplate(workload, ANY_TEMPLATE);
  if (template === null || workload.templateCount != 1) return failTemplates(job, sync, workload);
  const podGroup = podGroupOf(job, workload);
  if (podGroup === null) {
    if (isNew(job)) return wantPodGroup(job, sync, workload, template, true);
    return follow(job, sync, workload, template, null) && fallBack(job, BEGUN_WITHOUT_POD_GROUP);
  }
  if (ownFrom(nextReferring(podGroup), job) !== null)
    return follow(job, sync, workload, template, null) && fallBack(job, SEVERAL_POD_GROUPS);
  return follow(job, sync, workload, template, podGroup) && use(job, sync, podGroup);
}

// The controller of the Job has made the Workload, and has delegated the PodGroup.
function ensureDelegated(job: Job, sync: Sync): bool {
  const workload = firstReferring(RESOURCE_WORKLOADS, job.namespace, blobAt(job.parent), blobSize(job.parent));
  if (workload === null) return fallBack(job, NO_PARENT_WORKLOAD);
  const template = findTemplate(workload, job.groupTemplate);
  if (template === null) return fallBack(job, NO_SUCH_TEMPLATE);
  const podGroup = podGroupOf(job, workload);
  if (podGroup === null) {
    if (isNew(job)) return wantPodGroup(job, sync, workload, template, false);
    return fallBack(job, BEGUN_WITHOUT_POD_GROUP);
  }
  return followInPodGroup(job, sync, podGroup, template.minCount) && use(job, sync, podGroup);
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

// One of the Workloads that refer to the Job.
function workloadsOf(job: Job): GangObject | null {
  text.reset();
  text.text(JOB_REFERENCE);
  text.blob(job.name);
  return firstReferring(RESOURCE_WORKLOADS, job.namespace, text.start, text.length);
}

// One of the Job's PodGroups of this Workload.
function podGroupOf(job: Job, workload: GangObject): GangObject | null {
  const name = workload.name;
  return ownFrom(firstReferring(RESOURCE_POD_GROUPS, job.namespace, blobAt(name), blobSize(name)), job);
}

// The first of these objects, from this one on, that the Job controls.
function ownFrom(from: GangObject | null, job: Job): GangObject | null {
  let object = from;
  while (object !== null && !blobsEqual(object.controllerUid, job.uid)) object = nextReferring(object);
  return object;
}

function use(job: Job, sync: Sync, podGroup: GangObject): bool {
  sync.podGroup = copyOf(podGroup.name);
  job.gangFallback = 0;
  return true;
}

function fallBack(job: Job, reason: u8): bool {
  if (job.gangFallback != reason) trace.record(job, trace.GANG_FALLBACK, REASONS[reason - 1]);
  job.gangFallback = reason;
  return true;
}

// Lets the size of the gang follow the Job, first in the Workload. `podGroup` is null where pods have none. False when
// a request comes first.
function follow(job: Job, sync: Sync, workload: GangObject, template: Template, podGroup: GangObject | null): bool {
  const wanted = gangSizeOf(job);
  if (wanted == ABSENT) return true;
  if (template.minCount != ABSENT && template.minCount != wanted && !sync.resizedWorkload) {
    text.reset();
    writeWorkloadPatch(text, template, wanted);
    return wantSize(sync, workload, wanted);
  }
  return podGroup === null || followInPodGroup(job, sync, podGroup, wanted);
}

function followInPodGroup(job: Job, sync: Sync, podGroup: GangObject, wanted: i32): bool {
  if (wanted == ABSENT || podGroup.minCount == ABSENT || podGroup.minCount == wanted || sync.resizedPodGroup)
    return true;
  text.reset();
  writePodGroupPatch(text, wanted);
  return wantSize(sync, podGroup, wanted);
}

// Requests another size of the object. The patch is in `text`.
function wantSize(sync: Sync, object: GangObject, size: i32): bool {
  sync.gangResource = object.resource;
  sync.resizesGang = true;
  sync.gangSize = size;
  freeBlob(sync.gangName);
  sync.gangName = copyOf(object.name);
  freeBlob(sync.gangBody);
  sync.gangBody = blobOf(text.start, text.length);
  return false;
}

function wantWorkload(job: Job, sync: Sync): bool {
  text.reset();
  writeWorkloadName(text, job);
  if (!ask(job, sync, RESOURCE_WORKLOADS)) return false;
  text.reset();
  writeWorkload(text, job, sync.gangName);
  sync.gangBody = blobOf(text.start, text.length);
  return false;
}

// `isOwn`: the Workload is the Job's own one. Another one may have several Jobs, with a PodGroup each.
function wantPodGroup(job: Job, sync: Sync, workload: GangObject, template: Template, isOwn: bool): bool {
  text.reset();
  writePodGroupName(text, workload.name, template.name, template.nameSize, isOwn ? 0 : job.uid);
  if (!ask(job, sync, RESOURCE_POD_GROUPS)) return false;
  text.reset();
  writePodGroup(text, job, sync.gangName, workload, template, isOwn);
  sync.gangBody = blobOf(text.start, text.length);
  return false;
}

// Requests the object whose name is in `text`: it is missing, and is created or read next. False when neither helps;
// then the sync has failed.
function ask(job: Job, sync: Sync, resource: u8): bool {
  freeBlob(sync.gangName);
  sync.gangName = blobOf(text.start, text.length);
  sync.gangBody = dropBlob(sync.gangBody);
  if (sync.gangResource != resource) sync.gangAnswer = ANSWER_NONE;
  sync.gangResource = resource;
  if (sync.gangAnswer != ANSWER_SHOWN) return true;
  // An object that this Job cannot use has the name, or had it when the creation was refused.
  text.reset();
  text.text(resourceName(resource));
  text.text(".scheduling.k8s.io ");
  text.quotedBlob(sync.gangName);
  text.text(" already exists");
  const problem = blobOf(text.start, text.length);
  const decision = failGang(job, sync, problem, NaN);
  if (resource == RESOURCE_WORKLOADS) announceWorkloadRefused(job, decision, problem);
  freeBlob(problem);
  return false;
}

function failTemplates(job: Job, sync: Sync, workload: GangObject): bool {
  text.reset();
  text.text("workload ");
  writeKey(workload.namespace, workload.name);
  text.text(" for job ");
  writeKey(job.namespace, job.name);
  text.text(" has ");
  text.integer(workload.templateCount);
  text.text(" PodGroupTemplates, want exactly 1");
  const problem = blobOf(text.start, text.length);
  failGang(job, sync, problem, NaN);
  freeBlob(problem);
  return false;
}

/** The name of the resource in paths: `workloads` or `podgroups`. */
export function resourceName(resource: u8): string {
  return resource == RESOURCE_WORKLOADS ? "workloads" : "podgroups";
}

function writeKey(namespace: usize, name: usize): void {
  text.blob(namespace);
  text.byte(SLASH);
  text.blob(name);
}
