/**
 * Every decision, with the numbers it was based on and the moment of what comes next: a short ring a Job for
 * `explain`, and a stream of all of them for the host. One table below holds the codes, the names of their numbers
 * and their sentences, so that every language says the same. A decision that repeats the last one is not a new one.
 *
 * In a sentence `{name}` stands for a number, `{name:span}` for milliseconds as a time span, `{name:clock}` for a
 * wall-clock moment, `{name:s}` for the s of a plural, `{text}` for the text of the decision, and `[…]` for a part that goes when a number in it is absent.
 */
import { Writer } from "./json/writer";
import { blobAt, blobsEqual, blobSize, copyOf, freeBlob } from "./model/blob";
import { Job } from "./model/job";
import { wallNow } from "./time/now";

export const REFUSED: i32 = 0;
export const FOREIGN: i32 = 1;
export const UNREADABLE: i32 = 2;
export const DELETING: i32 = 3;
export const CREATING: i32 = 4;
export const CREATE_FAILED: i32 = 5;
export const BACKOFF: i32 = 6;
export const DELETING_SURPLUS: i32 = 7;
export const TOO_MANY_FAILURES: i32 = 8;
export const TOO_MANY_RESTARTS: i32 = 9;
export const DEADLINE_PASSED: i32 = 10;
export const COMPLETIONS_REACHED: i32 = 11;
export const WAITING_FOR_PODS: i32 = 12;
export const WAITING_FOR_TERMINATION: i32 = 13;
export const PARALLELISM_IS_ZERO: i32 = 14;
export const STATUS_WRITE_FAILED: i32 = 15;
export const FINALIZER_FAILED: i32 = 16;
export const DELETE_FAILED: i32 = 17;
export const LIST_FAILED: i32 = 18;
export const OUTCOME_UNKNOWN: i32 = 19;
export const WAITING_FOR_PODS_TO_BE_CLEAR: i32 = 20;
export const NO_LABELS: i32 = 21;
export const TEMPLATE_UNREADABLE: i32 = 22;
export const COUNTED: i32 = 23;
export const ENDED: i32 = 24;
export const RETRY: i32 = 25;
export const SUSPENDING: i32 = 26;
export const SUSPENDED: i32 = 27;
export const POLICY_FAILS_JOB: i32 = 28;
export const TOO_MANY_FAILED_INDEXES: i32 = 29;
export const INDEXES_FAILED: i32 = 30;
export const SUCCESS_POLICY_MET: i32 = 31;
export const INDEX_BACKOFF: i32 = 32;
export const REMOVAL_FAILED: i32 = 33;
export const STATUS_NOT_SENT: i32 = 34;
export const WORKLOAD_CREATED: i32 = 35;
export const GANG_FAILED: i32 = 36;
export const GANG_FALLBACK: i32 = 37;

const NAMES: StaticArray<string> = [
  "Refused", "Foreign", "Unreadable", "Deleting", "Creating", "CreateFailed", "Backoff", "DeletingSurplus",
  "TooManyFailures", "TooManyRestarts", "DeadlinePassed", "CompletionsReached", "WaitingForPods",
  "WaitingForTermination", "ParallelismIsZero", "StatusWriteFailed", "FinalizerFailed", "DeleteFailed", "ListFailed",
  "OutcomeUnknown", "WaitingForPodsToBeClear", "NoLabels", "TemplateUnreadable", "Counted", "Ended", "Retry", "Suspending", "Suspended",
  "PolicyFailsJob", "TooManyFailedIndexes", "IndexesFailed", "SuccessPolicyMet", "IndexBackoff", "RemovalFailed", "StatusNotSent",
  "WorkloadCreated", "GangFailed", "GangFallback",
];

/** Names of the numbers, in order, separated by commas. */
const NUMBERS: StaticArray<string> = [
  "", "", "", "", "pods,active,wanted,succeeded", "status", "remainingMs,failures,lastFailureMs", "pods,active,wanted",
  "failed,backoffLimit", "restarts,backoffLimit", "deadlineMs,startMs", "succeeded,completions", "active,ready,succeeded,completions",
  "terminating", "", "status", "status", "status", "status",
  "", "", "", "", "succeeded,failed,uncounted", "succeeded,failed", "delayMs,failures",
  "pods", "terminating",
  "", "failedIndexes,maxFailedIndexes", "failedIndexes,succeeded", "rule,succeeded", "remainingMs,index,failures", "status", "",
  "pods", "status", "",
];

const SENTENCES: StaticArray<string> = [
  "not run: {text} is a field that this engine does not implement",
  "not run: spec.managedBy says that {text} manages this Job",
  "stopped: an object of this Job cannot be read ({text})",
  "the Job is being deleted: no pod is created any more, and pods lose their finalizer",
  "creating {pods} pod{pods:s}: {active} of {wanted} wanted active, {succeeded} succeeded",
  "creating a pod was refused: {text}",
  "waiting {remainingMs:span} before the next pod is created: {failures} failure{failures:s} in a row, the last at {lastFailureMs:clock}",
  "deleting {pods} surplus pod{pods:s}: {active} active, {wanted} wanted",
  "the Job fails: {failed} failed pod{failed:s}, more than backoffLimit {backoffLimit} allows",
  "the Job fails: {restarts} container restart{restarts:s}, and backoffLimit is {backoffLimit}",
  "the Job fails: activeDeadlineSeconds of {deadlineMs:span} have passed since {startMs:clock}",
  "the Job completes: {succeeded}[ of {completions}] succeeded",
  "waiting for pods: {active} active, {ready} of them ready, {succeeded} succeeded[ of {completions}]",
  "every pod is decided; waiting for {terminating} pod{terminating:s} to end",
  "parallelism is 0: no pod is wanted",
  "writing the status failed: {text}",
  "removing a finalizer failed: {text}",
  "deleting a pod failed: {text}",
  "listing the pods of this Job failed: {text}",
  "the answer to a pod creation was lost: the pods of the Job are listed before another one is created",
  "waiting until the pod watch has caught up after a lost answer: no pod is created until then",
  "creating pods is not possible: the pod template has no labels",
  "creating pods is not possible: the pod template cannot be read",
  "counted: {succeeded} succeeded, {failed} failed, {uncounted} on the way into these numbers",
  "the Job has ended with {text}: {succeeded} succeeded, {failed} failed",
  "trying again in {delayMs:span}, after {failures} failure{failures:s}",
  "the Job is suspended: deleting {pods} active pod{pods:s}, which are not counted as failed",
  "the Job is suspended: no pod is created until spec.suspend is false",
  "the Job fails: {text}",
  "the Job fails: {failedIndexes} failed indexes, more than maxFailedIndexes {maxFailedIndexes} allows",
  "the Job fails: every index is decided, {succeeded} succeeded and {failedIndexes} failed",
  "the Job succeeds: rule {rule} of its success policy is met by the {succeeded} indexes that have succeeded",
  "waiting {remainingMs:span} before index {index} is tried again: {failures} failure{failures:s}",
  "deleting the Job, whose time to live is over, failed: {text}",
  "the status is not written, for the API server would refuse it: {text}",
  "created Workload {text}: its {pods} pods are to be scheduled together",
  "no pod is created: ensuring Workload and PodGroup for Job {text}",
  "pods are scheduled one by one, for the Job cannot have a PodGroup: {text}",
];

/** Decisions kept a Job. */
const RING_ENTRIES: u32 = 12;
const MAX_NUMBERS: i32 = 4;
/** Decisions that wait for a poll at most, in bytes; older hosts' loss, not the engine's. */
const MAX_PENDING_BYTES: u32 = 1024 * 1024;

@unmanaged
export class Entry {
  atMs: f64;
  /** Wall clock; NaN: only an event moves the Job on. */
  nextMs: f64;
  number0: f64;
  number1: f64;
  number2: f64;
  number3: f64;
  text: usize;
  code: i32;
}

/** The last decisions of one Job. Zeroed memory is an empty ring. */
@unmanaged
export class Trace {
  private entries: usize;
  private count: u32;

  free(): void {
    for (let i: u32 = 0; i < min(this.count, RING_ENTRIES); ++i) freeBlob(this.slot(i).text);
    if (this.entries != 0) heap.free(this.entries);
    this.entries = 0;
    this.count = 0;
  }

  get length(): u32 {
    return min(this.count, RING_ENTRIES);
  }

  /** Entry `i` from the oldest that is kept. */
  at(i: u32): Entry {
    return this.slot((this.count - this.length + i) % RING_ENTRIES);
  }

  push(): Entry {
    if (this.entries == 0) {
      this.entries = heap.alloc(RING_ENTRIES * offsetof<Entry>());
      memory.fill(this.entries, 0, RING_ENTRIES * offsetof<Entry>());
    }
    const entry = this.slot(this.count++ % RING_ENTRIES);
    freeBlob(entry.text);
    entry.text = 0;
    return entry;
  }

  private slot(i: u32): Entry {
    return changetype<Entry>(this.entries + usize(i) * offsetof<Entry>());
  }
}

const pending = new Writer(4096);
const taken = new Writer(4096);

/** Notes a decision. `text`: a blob, copied. False when it only repeats the last one. */
export function record(job: Job, code: i32, text: usize = 0, number0: f64 = NaN, number1: f64 = NaN, number2: f64 = NaN, number3: f64 = NaN): bool {
  return note(job, code, text, NaN, number0, number1, number2, number3);
}

/** Notes a decision after which something happens at `nextMs` (wall clock, NaN: not) without any event. */
export function recordWait(job: Job, code: i32, nextMs: f64, number0: f64 = NaN, number1: f64 = NaN, number2: f64 = NaN, number3: f64 = NaN): bool {
  return note(job, code, 0, nextMs, number0, number1, number2, number3);
}

/** The decisions since they were last taken, as a JSON array, or nothing at all when there are none. */
export function takeDecisions(): Writer {
  taken.reset();
  if (pending.length > 0) {
    taken.byte(0x5b);
    taken.bytes(pending.start, pending.length);
    taken.byte(0x5d);
    pending.reset();
  }
  return taken;
}

/** The last decision as a sentence; nothing when there is none. */
export function writeLastSentence(to: Writer, job: Job): void {
  const trace = job.trace!;
  if (trace.length > 0) writeSentence(to, trace.at(trace.length - 1));
}

/** The code name of the last decision, or an empty string. */
export function lastCodeName(job: Job): string {
  const trace = job.trace!;
  return trace.length > 0 ? NAMES[trace.at(trace.length - 1).code] : "";
}

/** When something happens next without an event, on the wall clock; NaN: nothing does. */
export function lastNextMs(job: Job): f64 {
  const trace = job.trace!;
  return trace.length > 0 ? trace.at(trace.length - 1).nextMs : NaN;
}

/** The decisions that are kept, oldest first, as a JSON array. */
export function writeDecisions(to: Writer, job: Job): void {
  const trace = job.trace!;
  to.byte(0x5b);
  for (let i: u32 = 0; i < trace.length; ++i) {
    if (i > 0) to.byte(0x2c);
    writeEntry(to, job, trace.at(i));
  }
  to.byte(0x5d);
}

function note(job: Job, code: i32, text: usize, nextMs: f64, number0: f64, number1: f64, number2: f64, number3: f64): bool {
  const trace = job.trace!;
  if (trace.length > 0 && repeats(trace.at(trace.length - 1), code, text, nextMs, number0, number1, number2, number3)) return false;
  const entry = trace.push();
  entry.atMs = wallNow();
  entry.nextMs = nextMs;
  entry.code = code;
  entry.text = copyOf(text);
  entry.number0 = number0;
  entry.number1 = number1;
  entry.number2 = number2;
  entry.number3 = number3;
  if (pending.length < MAX_PENDING_BYTES) {
    if (pending.length > 0) pending.byte(0x2c);
    writeEntry(pending, job, entry);
  }
  return true;
}

function repeats(last: Entry, code: i32, text: usize, nextMs: f64, number0: f64, number1: f64, number2: f64, number3: f64): bool {
  if (last.code != code || !same(last.nextMs, nextMs)) return false;
  // The same wait, however much of it is left.
  return code == BACKOFF || code == INDEX_BACKOFF || (same(last.number0, number0) && same(last.number1, number1) && same(last.number2, number2) && same(last.number3, number3) && blobsEqual(last.text, text));
}

function same(a: f64, b: f64): bool {
  return a == b || (isNaN(a) && isNaN(b));
}

function numberAt(entry: Entry, i: i32): f64 {
  if (i == 0) return entry.number0;
  if (i == 1) return entry.number1;
  return i == 2 ? entry.number2 : entry.number3;
}

function writeEntry(to: Writer, job: Job, entry: Entry): void {
  to.text('{"atMs":');
  to.number(entry.atMs);
  to.text(',"namespace":');
  to.quoted(blobAt(job.namespace), blobSize(job.namespace));
  to.text(',"job":');
  to.quoted(blobAt(job.name), blobSize(job.name));
  to.text(',"uid":');
  to.quoted(blobAt(job.uid), blobSize(job.uid));
  to.text(',"code":"');
  to.text(NAMES[entry.code]);
  to.text('","message":"');
  writeSentence(to, entry);
  to.text('","nextMs":');
  to.number(entry.nextMs);
  to.text(',"numbers":{');
  writeNumbers(to, entry);
  to.text("}}");
}

function writeNumbers(to: Writer, entry: Entry): void {
  const names = NUMBERS[entry.code];
  let from = 0;
  let any = false;
  for (let i = 0; i < MAX_NUMBERS && from < names.length; ++i) {
    let until = names.indexOf(",", from);
    if (until < 0) until = names.length;
    const value = numberAt(entry, i);
    if (!isNaN(value)) {
      if (any) to.byte(0x2c);
      any = true;
      to.byte(0x22);
      writePart(to, names, from, until);
      to.text('":');
      to.number(value);
    }
    from = until + 1;
  }
}

// Sentences go into JSON strings: their own text needs no escapes, the text of a decision gets them.
function writeSentence(to: Writer, entry: Entry): void {
  const sentence = SENTENCES[entry.code];
  let skipping = false;
  for (let i = 0; i < sentence.length; ++i) {
    const c = sentence.charCodeAt(i);
    if (c == 0x5b) {
      skipping = hasAbsentNumber(entry, sentence, i);
    } else if (c == 0x5d) {
      skipping = false;
    } else if (skipping) {
      continue;
    } else if (c != 0x7b) {
      to.byte(u32(c));
    } else {
      const end = sentence.indexOf("}", i);
      writePlaceholder(to, entry, sentence, i + 1, end);
      i = end;
    }
  }
}

function hasAbsentNumber(entry: Entry, sentence: string, from: i32): bool {
  const open = sentence.indexOf("{", from);
  const close = sentence.indexOf("}", open);
  return isNaN(numberOf(entry, sentence, open + 1, close));
}

function writePlaceholder(to: Writer, entry: Entry, sentence: string, from: i32, until: i32): void {
  let nameEnd = sentence.indexOf(":", from);
  if (nameEnd < 0 || nameEnd > until) nameEnd = until;
  if (isPart(sentence, from, nameEnd, "text")) {
    if (entry.text != 0) to.escaped(blobAt(entry.text), blobSize(entry.text));
    return;
  }
  const value = numberOf(entry, sentence, from, nameEnd);
  if (nameEnd == until) to.number(value);
  else if (isPart(sentence, nameEnd + 1, until, "span")) writeSpan(to, value);
  else if (isPart(sentence, nameEnd + 1, until, "clock")) writeClock(to, value);
  else if (value != 1) to.byte(0x73);
}

function numberOf(entry: Entry, sentence: string, from: i32, until: i32): f64 {
  const names = NUMBERS[entry.code];
  let at = 0;
  for (let i = 0; i < MAX_NUMBERS && at < names.length; ++i) {
    let end = names.indexOf(",", at);
    if (end < 0) end = names.length;
    if (end - at == until - from && samePart(names, at, sentence, from, end - at)) return numberAt(entry, i);
    at = end + 1;
  }
  return NaN;
}

function isPart(text: string, from: i32, until: i32, expected: string): bool {
  return until - from == expected.length && samePart(text, from, expected, 0, expected.length);
}

// Compared in place: parts cut out would be garbage by the thousand.
function samePart(a: string, aFrom: i32, b: string, bFrom: i32, length: i32): bool {
  for (let i = 0; i < length; ++i) {
    if (a.charCodeAt(aFrom + i) != b.charCodeAt(bFrom + i)) return false;
  }
  return true;
}

export function writePart(to: Writer, text: string, from: i32, until: i32): void {
  for (let i = from; i < until; ++i) to.byte(u32(text.charCodeAt(i)));
}

/** `37 s`, `4 min 20 s`, `2 h 5 min`; a part of a second counts as one. */
function writeSpan(to: Writer, spanMs: f64): void {
  const seconds = i64(Math.ceil(max(0, spanMs) / 1000));
  if (seconds < 120) {
    to.integer(seconds);
    to.text(" s");
  } else if (seconds < 7200) {
    to.integer(seconds / 60);
    to.text(" min");
    if (seconds % 60 != 0) {
      to.byte(0x20);
      to.integer(seconds % 60);
      to.text(" s");
    }
  } else {
    to.integer(seconds / 3600);
    to.text(" h");
    if (seconds / 60 % 60 != 0) {
      to.byte(0x20);
      to.integer(seconds / 60 % 60);
      to.text(" min");
    }
  }
}

/** `10:02:11`, UTC. */
function writeClock(to: Writer, wallMs: f64): void {
  const seconds = i64(Math.floor(wallMs / 1000));
  const ofDay = ((seconds % 86400) + 86400) % 86400;
  writeTwoDigits(to, ofDay / 3600);
  to.byte(0x3a);
  writeTwoDigits(to, (ofDay / 60) % 60);
  to.byte(0x3a);
  writeTwoDigits(to, ofDay % 60);
}

function writeTwoDigits(to: Writer, value: i64): void {
  to.byte(0x30 + u32(value / 10));
  to.byte(0x30 + u32(value % 10));
}
