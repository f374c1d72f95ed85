/**
 * The queue of events on Jobs, waiting to be sent. It keeps their order, and drops events beyond MAX_QUEUED_EVENTS. A
 * repeated event is a patch of the earlier one; if that is gone, the event is created again. A patch waits until no
 * event write is in flight: the server may apply two writes in any order, and the count would decrease. An event
 * without an answer is retried alone, up to MAX_EVENT_TRIES; other events wait, because the server is probably down.
 * Job syncs never wait for events. Source: docs/spec/controller.md section 7.
 */
import { instance } from "../model/configuration";
import { blobAt, blobOf, blobSize, copyOf, cutAtCharacter, freeBlob, hashBlob } from "../memory/blob";
import { Job } from "../model/job";
import { correlate, groupOf, takeEventToken } from "./event-correlator";
import { release, zeroed } from "../memory/records";
import { acquireName, releaseName } from "../memory/names";
import { now, wallNow } from "../time/now";

/** The most events that wait or are in flight. Further ones are dropped. */
export const MAX_QUEUED_EVENTS: i32 = 1000;
/** How often an event is sent at most. Source: client-go tools/record/event.go maxTriesPerEvent. */
export const MAX_EVENT_TRIES: i32 = 12;
/** The time between two tries, when the server names none. Source: the same, defaultSleepDuration. */
const EVENT_RETRY_MS: f64 = 10000;
/** A longer message is cut, because the API server would refuse it. */
const MAX_MESSAGE_BYTES: u32 = 1024;

/** One event to write. */
@unmanaged
export class Event {
  timeMs: f64;
  firstMs: f64;
  resourceVersion: u64;
  /** The time in the event's name, which makes the name unique. */
  nanoseconds: u64;
  /** The event's place in the order of all events. */
  number: f64;
  namespace: usize;
  job: usize;
  uid: usize;
  reason: usize;
  message: usize;
  next: Event | null;
  /** The number of the decision that it reports. */
  decision: u32;
  count: i32;
  /** How often it was sent and got no answer. */
  tries: i32;
  isWarning: bool;
  isCombined: bool;
  /** It raises the count of an event that was written before. */
  isPatch: bool;
}

let first: Event | null = null;
let last: Event | null = null;
let queued: i32 = 0;
let underWay: i32 = 0;
/** No event is sent before this time, on the clock of `now`. */
let heldUntilMs: f64 = 0;
/** The event in flight is a retry. The others wait for its answer. */
let sendsAgain = false;
let lastNumber: f64 = 0;
let dropped: f64 = 0;
let lastNanoseconds: u64 = 0;

/**
 * Queues an event on the Job. `reason` is a blob, `message` is bytes; both are copied. `decision` is the number of the
 * decision that it reports.
 */
export function queueEvent(
  job: Job,
  decision: u32,
  isWarning: bool,
  reason: usize,
  message: usize,
  messageSize: u32,
): void {
  const group = groupOf(job, isWarning, reason);
  const record = correlate(group, message, messageSize);
  if (record.count == 1) record.nanoseconds = uniqueNanoseconds();
  if (!takeEventToken(job, isWarning) || queued + underWay >= MAX_QUEUED_EVENTS) {
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
  event.decision = decision;
  event.count = record.count;
  event.isWarning = isWarning;
  event.isCombined = record === group.combined;
  event.isPatch = record.count > 1;
  event.number = ++lastNumber;
  append(event);
}

/** The event to patch does not exist, so it is created again. The caller must not use it any more. */
export function createAnew(event: Event): void {
  event.isPatch = false;
  putBack(event);
}

/**
 * Retries the event after a delay, up to MAX_EVENT_TRIES. Either its outcome is unknown, or the server asks to wait
 * (`atLeastMs`; 0: it does not). Retries are idempotent: the server refuses a second creation, and a repeated patch
 * does not change the count. The caller must not use the event any more.
 */
export function sendAgain(event: Event, atLeastMs: f64): void {
  if (++event.tries == MAX_EVENT_TRIES) {
    dropped += 1;
    freeEvent(event);
    return;
  }
  heldUntilMs = max(heldUntilMs, now() + (atLeastMs > 0 ? atLeastMs : EVENT_RETRY_MS));
  putBack(event);
}

/** When events that are held back may be sent; Infinity: none is held back. */
export function heldEventsDueMs(): f64 {
  return heldUntilMs > now() ? heldUntilMs : Infinity;
}

function append(event: Event): void {
  insert(event, last, null);
}

// Puts the event before all that came after it; later counts of the same event may be among these. The queue has a free
// entry for it, because it was in flight.
function putBack(event: Event): void {
  let before: Event | null = null;
  let after = first;
  while (after !== null && after.number < event.number) {
    before = after;
    after = after.next;
  }
  insert(event, before, after);
}

function insert(event: Event, before: Event | null, after: Event | null): void {
  event.next = after;
  if (before === null) first = event;
  else before.next = event;
  if (after === null) last = event;
  ++queued;
}

/** How many events were dropped since the engine was made. */
export function droppedEvents(): f64 {
  return dropped;
}

/**
 * Takes the oldest event out, unless it has to wait. The caller writes it, and calls `eventAnswered` when the answer is
 * there.
 */
export function takeEvent(): Event | null {
  const event = first;
  if (event === null || sendsAgain || heldUntilMs > now()) return null;
  const isAgain = event.tries > 0;
  if ((event.isPatch || isAgain) && underWay > 0) return null;
  sendsAgain = isAgain;
  ++underWay;
  first = event.next;
  if (first === null) last = null;
  --queued;
  return event;
}

/** The write of an event was answered. */
export function eventAnswered(): void {
  sendsAgain = false;
  --underWay;
}

export function freeEvent(event: Event): void {
  releaseName(event.namespace);
  freeBlob(event.job);
  freeBlob(event.uid);
  freeBlob(event.reason);
  freeBlob(event.message);
  release<Event>(event);
}

// A number for an event's name: a time in nanoseconds. The clock has milliseconds. The lower digits distinguish engines
// that write in the same millisecond, and count the events of this engine.
function uniqueNanoseconds(): u64 {
  const ofInstance = u64(hashBlob(instance) % 900000);
  lastNanoseconds = max(lastNanoseconds + 1, u64(wallNow()) * 1000000 + ofInstance);
  return lastNanoseconds;
}
