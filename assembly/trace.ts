/**
 * Every decision, with the numbers it was based on and the moment of what comes next: a short ring a Job for `explain`,
 * and a stream of all of them for the host. One table below holds the codes, the names of their numbers and their
 * sentences, so that every language says the same. A decision that repeats the last one is not a new one. What fails
 * and is tried again is also counted, so that `explain` can say since when and how often. Form of the sentences:
 * sentence.ts.
 */
import { Writer } from "./json/writer";
import { blobsEqual, copyOf, freeBlob } from "./memory/blob";
import { Job } from "./model/job";
import { freed, zeroed } from "./memory/records";
import { writeNumbers, writeSentence } from "./sentence";
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
export const CLAIMING: i32 = 38;
export const CLAIM_FAILED: i32 = 39;

const NAMES: StaticArray<string> = [
  "Refused",
  "Foreign",
  "Unreadable",
  "Deleting",
  "Creating",
  "CreateFailed",
  "Backoff",
  "DeletingSurplus",
  "TooManyFailures",
  "TooManyRestarts",
  "DeadlinePassed",
  "CompletionsReached",
  "WaitingForPods",
  "WaitingForTermination",
  "ParallelismIsZero",
  "StatusWriteFailed",
  "FinalizerFailed",
  "DeleteFailed",
  "ListFailed",
  "OutcomeUnknown",
  "WaitingForPodsToBeClear",
  "NoLabels",
  "TemplateUnreadable",
  "Counted",
  "Ended",
  "Retry",
  "Suspending",
  "Suspended",
  "PolicyFailsJob",
  "TooManyFailedIndexes",
  "IndexesFailed",
  "SuccessPolicyMet",
  "IndexBackoff",
  "RemovalFailed",
  "StatusNotSent",
  "WorkloadCreated",
  "GangFailed",
  "GangFallback",
  "Claiming",
  "ClaimFailed",
];

/** Names of the numbers, in order, separated by commas. */
const NUMBERS: StaticArray<string> = [
  "",
  "",
  "",
  "",
  "pods,active,wanted,succeeded",
  "status",
  "remainingMs,failures,lastFailureMs,backoffMs",
  "pods,active,wanted",
  "failed,backoffLimit",
  "restarts,backoffLimit",
  "deadlineMs,startMs",
  "succeeded,completions",
  "active,ready,succeeded,completions",
  "terminating",
  "",
  "status",
  "status",
  "status",
  "status",
  "",
  "",
  "",
  "",
  "succeeded,failed,uncounted",
  "succeeded,failed",
  "delayMs,failures",
  "pods",
  "terminating",
  "",
  "failedIndexes,maxFailedIndexes",
  "failedIndexes,succeeded",
  "rule,succeeded",
  "remainingMs,index,failures,backoffMs",
  "status",
  "",
  "pods",
  "status",
  "",
  "adopted,released",
  "status",
];

const SENTENCES: StaticArray<string> = [
  "not run: {text}",
  "not run: spec.managedBy says that {text} manages this Job",
  "stopped: {text}",
  "the Job is being deleted[ since {sinceMs:clock}]: no pod is created any more, and pods lose their finalizer[; {pods} pod{pods:s} must go first]",
  "creating {pods} pod{pods:s}: {active} of {wanted} wanted active, {succeeded} succeeded",
  "creating a pod was refused{again}: {text}",
  "waiting {remainingMs:span} before the next pod is created: {failures} failure{failures:s} in a row, back-off {backoffMs:span} since {lastFailureMs:clock}",
  "deleting {pods} surplus pod{pods:s}: {active} active, {wanted} wanted",
  "the Job fails: {failed} failed pod{failed:s}, more than backoffLimit {backoffLimit} allows",
  "the Job fails: {restarts} container restart{restarts:s}, and backoffLimit is {backoffLimit}",
  "the Job fails: activeDeadlineSeconds of {deadlineMs:span} have passed since {startMs:clock}",
  "the Job completes: {succeeded}[ of {completions}] succeeded",
  "waiting for pods: {active} active, {ready} of them ready, {succeeded} succeeded[ of {completions}]",
  "every pod is decided; waiting for {terminating} pod{terminating:s} to end",
  "parallelism is 0: no pod is wanted",
  "writing the status failed{again}: {text}",
  "removing a finalizer failed{again}: {text}",
  "deleting a pod failed{again}: {text}",
  "listing the pods of this Job failed{again}: {text}",
  "the answer to a pod creation was lost{again}: the pods of the Job are listed before another one is created",
  "waiting until the pod watch has caught up[, from version {version} to {neededVersion}]: no pod is created until then",
  "creating a pod was not possible{again}: the pod template has no labels",
  "creating a pod was not possible{again}: the pod template cannot be read",
  "counted: {succeeded} succeeded, {failed} failed, {uncounted} on the way into these numbers",
  "the Job has ended with {text}: {succeeded} succeeded, {failed} failed",
  "trying again in {delayMs:span}, after {failures} failure{failures:s}",
  "the Job is suspended: deleting {pods} active pod{pods:s}, not counted as failed",
  "the Job is suspended[ since {sinceMs:clock}]: no pod is created until spec.suspend is false",
  "the Job fails: {text}",
  "the Job fails: {failedIndexes} failed indexes, more than maxFailedIndexes {maxFailedIndexes} allows",
  "the Job fails: every index is decided, {succeeded} succeeded and {failedIndexes} failed",
  "the Job succeeds: rule {rule} of its success policy is met by the {succeeded} indexes that have succeeded",
  "waiting {remainingMs:span} before index {index} is tried again: {failures} failure{failures:s}, back-off {backoffMs:span}[ since {lastFailureMs:clock}][; {indexes} indexes wait]",
  "deleting the Job, whose time to live is over, failed{again}: {text}",
  "the status is not written, for the API server would refuse it{again}: {text}",
  "created Workload {text}: its {pods} pods are to be scheduled together",
  "creating pods was not possible{again}: ensuring Workload and PodGroup for Job {text}",
  "pods are scheduled one by one, for the Job cannot have a PodGroup: {text}",
  "claiming pods: {adopted} to adopt, {released} to release because the selector does not match",
  "claiming a pod failed{again}, and nothing is counted before it works: {text}",
];

/** Decisions kept a Job. */
const RING_ENTRIES: u32 = 12;
/** Decisions that wait for a poll at most, in bytes; older hosts' loss, not the engine's. */
const MAX_PENDING_BYTES: u32 = 1024 * 1024;

@unmanaged
export class Entry {
  /** NaN: the decision has no such number. */
  number0: f64;
  number1: f64;
  number2: f64;
  number3: f64;
  atMs: f64;
  /** Wall clock; NaN: only an event moves the Job on. */
  nextMs: f64;
  text: usize;
  code: i32;

  /** Where its numbers are. */
  get numbers(): usize {
    return changetype<usize>(this) + offsetof<Entry>("number0");
  }
}

/** The last decisions of one Job. Zeroed memory is an empty ring. */
@unmanaged
export class Trace {
  private entries: usize;
  private count: u32;
  /** What fails and is tried again, in the numbers TRY_NUMBERS; null: nothing does. */
  trouble: Entry | null;

  free(): void {
    this.forgetTrouble();
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

  /** Nothing fails any more. */
  forgetTrouble(): void {
    const trouble = this.trouble;
    if (trouble === null) return;
    freeBlob(trouble.text);
    freed<Entry>(trouble);
    this.trouble = null;
  }

  private slot(i: u32): Entry {
    return changetype<Entry>(this.entries + usize(i) * offsetof<Entry>());
  }
}

const pending = new Writer(4096);
const taken = new Writer(4096);

/** Notes a decision. `text`: a blob, copied. False when it only repeats the last one. */
export function record(
  job: Job,
  code: i32,
  text: usize = 0,
  number0: f64 = NaN,
  number1: f64 = NaN,
  number2: f64 = NaN,
  number3: f64 = NaN,
): bool {
  return note(job, code, text, NaN, number0, number1, number2, number3);
}

/** Notes a decision after which something happens at `nextMs` (wall clock, NaN: not) without any event. */
export function recordWait(
  job: Job,
  code: i32,
  nextMs: f64,
  number0: f64 = NaN,
  number1: f64 = NaN,
  number2: f64 = NaN,
  number3: f64 = NaN,
): bool {
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

/** The last decision; null: there is none. */
export function lastEntry(job: Job): Entry | null {
  const trace = job.trace;
  return trace.length > 0 ? trace.at(trace.length - 1) : null;
}

export function nameOf(code: i32): string {
  return NAMES[code];
}

export function numbersOf(code: i32): string {
  return NUMBERS[code];
}

export function sentenceOf(code: i32): string {
  return SENTENCES[code];
}

/** The decisions that are kept, oldest first, as a JSON array. */
export function writeDecisions(to: Writer, job: Job): void {
  const trace = job.trace;
  to.byte(0x5b);
  for (let i: u32 = 0; i < trace.length; ++i) {
    if (i > 0) to.byte(0x2c);
    writeEntry(to, job, trace.at(i));
  }
  to.byte(0x5d);
}

function note(
  job: Job,
  code: i32,
  text: usize,
  nextMs: f64,
  number0: f64,
  number1: f64,
  number2: f64,
  number3: f64,
): bool {
  const trace = job.trace;
  if (SENTENCES[code].includes("{again}")) noteTrouble(trace, code, text, number0);
  if (trace.length > 0 && repeats(trace.at(trace.length - 1), code, text, nextMs, number0, number1, number2, number3))
    return false;
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

function repeats(
  last: Entry,
  code: i32,
  text: usize,
  nextMs: f64,
  number0: f64,
  number1: f64,
  number2: f64,
  number3: f64,
): bool {
  if (last.code != code || !same(last.nextMs, nextMs)) return false;
  // The same wait, however much of it is left, and however many pods still end meanwhile.
  return (
    code == BACKOFF ||
    code == INDEX_BACKOFF ||
    code == SUSPENDED ||
    (same(last.number0, number0) &&
      same(last.number1, number1) &&
      same(last.number2, number2) &&
      same(last.number3, number3) &&
      blobsEqual(last.text, text))
  );
}

function same(a: f64, b: f64): bool {
  return a == b || (isNaN(a) && isNaN(b));
}

// The first failure of a kind sets the moment, each one the text.
function noteTrouble(trace: Trace, code: i32, text: usize, status: f64): void {
  let trouble = trace.trouble;
  if (trouble === null || trouble.code != code) {
    trace.forgetTrouble();
    trouble = zeroed<Entry>();
    trouble.code = code;
    trouble.number2 = wallNow();
    trace.trouble = trouble;
  }
  freeBlob(trouble.text);
  trouble.text = copyOf(text);
  trouble.number0 = status;
  trouble.number1 += 1;
}

function writeEntry(to: Writer, job: Job, entry: Entry): void {
  to.text('{"atMs":');
  to.number(entry.atMs);
  to.text(',"namespace":');
  to.quotedBlob(job.namespace);
  to.text(',"job":');
  to.quotedBlob(job.name);
  to.text(',"uid":');
  to.quotedBlob(job.uid);
  to.text(',"code":"');
  to.text(NAMES[entry.code]);
  to.text('","message":"');
  writeSentence(to, SENTENCES[entry.code], NUMBERS[entry.code], entry.numbers, entry.text);
  to.text('","nextMs":');
  to.number(entry.nextMs);
  to.text(',"numbers":');
  writeNumbers(to, NUMBERS[entry.code], entry.numbers);
  to.byte(0x7d);
}
