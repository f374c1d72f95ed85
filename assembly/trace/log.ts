/**
 * Records decisions: in the Job, which keeps its last ones for `explain`, and in a stream of all decisions for the
 * host. A decision that repeats the last one of its Job is not recorded again.
 *
 * Each decision has a number, and each request names the number of the decision that it carries out. Some decisions are
 * recorded only once the server has stored what they say. Their requests name a number that is reserved for the next
 * decision of the Job. A failure in between does not get the reserved number, because the request was not sent for it.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACKET } from "../json/punctuation";
import { Writer } from "../json/writer";
import { blobsEqual, copyOf } from "../memory/blob";
import { Job } from "../model/job";
import { RecentDecision } from "../model/recent-decisions";
import { wallNow } from "../time/now";
import { BACKOFF, INDEX_BACKOFF, SUSPENDED } from "./decisions";
import { Decision } from "./row";
import { isTriedAgain, writeName, writeNumbers, writeSentence } from "./sentence";

/**
 * The most bytes of decisions that wait for a poll. When it is reached, new decisions are kept only with their Job; a
 * host that polls too rarely does not get them.
 */
const MAX_PENDING_BYTES: u32 = 1024 * 1024;

/** The number of the latest decision of all Jobs. After the largest comes 1 again. */
let lastId: u32 = 0;
const pending = new Writer(4096);
const taken = new Writer(4096);

/**
 * Records a decision. `text` is a blob; it is copied. Returns its number or, if it only repeats the last one, the
 * number of that.
 */
export function record(
  job: Job,
  decision: Decision,
  text: usize = 0,
  number0: f64 = NaN,
  number1: f64 = NaN,
  number2: f64 = NaN,
  number3: f64 = NaN,
): u32 {
  return note(job, decision, text, NaN, number0, number1, number2, number3);
}

/** Records a decision to wait. The Job is synced at `nextMs` without any event (wall clock; NaN: it is not). */
export function recordWait(
  job: Job,
  decision: Decision,
  nextMs: f64,
  number0: f64 = NaN,
  number1: f64 = NaN,
  number2: f64 = NaN,
  number3: f64 = NaN,
  text: usize = 0,
): u32 {
  return note(job, decision, text, nextMs, number0, number1, number2, number3);
}

/** The number that the next decision of the Job gets. */
export function expectDecision(job: Job): u32 {
  const trace = job.trace;
  if (trace.expected == 0) trace.expect(newId());
  return trace.expected;
}

/** Releases the reserved number: the expected decision was a repetition, and the next one gets another number. */
export function expectNothing(job: Job): void {
  if (job.trace.expected != 0) job.trace.expect(0);
}

/** The number of the latest decision of the Job; 0: there is none. */
export function latestDecision(job: Job): u32 {
  const last = job.trace.last;
  return last === null ? 0 : last.id;
}

function newId(): u32 {
  if (++lastId == 0) ++lastId;
  return lastId;
}

/** The decisions since they were last taken, as a JSON array; empty when there are none. Lasts until the next call. */
export function takeDecisions(): Writer {
  taken.reset();
  if (pending.length > 0) {
    taken.byte(OPEN_BRACKET);
    taken.bytes(pending.start, pending.length);
    taken.byte(CLOSE_BRACKET);
    pending.reset();
  }
  return taken;
}

/** Writes the decisions that the Job remembers, oldest first, as a JSON array. */
export function writeDecisions(to: Writer, job: Job): void {
  const trace = job.trace;
  to.byte(OPEN_BRACKET);
  for (let i: u32 = 0; i < trace.length; ++i) {
    if (i > 0) to.byte(COMMA);
    writeEntry(to, job, trace.at(i));
  }
  to.byte(CLOSE_BRACKET);
}

function note(
  job: Job,
  decision: Decision,
  text: usize,
  nextMs: f64,
  number0: f64,
  number1: f64,
  number2: f64,
  number3: f64,
): u32 {
  const trace = job.trace;
  let id = trace.expected;
  expectNothing(job);
  if (isTriedAgain(decision)) {
    trace.noteTrouble(decision, text, number0, wallNow());
    id = 0;
  }
  const last = trace.last;
  if (last !== null && repeats(last, decision, text, nextMs, number0, number1, number2, number3)) return last.id;
  const entry = trace.push();
  entry.id = id == 0 ? newId() : id;
  entry.atMs = wallNow();
  entry.nextMs = nextMs;
  entry.decision = decision;
  entry.text = copyOf(text);
  entry.number0 = number0;
  entry.number1 = number1;
  entry.number2 = number2;
  entry.number3 = number3;
  if (pending.length < MAX_PENDING_BYTES) {
    if (pending.length > 0) pending.byte(COMMA);
    writeEntry(pending, job, entry);
  }
  return entry.id;
}

function repeats(
  last: RecentDecision,
  decision: Decision,
  text: usize,
  nextMs: f64,
  number0: f64,
  number1: f64,
  number2: f64,
  number3: f64,
): bool {
  if (last.decision != decision || !same(last.nextMs, nextMs) || !blobsEqual(last.text, text)) return false;
  // It is the same wait, whatever its remaining time and however many pods end in the meantime.
  return (
    decision == BACKOFF ||
    decision == INDEX_BACKOFF ||
    decision == SUSPENDED ||
    (same(last.number0, number0) &&
      same(last.number1, number1) &&
      same(last.number2, number2) &&
      same(last.number3, number3))
  );
}

function same(a: f64, b: f64): bool {
  return a == b || (isNaN(a) && isNaN(b));
}

function writeEntry(to: Writer, job: Job, entry: RecentDecision): void {
  to.text('{"id":');
  to.integer(entry.id);
  to.text(',"atMs":');
  to.number(entry.atMs);
  to.text(',"namespace":');
  to.quotedBlob(job.namespace);
  to.text(',"job":');
  to.quotedBlob(job.name);
  to.text(',"uid":');
  to.quotedBlob(job.uid);
  to.text(',"code":"');
  writeName(to, entry.decision);
  to.text('","message":"');
  writeSentence(to, entry.decision, entry.numbers, false, entry.text);
  to.text('","nextMs":');
  to.number(entry.nextMs);
  to.text(',"numbers":');
  writeNumbers(to, entry.decision, entry.numbers, false);
  if (entry.decision == INDEX_BACKOFF && entry.text != 0) {
    to.text(',"indexes":');
    to.quotedBlob(entry.text);
  }
  to.byte(CLOSE_BRACE);
}
