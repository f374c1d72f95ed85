/**
 * Events on Jobs, on their way to the API: fire and forget, in order, in a bounded queue that drops when it is full. An
 * event that repeats an earlier one is a patch of that; when that is gone it is created anew. A patch waits until no write
 * of an event is under way: the server may take two in any order, and a count would go back.
 * Source: docs/spec/controller.md section 7.
 */
import { instance } from "../configuration";
import { Writer } from "../json/writer";
import { blobAt, blobOf, blobSize, copyOf, cutAtCharacter, freeBlob, hashBlob } from "../model/blob";
import { Job } from "../model/job";
import { correlate, isCombined, takeEventToken } from "./event-correlator";
import { freed, zeroed } from "../model/memory";
import { acquireName, releaseName } from "../model/names";
import { wallNow } from "../time/now";

/** Events that wait at most; more are dropped. */
export const MAX_QUEUED_EVENTS: i32 = 1000;
/** A longer message is cut, as the API server would refuse it. */
const MAX_MESSAGE_BYTES: u32 = 1024;

@unmanaged
export class Event {
  timeMs: f64;
  firstMs: f64;
  resourceVersion: u64;
  /** Makes the name unique. */
  nanoseconds: u64;
  namespace: usize;
  job: usize;
  uid: usize;
  reason: usize;
  message: usize;
  next: Event | null;
  count: i32;
  isWarning: bool;
  isCombined: bool;
  /** It raises the count of an event that was written before. */
  isPatch: bool;
}

let first: Event | null = null;
let last: Event | null = null;
let queued: i32 = 0;
let underWay: i32 = 0;
let dropped: f64 = 0;
let lastNanoseconds: u64 = 0;

/** `reason`: a blob, copied. `message`: bytes, copied. */
export function queueEvent(job: Job, isWarning: bool, reason: usize, message: usize, messageSize: u32): void {
  const record = correlate(job, isWarning, reason, message, messageSize);
  if (record.count == 1) record.nanoseconds = uniqueNanoseconds();
  if (!takeEventToken(job, isWarning) || queued >= MAX_QUEUED_EVENTS) {
    dropped += 1;
    return;
  }
  const event = zeroed<Event>();
  event.timeMs = wallNow();
  event.firstMs = record.firstMs;
  event.resourceVersion = job.resourceVersion;
  event.nanoseconds = record.nanoseconds;
  event.namespace = acquireName(blobAt(job.namespace), blobSize(job.namespace));
  event.job = copyOf(job.name);
  event.uid = copyOf(job.uid);
  event.reason = copyOf(reason);
  event.message = blobOf(message, cutAtCharacter(message, messageSize, MAX_MESSAGE_BYTES));
  event.count = record.count;
  event.isWarning = isWarning;
  event.isCombined = isCombined;
  event.isPatch = record.count > 1;
  append(event);
}

/** The event that was to be patched is not there: it is created anew. The caller has it no more. */
export function createAnew(event: Event): void {
  if (queued >= MAX_QUEUED_EVENTS) {
    dropped += 1;
    freeEvent(event);
    return;
  }
  event.isPatch = false;
  append(event);
}

function append(event: Event): void {
  event.next = null;
  const before = last;
  if (before === null) first = event;
  else before.next = event;
  last = event;
  ++queued;
}

export function droppedEvents(): f64 {
  return dropped;
}

/** Takes the oldest event out, unless it has to wait; the caller writes it, and says when that is answered. */
export function takeEvent(): Event | null {
  const event = first;
  if (event === null || (event.isPatch && underWay > 0)) return null;
  ++underWay;
  first = event.next;
  if (first === null) last = null;
  --queued;
  return event;
}

/** The write of an event was answered. */
export function eventAnswered(): void {
  --underWay;
}

export function freeEvent(event: Event): void {
  releaseName(event.namespace);
  freeBlob(event.job);
  freeBlob(event.uid);
  freeBlob(event.reason);
  freeBlob(event.message);
  freed<Event>(event);
}

export function writeEventPath(to: Writer, event: Event): void {
  to.text("/api/v1/namespaces/");
  to.blob(event.namespace);
  to.text("/events");
  if (!event.isPatch) return;
  to.byte(0x2f);
  writeName(to, event);
}

function writeName(to: Writer, event: Event): void {
  to.escapedBlob(event.job);
  to.byte(0x2e);
  to.hex(event.nanoseconds);
}

/** The strategic merge patch that raises the count of an event. */
export function writeEventPatch(to: Writer, event: Event): void {
  to.text('{"count":');
  to.integer(event.count);
  to.text(',"lastTimestamp":');
  to.time(event.timeMs);
  to.text(',"message":"');
  writeMessage(to, event);
  to.text('"}');
}

function writeMessage(to: Writer, event: Event): void {
  if (event.isCombined) to.text("(combined from similar events): ");
  to.escapedBlob(event.message);
}

export function writeEvent(to: Writer, event: Event): void {
  to.text('{"apiVersion":"v1","kind":"Event","metadata":{"name":"');
  writeName(to, event);
  to.text('","namespace":');
  to.quotedBlob(event.namespace);
  to.text('},"involvedObject":{"apiVersion":"batch/v1","kind":"Job","namespace":');
  to.quotedBlob(event.namespace);
  to.text(',"name":');
  to.quotedBlob(event.job);
  to.text(',"uid":');
  to.quotedBlob(event.uid);
  to.text(',"resourceVersion":"');
  to.integer(i64(event.resourceVersion));
  to.text('"},"reason":');
  to.quotedBlob(event.reason);
  to.text(',"message":"');
  writeMessage(to, event);
  to.text('","source":{"component":"job-controller"},"firstTimestamp":');
  to.time(event.firstMs);
  to.text(',"lastTimestamp":');
  to.time(event.timeMs);
  to.text(',"count":');
  to.integer(event.count);
  to.text(',"type":');
  to.text(event.isWarning ? '"Warning"' : '"Normal"');
  to.text(',"eventTime":null,"reportingComponent":');
  to.text(event.isCombined ? '""' : '"job-controller"');
  to.text(',"reportingInstance":""}');
}

// Event names hold a time in nanoseconds. The clock has milliseconds: the rest tells engines apart that write in the same
// one, and counts the events of this one.
function uniqueNanoseconds(): u64 {
  const ofInstance = u64(hashBlob(instance) % 900000);
  lastNanoseconds = max(lastNanoseconds + 1, u64(wallNow()) * 1000000 + ofInstance);
  return lastNanoseconds;
}
