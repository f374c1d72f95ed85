/**
 * Events on Jobs, on their way to the API: fire and forget, in order, in a bounded queue that drops when it is full, and
 * with client-go's budget of 25 a Job and type, one more every five minutes. Source: docs/spec/controller.md section 7.
 */
import { instance } from "../configuration";
import { hashBytes } from "../hash";
import { Writer } from "../json/writer";
import { blobAt, blobOf, blobSize, copyOf, cutAtCharacter, freeBlob } from "../model/blob";
import { Job } from "../model/job";
import { freed, zeroed } from "../model/memory";
import { acquireName, releaseName } from "../model/names";
import { wallNow } from "../time/now";

/** Events that wait at most; more are dropped. */
export const MAX_QUEUED_EVENTS: i32 = 1000;
/** client-go's budget of one Job and type, and how long one more takes. */
const EVENT_BURST: f64 = 25;
const EVENT_REFILL_MS: f64 = 300000;
/** A longer message is cut, as the API server would refuse it. */
const MAX_MESSAGE_BYTES: u32 = 1024;

@unmanaged
export class Event {
  timeMs: f64;
  resourceVersion: u64;
  /** Makes the name unique. */
  nanoseconds: u64;
  namespace: usize;
  job: usize;
  uid: usize;
  reason: usize;
  message: usize;
  next: Event | null;
  isWarning: bool;
}

let first: Event | null = null;
let last: Event | null = null;
let queued: i32 = 0;
let dropped: f64 = 0;
let lastNanoseconds: u64 = 0;

/** `reason`: a literal. `message`: bytes, copied. */
export function queueEvent(job: Job, isWarning: bool, reason: usize, message: usize, messageSize: u32): void {
  if (!takeToken(job, isWarning) || queued >= MAX_QUEUED_EVENTS) {
    dropped += 1;
    return;
  }
  const event = zeroed<Event>();
  event.timeMs = wallNow();
  event.resourceVersion = job.resourceVersion;
  event.nanoseconds = uniqueNanoseconds();
  event.namespace = acquireName(blobAt(job.namespace), blobSize(job.namespace));
  event.job = copyOf(job.name);
  event.uid = copyOf(job.uid);
  event.reason = copyOf(reason);
  event.message = blobOf(message, cutAtCharacter(message, messageSize, MAX_MESSAGE_BYTES));
  event.isWarning = isWarning;
  if (last === null) first = event;
  else last!.next = event;
  last = event;
  ++queued;
}

export function hasEvents(): bool {
  return first !== null;
}

export function droppedEvents(): f64 {
  return dropped;
}

/** Takes the oldest event out; the caller writes it and frees it. */
export function takeEvent(): Event | null {
  const event = first;
  if (event === null) return null;
  first = event.next;
  if (first === null) last = null;
  --queued;
  return event;
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
  to.bytes(blobAt(event.namespace), blobSize(event.namespace));
  to.text("/events");
}

export function writeEvent(to: Writer, event: Event): void {
  to.text('{"apiVersion":"v1","kind":"Event","metadata":{"name":"');
  to.escaped(blobAt(event.job), blobSize(event.job));
  to.byte(0x2e);
  to.hex(event.nanoseconds);
  to.text('","namespace":');
  to.quoted(blobAt(event.namespace), blobSize(event.namespace));
  to.text('},"involvedObject":{"apiVersion":"batch/v1","kind":"Job","namespace":');
  to.quoted(blobAt(event.namespace), blobSize(event.namespace));
  to.text(',"name":');
  to.quoted(blobAt(event.job), blobSize(event.job));
  to.text(',"uid":');
  to.quoted(blobAt(event.uid), blobSize(event.uid));
  to.text(',"resourceVersion":"');
  to.integer(i64(event.resourceVersion));
  to.text('"},"reason":');
  to.quoted(blobAt(event.reason), blobSize(event.reason));
  to.text(',"message":');
  to.quoted(blobAt(event.message), blobSize(event.message));
  to.text(',"source":{"component":"job-controller"},"firstTimestamp":');
  to.time(event.timeMs);
  to.text(',"lastTimestamp":');
  to.time(event.timeMs);
  to.text(',"count":1,"type":');
  to.text(event.isWarning ? '"Warning"' : '"Normal"');
  to.text(',"eventTime":null,"reportingComponent":"job-controller","reportingInstance":""}');
}

function takeToken(job: Job, isWarning: bool): bool {
  const timeMs = wallNow();
  const refill = (timeMs - job.eventTokensAtMs) / EVENT_REFILL_MS;
  const isFirst = job.eventTokensAtMs == 0;
  job.eventTokensAtMs = timeMs;
  job.normalEventTokens = isFirst ? EVENT_BURST : min(EVENT_BURST, job.normalEventTokens + refill);
  job.warningEventTokens = isFirst ? EVENT_BURST : min(EVENT_BURST, job.warningEventTokens + refill);
  if ((isWarning ? job.warningEventTokens : job.normalEventTokens) < 1) return false;
  if (isWarning) job.warningEventTokens -= 1;
  else job.normalEventTokens -= 1;
  return true;
}

// Event names hold a time in nanoseconds. The clock has milliseconds: the rest tells engines apart that write in the same
// one, and counts the events of this one.
function uniqueNanoseconds(): u64 {
  const ofInstance = instance == 0 ? 0 : u64(hashBytes(blobAt(instance), blobSize(instance)) % 900000);
  lastNanoseconds = max(lastNanoseconds + 1, u64(wallNow()) * 1000000 + ofInstance);
  return lastNanoseconds;
}
