/**
 * The outcome of a request: what it says is taken in like a watch event, and the sync that waits for it goes on. A
 * status of 0 is an outcome that nobody knows; it is never taken for success nor, for a creation, for failure. So is an
 * answer that no API server gives: a success without the object that was asked for, an error without a Status where a
 * proxy may have made it. Source: docs/spec/controller.md 3.6 M9 and M-del, section 4 and section 6.
 */
import { OK, refuse, UNKNOWN_REQUEST, UNREADABLE_OBJECT } from "../abi/codes";
import { settleGang } from "../gang/requests";
import { noteDeleting, noteFinalizerRemoved, noteVanished } from "../lifecycle/own-changes";
import { answer, podList, takeListToken } from "../ingest/documents";
import * as metadata from "../ingest/metadata";
import { wakeAdopters } from "../lifecycle/orphans";
import { relist, RESOURCE_PODS } from "../model/sources";
import {
  errorMessage,
  isNamespaceTerminating,
  isStatus,
  isSuccessStatus,
  readStatusError,
} from "../ingest/status-error";
import { noteCreated, noteRemoved, noteStatusStored } from "../metrics/observe";
import { blobAt, blobIs, blobOf, blobSize, freeBlob } from "../memory/blob";
import { Writer } from "../json/writer";
import { afterChange, beforeChange, endAllDelays, Job, SELECTS_BY_UID } from "../model/job";
import {
  has,
  Pod,
  POD_CLAIM_REQUESTED,
  POD_GONE,
  POD_ORPHAN,
  POD_REMOVAL_REQUESTED,
  POD_UNSELECTED,
} from "../model/pod";
import { orphanDone, orphanFailed } from "../queue/orphan-queue";
import { makeJobReady } from "../queue/ready-queue";
import { firstAdoption } from "../sync/claiming";
import { forgetTold } from "../model/told";
import { holdForWork, isFree, Sync } from "../model/sync";
import { now } from "../time/now";
import { TIME_BYTES, writeTime } from "../time/rfc3339";
import * as trace from "../trace";
import { announceCreated, announceCreateFailed, announceDeleted, announceDeleteFailed } from "../events/announce";
import { createAnew, Event, eventAnswered, freeEvent, sendAgain } from "../events/event-queue";
import {
  freeInFlight,
  InFlight,
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
  REQUEST_REMOVE_JOB,
  REQUEST_STATUS,
  REQUEST_STRIP_VICTIM,
  takeInFlight,
} from "./in-flight";

const NOT_FOUND: i32 = 404;
const REQUEST_TIMEOUT: i32 = 408;
const INVALID: i32 = 422;
const GATEWAY_TIMEOUT: i32 = 504;

/** Nobody is put off for longer than a day. */
const MAX_RETRY_AFTER_MS: f64 = 86400000;

const problem = new Writer(256);

// The answer under way.
let status: i32 = 0;
let body: usize = 0;
let bodySize: u32 = 0;
/** How long the server asks to wait; 0: it does not. */
let retryAfterMs: f64 = 0;
let outcome: i32 = OK;

export function settleRequest(id: f64, httpStatus: i32, ptr: usize, length: u32, retryMs: f64): i32 {
  const request = takeInFlight(id);
  if (request === null)
    return refuse(UNKNOWN_REQUEST, "no request of this id is under way: it was settled before, or never handed out");
  body = ptr;
  bodySize = length;
  status = httpStatus;
  outcome = OK;
  retryAfterMs = retryMs > 0 ? min(Math.ceil(retryMs), MAX_RETRY_AFTER_MS) : 0;
  settle(request);
  const job = request.job;
  if (job !== null) {
    const sync = job.sync;
    if (sync !== null) {
      --sync.outstanding;
      if (retryAfterMs > 0 && !succeeded()) {
        sync.retryAfterMs = max(sync.retryAfterMs, retryAfterMs);
        job.notBeforeMs = max(job.notBeforeMs, now() + retryAfterMs);
      }
      makeJobReady(job);
    }
  }
  freeInFlight(request);
  return outcome;
}

// What is answered on the way to the API server says nothing of what that has done. Its own errors are a Status, but
// for those of its outermost filters, which refuse a request unread (400, 429…), and when a time is over it does not
// know itself what is done yet.
function saysWhatWasDone(): bool {
  if (status < 400 || status == REQUEST_TIMEOUT || status == GATEWAY_TIMEOUT) return succeeded();
  return status < 500 || isStatus(body, bodySize);
}

// There is no such object. A proxy that knows no such page says nothing of it.
function isGone(): bool {
  return status == NOT_FOUND && isStatus(body, bodySize);
}

function settle(request: InFlight): void {
  const kind = request.kind;
  if (kind == REQUEST_ORPHAN) {
    settleOrphan(request);
    return;
  }
  if (kind == REQUEST_EVENT) {
    settleEvent(request.event!);
    return;
  }
  const job = request.job;
  if (job === null) return;
  const sync = job.sync;
  if (kind == REQUEST_CREATE_POD) settleCreate(job, sync);
  else if (kind == REQUEST_STRIP_VICTIM) settleStripVictim(job, sync, request.pod!);
  else if (kind == REQUEST_DELETE_POD) settleDelete(job, sync, request.pod!);
  else if (kind == REQUEST_STATUS) settleStatus(job, sync);
  else if (kind == REQUEST_FINALIZER) settleFinalizer(job, sync, request.pod!);
  else if (kind == REQUEST_LIST_PODS) settleList(job, sync);
  else if (kind == REQUEST_READ_JOB) settleRead(job, sync);
  else if (kind == REQUEST_REMOVE_JOB) settleRemove(job, sync);
  else if (kind == REQUEST_GANG) outcome = settleGang(job, sync, status, body, bodySize);
  else if (kind == REQUEST_RECHECK) settleRecheck(job, sync);
  else settleClaim(job, sync, request.pod!, kind == REQUEST_ADOPT);
}

function succeeded(): bool {
  return status >= 200 && status < 300;
}

function takeAnswer(isPod: bool): bool {
  if (answer(body, bodySize, isPod)) return true;
  const reason = metadata.problem;
  outcome = refuse(UNREADABLE_OBJECT, reason === null ? "the answer holds no object that can be read" : reason);
  return false;
}

// Success, with an object of this kind that could be read; without one the outcome is unknown.
function taken(isPod: bool): bool {
  if (!succeeded()) return false;
  if (takeAnswer(isPod)) return true;
  status = 0;
  return false;
}

// The finalizer is off. An answer that is older than what is known of the pod does not say so: somebody may have put it
// back.
function takenRemoval(pod: Pod): bool {
  if (!taken(true)) return false;
  if (metadata.resourceVersion >= pod.resourceVersion) noteFinalizerRemoved(pod);
  return true;
}

// The object as it ends, or a Status that says no more than that it is deleted.
function takenDeletion(isPod: bool): bool {
  if (!succeeded()) return false;
  if (isSuccessStatus(body, bodySize)) return true;
  return taken(isPod);
}

function settleCreate(job: Job, sync: Sync | null): void {
  if (taken(true)) {
    if (sync !== null) ++sync.created;
    noteCreated(sync, false);
    if (!job.gone) announceCreated(job, metadata.name, metadata.nameSize);
    return;
  }
  if (!saysWhatWasDone()) {
    job.podsUnclear = true;
    if (!job.gone) trace.record(job, trace.OUTCOME_UNKNOWN);
  } else if (!job.gone) {
    readStatusError(body, bodySize, status);
    trace.record(job, trace.CREATE_FAILED, errorMessage(), status);
    // A namespace that is being deleted takes its Jobs with it: upstream is silent too. Pods that wait for a successor
    // would hold it.
    if (isNamespaceTerminating()) {
      endAllDelays(job);
    } else {
      // What the server only puts off is not told as refused: upstream's client waits and asks again itself.
      if (retryAfterMs == 0) announceCreateFailed(job, blobAt(errorMessage()), blobSize(errorMessage()));
      noteCreated(sync, true);
    }
  }
  if (sync !== null) {
    ++sync.createFailures;
    sync.isFailed = true;
  }
}

function settleStripVictim(job: Job, sync: Sync | null, pod: Pod): void {
  if (takenRemoval(pod)) {
    if (sync !== null && !has(pod, POD_GONE) && isFree(sync, pod)) sync.stripped = holdForWork(pod, sync.stripped);
  } else if (isGone()) {
    noteVanished(pod);
    if (sync !== null) ++sync.deleted;
  } else {
    noteFailure(job, sync, trace.FINALIZER_FAILED);
    if (sync !== null) ++sync.deleteFailures;
  }
}

function settleDelete(job: Job, sync: Sync | null, pod: Pod): void {
  if (takenDeletion(true)) {
    noteDeleting(pod);
    if (sync !== null) ++sync.deleted;
    if (!job.gone) announceDeleted(job, pod.name);
  } else if (isGone()) {
    noteVanished(pod);
    if (sync !== null) ++sync.deleted;
  } else {
    noteFailure(job, sync, trace.DELETE_FAILED);
    if (!job.gone && status != 0) announceDeleteFailed(job, blobAt(errorMessage()), blobSize(errorMessage()));
    if (sync !== null) ++sync.deleteFailures;
  }
}

function settleStatus(job: Job, sync: Sync | null): void {
  if (sync === null) return;
  if (taken(false)) {
    // The answer was another Job of this name: the sync is gone with the old one.
    if (job.gone) return;
    forgetTold(job, metadata.resourceVersion, sync.toldVersion);
    sync.baseVersion = metadata.resourceVersion;
    noteStatusStored(job, sync);
    return;
  }
  noteFailure(job, sync, trace.STATUS_WRITE_FAILED);
  // Nothing that depends on this write may follow.
  sync.isBroken = true;
}

function settleFinalizer(job: Job, sync: Sync | null, pod: Pod): void {
  endRemovalRequest(pod);
  if (takenRemoval(pod)) return;
  if (isGone()) {
    noteVanished(pod);
  } else {
    noteFailure(job, sync, trace.FINALIZER_FAILED);
    if (sync !== null) ++sync.finalizerFailures;
  }
}

// All pages are of one version, or a pod may be in none of them. A list that breaks off, or is too old to go on (410),
// starts anew with the next sync.
function settleList(job: Job, sync: Sync | null): void {
  if (sync === null) return;
  const version = succeeded() ? podList(body, bodySize) : 0;
  if (version == 0 || (sync.listVersion != 0 && sync.listVersion != version)) {
    noteFailure(job, sync, trace.LIST_FAILED);
    sync.isBroken = true;
    return;
  }
  sync.listVersion = version;
  freeBlob(sync.listToken);
  sync.listToken = takeListToken();
  if (sync.listToken != 0) {
    sync.handedOut = false;
    return;
  }
  job.podsUnclear = false;
  // The list has every pod of a Job whose selector was generated. Those of another one the watch has to show, or the
  // next list of its source.
  if (job.selects == SELECTS_BY_UID) return;
  job.podsUnclearUntilVersion = version;
  relist(RESOURCE_PODS, job.namespace);
}

// A Job that is not there any more needs no removal; the watch will say so.
function settleRead(job: Job, sync: Sync | null): void {
  if (isGone()) {
    if (sync !== null) sync.isBroken = true;
    return;
  }
  if (taken(false)) return;
  noteFailure(job, sync, trace.REMOVAL_FAILED);
}

function settleRemove(job: Job, sync: Sync | null): void {
  if (takenDeletion(false)) noteRemoved(job);
  else if (!isGone()) noteFailure(job, sync, trace.REMOVAL_FAILED);
}

// A Job that was deleted or made anew meanwhile adopts nothing. Source: controller_ref_manager.go
// RecheckDeletionTimestamp.
function settleRecheck(job: Job, sync: Sync | null): void {
  const pod: Pod | null = sync === null ? null : firstAdoption(sync);
  problem.reset();
  problem.text("can't adopt Pod ");
  if (pod !== null) writeIdentity(pod.namespace, pod.name, pod.uid);
  problem.text(": ");
  if (!taken(false)) {
    readStatusError(body, bodySize, status);
    problem.text("can't recheck DeletionTimestamp: ");
    problem.blob(errorMessage());
  } else if (!blobIs(job.uid, metadata.uid, metadata.uidSize)) {
    problem.text("can't recheck DeletionTimestamp: original Job ");
    writeIdentity(job.namespace, job.name, 0);
    problem.text(" is gone: got uid ");
    problem.bytes(metadata.uid, metadata.uidSize);
    problem.text(", wanted ");
    problem.blob(job.uid);
  } else if (!isNaN(metadata.deletionMs)) {
    writeIdentity(job.namespace, job.name, 0);
    problem.text(" has just been deleted at ");
    writeTime(metadata.deletionMs, problem.grow(u32(TIME_BYTES)));
    problem.length += u32(TIME_BYTES);
  } else {
    return;
  }
  const text = blobOf(problem.start, problem.length);
  trace.record(job, trace.CLAIM_FAILED, text, status);
  freeBlob(text);
  if (sync !== null && !job.gone) {
    sync.isFailed = true;
    sync.adopts = false;
  }
}

// `<namespace>/<name>` and, where there is one, ` (<uid>)`.
function writeIdentity(namespace: usize, name: usize, uid: usize): void {
  problem.blob(namespace);
  problem.byte(0x2f);
  problem.blob(name);
  if (uid == 0) return;
  problem.text(" (");
  problem.blob(uid);
  problem.byte(0x29);
}

// A pod that is gone is nobody's any more. A release that the server refuses as invalid was most likely meant for
// another pod of that name: it is no error, and the next sync of the Job looks at the pod again.
function settleClaim(job: Job, sync: Sync | null, pod: Pod, adopts: bool): void {
  pod.flags &= ~POD_CLAIM_REQUESTED;
  if (taken(true)) return;
  if (isGone()) {
    noteVanished(pod);
    pod.flags &= ~(POD_ORPHAN | POD_UNSELECTED);
  } else if (adopts || status != INVALID) {
    noteFailure(job, sync, trace.CLAIM_FAILED);
    // Another Job may have passed it over meanwhile.
    wakeAdopters(pod, job);
  } else {
    job.mayClaim = true;
  }
}

function settleOrphan(request: InFlight): void {
  const orphan = request.orphan!;
  const pod = orphan.pod;
  endRemovalRequest(pod);
  // It was not to be adopted while its finalizer was on the way out.
  const gone = isGone();
  if (!gone) wakeAdopters(pod);
  if (takenRemoval(pod)) {
    orphanDone(orphan);
  } else if (gone) {
    noteVanished(pod);
    orphanDone(orphan);
  } else {
    orphanFailed(orphan, retryAfterMs);
  }
}

function endRemovalRequest(pod: Pod): void {
  const job = pod.job;
  if (job !== null) beforeChange(job, pod);
  pod.flags &= ~POD_REMOVAL_REQUESTED;
  if (job !== null) afterChange(job, pod);
}

// A refusal says that the event is wrong, or there already: it is not sent again, unless the server asks for that.
function settleEvent(event: Event): void {
  eventAnswered();
  if (event.isPatch && isGone()) createAnew(event);
  else if (!saysWhatWasDone() || (retryAfterMs > 0 && !succeeded())) sendAgain(event, retryAfterMs);
  else freeEvent(event);
}

function noteFailure(job: Job, sync: Sync | null, code: i32): void {
  readStatusError(body, bodySize, status);
  if (sync !== null) sync.isFailed = true;
  if (!job.gone) trace.record(job, code, errorMessage(), status);
}
