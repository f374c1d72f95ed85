/**
 * What the host is to send, in one frame: requests, the next wake-up, and the decisions since the last poll. Jobs take
 * turns, a request each; finalizers outside a sync and events come with them. Bodies are rendered here, when they are
 * handed out, from the state of this moment. Frame layout: bindings/ABI.md, "poll".
 */
import { allSynced } from "../model/sources";
import { isGangRead, writeGangBody, writeGangPath } from "../gang/requests";
import { beginResult, endResult } from "../abi/result";
import { Writer } from "../json/writer";
import { noteQueued } from "../metrics/observe";
import { freeBlob, literal } from "../memory/blob";
import { ACTION_IGNORE } from "../model/pod-failure-policy";
import { afterChange, beforeChange, delayedPod, Job, unpinJob } from "../model/job";
import { has, holdsFinalizer, Pod, POD_CLAIM_REQUESTED, POD_GONE, POD_REMOVAL_REQUESTED } from "../model/pod";
import { firstDueMs, popDue } from "../queue/due-heap";
import { Due, DUE_JOB, DUE_REMOVAL } from "../model/due";
import { hasReadyOrphans, makeReady, nextOrphan, Orphan } from "../queue/orphan-queue";
import { hasReadyJobs, makeJobReady, takeReadyJob } from "../queue/ready-queue";
import { isAdoptable, isReleasable } from "../sync/claiming";
import { hasTemplate, takeNextIndex } from "../sync/manage";
import { startRemoval } from "../sync/removal";
import { statusObjection } from "../sync/status-guard";
import { advance, startSync } from "../sync/sync";
import {
  PHASE_CLAIM,
  PHASE_CREATE,
  PHASE_DELETE,
  PHASE_FINALIZERS,
  PHASE_GANG,
  PHASE_LIST,
  PHASE_READ_AGAIN,
  PHASE_RECHECK,
  PHASE_REMOVE,
  releaseWork,
  Sync,
} from "../model/sync";
import { now } from "../time/now";
import { record, takeDecisions } from "../trace/log";
import { STATUS_NOT_SENT } from "../trace/decisions";
import { writeAdoption, writeFinalizerRemoval, writeRelease } from "./claim-patches";
import { heldEventsDueMs, takeEvent, writeEvent, writeEventPatch, writeEventPath } from "../events/event-queue";
import {
  addInFlight,
  REQUEST_ADOPT,
  REQUEST_CREATE_POD,
  REQUEST_DELETE_POD,
  REQUEST_EVENT,
  REQUEST_FINALIZER,
  REQUEST_GANG,
  REQUEST_LIST_PODS,
  REQUEST_ORPHAN,
  REQUEST_READ_JOB,
  REQUEST_RECHECK,
  REQUEST_RELEASE,
  REQUEST_REMOVE_JOB,
  REQUEST_STATUS,
  REQUEST_STRIP_VICTIM,
} from "./in-flight";
import { writeJobPath, writeStatusPatch } from "./status-patch";

/** Jobs that one poll starts to sync at most; the rest follow in the next. */
export const MAX_SYNCS_PER_POLL: i32 = 1000;
/** Requests that one poll hands out at most, whatever the host asks for. */
export const MAX_REQUESTS_PER_POLL: u32 = 4096;
/** Of these, the part that events may take before Jobs have had their turn. */
const EVENT_SHARE: u32 = 8;

/** Pods a page of a list of one Job's pods. */
const POD_LIST_LIMIT: i64 = 500;

const GET: u32 = 1;
const POST: u32 = 2;
const PATCH: u32 = 4;
const DELETE: u32 = 5;

const JSON_TYPE = literal("application/json");
const MERGE_PATCH_TYPE = literal("application/merge-patch+json");
const STRATEGIC_PATCH_TYPE = literal("application/strategic-merge-patch+json");

const FRAME_HEADER_BYTES: u32 = 16;
const REQUEST_HEADER_BYTES: u32 = 32;

let frame: Writer = beginResult();
let handedOut: u32 = 0;

/** Writes the frame and returns its address. */
export function pollFrame(maxRequests: u32): usize {
  const room = min(maxRequests, MAX_REQUESTS_PER_POLL);
  startDueSyncs();
  frame = beginResult();
  frame.grow(FRAME_HEADER_BYTES);
  frame.length += FRAME_HEADER_BYTES;
  handedOut = 0;
  handOutEvents(room / EVENT_SHARE);
  handOutJobs(room);
  handOutOrphans(room);
  handOutEvents(room);

  const decisions = takeDecisions();
  frame.bytes(decisions.start, decisions.length);
  const header = frame.start + 4;
  store<u32>(header, handedOut);
  store<u32>(header + 4, decisions.length);
  store<f64>(header + 8, nextWakeUpMs());
  return endResult();
}

// When the first item is due, or events may be sent again. Nothing is due before every source is synced.
function nextWakeUpMs(): f64 {
  if (!allSynced()) return Infinity;
  return max(min(firstDueMs(), heldEventsDueMs()), now());
}

function startDueSyncs(): void {
  if (!allSynced()) return;
  for (let started = 0; started < MAX_SYNCS_PER_POLL; ++started) {
    const due: Due | null = popDue(now());
    if (due === null) return;
    noteQueued(due.dueKind);
    if (due.dueKind == DUE_JOB) startSync(changetype<Job>(changetype<usize>(due)));
    else if (due.dueKind == DUE_REMOVAL) startRemoval(changetype<Job>(changetype<usize>(due)));
    else makeReady(changetype<Orphan>(changetype<usize>(due)));
  }
}

function handOutJobs(room: u32): void {
  while (handedOut < room && hasReadyJobs()) {
    const job = takeReadyJob()!;
    if (handOutOne(job)) makeJobReady(job);
    unpinJob(job);
  }
}

// One request of the Job, going on to its next phases as long as these have nothing to ask for.
function handOutOne(job: Job): bool {
  while (true) {
    const sync = job.sync;
    if (sync === null) return false;
    if (handOut(job, sync)) {
      ++sync.outstanding;
      return true;
    }
    if (sync.outstanding > 0) return false;
    advance(job, sync);
  }
}

function handOut(job: Job, sync: Sync): bool {
  if (sync.phase == PHASE_CLAIM) return handOutClaim(job, sync);
  if (sync.phase == PHASE_CREATE) return handOutCreate(job, sync);
  if (sync.phase == PHASE_DELETE) return handOutDelete(job, sync);
  if (sync.phase == PHASE_FINALIZERS) return handOutFinalizer(job, sync);
  if (sync.handedOut || sync.isBroken) return false;
  sync.handedOut = true;
  if (sync.phase == PHASE_LIST) handOutList(job, sync);
  else if (sync.phase == PHASE_GANG) handOutGang(job, sync);
  else if (sync.phase == PHASE_READ_AGAIN) handOutRead(job, REQUEST_READ_JOB);
  else if (sync.phase == PHASE_RECHECK) handOutRead(job, REQUEST_RECHECK);
  else if (sync.phase == PHASE_REMOVE) handOutRemove(job);
  else return handOutStatus(job, sync);
  return true;
}

function handOutCreate(job: Job, sync: Sync): bool {
  if (sync.batchLeft == 0) return false;
  if (sync.retryAfterMs > 0) {
    sync.batchLeft = 0;
    sync.toCreate = 0;
    return false;
  }
  // The Job may have got another template since the sync began.
  if (!hasTemplate(job, sync)) {
    sync.batchLeft = 0;
    sync.toCreate = 0;
    return false;
  }
  const index = takeNextIndex(job, sync);
  const request = addInFlight(REQUEST_CREATE_POD, job, null);
  request.completionIndex = index;
  const at = beginRequest(request.id, POST);
  writePodsPath(job.namespace);
  endPart(at, 0);
  acceptJson(at);
  contentType(at, JSON_TYPE);
  writePod(job, index, delayedPod(job, index), sync.podGroup);
  endRequest(at);
  return true;
}

// The successor of a failed pod takes its failure counts over, with its failure added to one of them.
function writePod(job: Job, index: i32, predecessor: Pod | null, podGroup: usize): void {
  let failures = 0;
  let ignored = 0;
  if (predecessor !== null) {
    const wasIgnored = predecessor.policyAction == ACTION_IGNORE;
    failures = predecessor.indexFailures + (wasIgnored ? 0 : 1);
    ignored = predecessor.indexIgnoredFailures + (wasIgnored ? 1 : 0);
  }
  job.podTemplate!.write(frame, job, index, failures, ignored, podGroup);
}

function handOutDelete(job: Job, sync: Sync): bool {
  if (sync.retryAfterMs > 0) {
    if (sync.stripped !== null || sync.victims !== null) ++sync.deleteFailures;
    return false;
  }
  // Victims whose finalizer is off first, so that few pods are in between.
  for (let pod = sync.stripped; pod !== null; pod = sync.stripped) {
    sync.stripped = pod.nextWork;
    const gone = isGoneFrom(job, pod);
    if (gone) ++sync.deleted;
    else deletePod(job, pod);
    releaseWork(pod);
    if (!gone) return true;
  }
  for (let pod = sync.victims; pod !== null; pod = sync.victims) {
    sync.victims = pod.nextWork;
    const gone = isGoneFrom(job, pod);
    if (gone) {
      ++sync.deleted;
    } else if (sync.uncountedVictims && holdsFinalizer(pod)) {
      removeFinalizer(addInFlight(REQUEST_STRIP_VICTIM, job, pod).id, pod);
    } else {
      deletePod(job, pod);
    }
    releaseWork(pod);
    if (!gone) return true;
  }
  return false;
}

// Deleted, or another controller's by now.
function isGoneFrom(job: Job, pod: Pod): bool {
  return has(pod, POD_GONE) || pod.job !== job;
}

function deletePod(job: Job, pod: Pod): void {
  const at = beginRequest(addInFlight(REQUEST_DELETE_POD, job, pod).id, DELETE);
  writePodPath(pod);
  endPart(at, 0);
  acceptJson(at);
  endPart(at, 2);
  endRequest(at);
}

function handOutFinalizer(job: Job, sync: Sync): bool {
  if (sync.retryAfterMs > 0) {
    if (sync.finalizers !== null) ++sync.finalizerFailures;
    return false;
  }
  for (let pod = sync.finalizers; pod !== null; pod = sync.finalizers) {
    sync.finalizers = pod.nextWork;
    const skip = isGoneFrom(job, pod) || !holdsFinalizer(pod);
    if (!skip) {
      beforeChange(job, pod);
      pod.flags |= POD_REMOVAL_REQUESTED;
      afterChange(job, pod);
      removeFinalizer(addInFlight(REQUEST_FINALIZER, job, pod).id, pod);
    }
    releaseWork(pod);
    if (!skip) return true;
  }
  sync.lastFinalizer = null;
  return false;
}

function removeFinalizer(id: f64, pod: Pod): void {
  const at = beginPodPatch(id, pod);
  writeFinalizerRemoval(frame);
  endRequest(at);
}

function beginPodPatch(id: f64, pod: Pod): u32 {
  const at = beginRequest(id, PATCH);
  writePodPath(pod);
  endPart(at, 0);
  acceptJson(at);
  contentType(at, STRATEGIC_PATCH_TYPE);
  return at;
}

// Whose a pod is may have changed since the sync chose it.
function handOutClaim(job: Job, sync: Sync): bool {
  for (let pod = sync.claims; pod !== null; pod = sync.claims) {
    sync.claims = pod.nextWork;
    const releases = isReleasable(job, pod);
    const adopts = sync.adopts && isAdoptable(job, pod);
    if (!releases && !adopts) {
      releaseWork(pod);
      continue;
    }
    pod.flags |= POD_CLAIM_REQUESTED;
    const at = beginPodPatch(addInFlight(adopts ? REQUEST_ADOPT : REQUEST_RELEASE, job, pod).id, pod);
    if (adopts) writeAdoption(frame, job, pod);
    else writeRelease(frame, job, pod);
    endRequest(at);
    releaseWork(pod);
    return true;
  }
  return false;
}

// False when the API server would refuse the status: then nothing that depends on it may follow either.
function handOutStatus(job: Job, sync: Sync): bool {
  const objection = statusObjection(job, sync);
  if (objection != 0) {
    record(job, STATUS_NOT_SENT, objection);
    freeBlob(objection);
    sync.isFailed = true;
    sync.isBroken = true;
    return false;
  }
  const at = beginRequest(addInFlight(REQUEST_STATUS, job, null).id, PATCH);
  writeJobPath(frame, job);
  frame.text("/status");
  endPart(at, 0);
  acceptJson(at);
  contentType(at, MERGE_PATCH_TYPE);
  writeStatusPatch(frame, job, sync);
  endRequest(at);
  return true;
}

// Unversioned: the answer is the most recent state, a pod of the lost POST included if that was stored. Further pages
// are of that state.
function handOutList(job: Job, sync: Sync): void {
  const at = beginRequest(addInFlight(REQUEST_LIST_PODS, job, null).id, GET);
  writePodsPath(job.namespace);
  frame.text("?labelSelector=batch.kubernetes.io%2Fcontroller-uid%3D");
  frame.blob(job.uid);
  frame.text("&limit=");
  frame.integer(POD_LIST_LIMIT);
  if (sync.listToken != 0) {
    frame.text("&continue=");
    frame.queryValue(sync.listToken);
  }
  endPart(at, 0);
  acceptJson(at);
  endPart(at, 2);
  endRequest(at);
}

function handOutGang(job: Job, sync: Sync): void {
  const reads = isGangRead(sync);
  const at = beginRequest(addInFlight(REQUEST_GANG, job, null).id, reads ? GET : POST);
  writeGangPath(frame, job, sync);
  endPart(at, 0);
  acceptJson(at);
  contentType(at, reads ? 0 : JSON_TYPE);
  if (!reads) writeGangBody(frame, sync);
  endRequest(at);
}

function handOutRead(job: Job, kind: u8): void {
  const at = beginRequest(addInFlight(kind, job, null).id, GET);
  writeJobPath(frame, job);
  endPart(at, 0);
  acceptJson(at);
  endPart(at, 2);
  endRequest(at);
}

function handOutRemove(job: Job): void {
  const at = beginRequest(addInFlight(REQUEST_REMOVE_JOB, job, null).id, DELETE);
  writeJobPath(frame, job);
  endPart(at, 0);
  acceptJson(at);
  contentType(at, JSON_TYPE);
  frame.text('{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":');
  frame.quotedBlob(job.uid);
  frame.text('},"propagationPolicy":"Foreground"}');
  endRequest(at);
}

function handOutOrphans(room: u32): void {
  while (handedOut < room && hasReadyOrphans()) {
    const orphan = nextOrphan();
    if (orphan === null) return;
    const request = addInFlight(REQUEST_ORPHAN, null, orphan.pod);
    request.orphan = orphan;
    orphan.pod.flags |= POD_REMOVAL_REQUESTED;
    removeFinalizer(request.id, orphan.pod);
  }
}

function handOutEvents(room: u32): void {
  while (handedOut < room) {
    const event = takeEvent();
    if (event === null) return;
    const request = addInFlight(REQUEST_EVENT, null, null);
    request.event = event;
    const at = beginRequest(request.id, event.isPatch ? PATCH : POST);
    writeEventPath(frame, event);
    endPart(at, 0);
    acceptJson(at);
    contentType(at, event.isPatch ? STRATEGIC_PATCH_TYPE : JSON_TYPE);
    if (event.isPatch) writeEventPatch(frame, event);
    else writeEvent(frame, event);
    endRequest(at);
  }
}

// ── paths and the parts of a request ────────────────────────────────────────────────────────────────

function writePodsPath(namespace: usize): void {
  frame.text("/api/v1/namespaces/");
  frame.blob(namespace);
  frame.text("/pods");
}

function writePodPath(pod: Pod): void {
  writePodsPath(pod.namespace);
  frame.byte(0x2f);
  frame.blob(pod.name);
}

// Returns the offset of the header; the lengths of the parts are stored there as each part ends.
function beginRequest(id: f64, method: u32): u32 {
  const at = frame.length;
  const header = frame.grow(REQUEST_HEADER_BYTES);
  memory.fill(header, 0, REQUEST_HEADER_BYTES);
  store<f64>(header, id);
  store<u32>(header + 8, method);
  frame.length += REQUEST_HEADER_BYTES;
  partStart = frame.length;
  ++handedOut;
  return at;
}

let partStart: u32 = 0;

// Parts: 0 path, 1 accept, 2 content type, 3 body.
function endPart(at: u32, part: u32): void {
  store<u32>(frame.start + at + 12 + part * 4, frame.length - partStart);
  partStart = frame.length;
}

function acceptJson(at: u32): void {
  frame.blob(JSON_TYPE);
  endPart(at, 1);
}

function contentType(at: u32, type: usize): void {
  frame.blob(type);
  endPart(at, 2);
}

// The next request starts at a multiple of 8 from the start of the frame, which the length word precedes.
function endRequest(at: u32): void {
  endPart(at, 3);
  while (((frame.length - 4) & 7) != 0) frame.byte(0);
}
