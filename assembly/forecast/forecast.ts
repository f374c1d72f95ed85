/**
 * What will this Job do? The question in, the forecast out: bindings/ABI.md, "forecast". It is a function of its input,
 * and neither reads nor changes what the controller knows. Invariant: any bytes give an answer or a refusal.
 */
import { beginResult, endResult } from "../abi/result";
import { readQuestion, refuseQuestion } from "../admission/question";
import { timeOf } from "../admission/status-facts";
import { CLOSE_BRACE, COMMA, QUOTE } from "../json/punctuation";
import { mismatch } from "../json/tree";
import { writeString } from "../json/tree-text";
import { Writer } from "../json/writer";
import { Amount, capped } from "./amount";
import { leastStarts, mostStarts } from "./counts";
import { longestPodMs } from "./end";
import { Plan } from "./plan";
import { requestOf, statusBytes, writeProduct } from "./sizes";
import { describe, Facts } from "./words";

/** The most tries that are listed; further ones are only counted. */
const LISTED_TRIES: f64 = 32;
/** Milliseconds times thousandths of a processor; milliseconds times bytes. */
const CPU_PLACES: usize = 6;
const MEMORY_PLACES: usize = 3;
const LARGEST_MS: f64 = 9007199254740992;

/** Says what a Job will do. Returns the address of the forecast; 0 when the question cannot be read. */
export function forecast(ptr: usize, length: u32, now: f64): usize {
  const question = readQuestion(ptr, length, now);
  if (question === null) return 0;
  const job = question.object("job")!;
  const spec = job.object("spec");
  const metadata = job.object("metadata");
  let fromMs = metadata === null ? NaN : timeOf(metadata, "creationTimestamp");
  if (spec === null) return refuseQuestion(mismatch());
  const plan = new Plan(job, question.object("assumptions"));
  if (isNaN(fromMs) || plan.isSuspended) fromMs = now;
  const facts = new Facts(plan);
  const cpu = requestOf(plan.podSpec, "cpu");
  const memory = requestOf(plan.podSpec, "memory");
  const problem = mismatch();
  return problem.length > 0 ? refuseQuestion(problem) : write(facts, fromMs, cpu, memory);
}

function write(facts: Facts, fromMs: f64, cpu: i64, memory: i64): usize {
  const plan = facts.plan;
  const to = beginResult();
  writeNumber(to, plan.isSuspended ? '{"from":"resumption","fromMs":' : '{"from":"creation","fromMs":', fromMs);
  writeOptional(to, ',"managedBy":', plan.manager);
  facts.leastPods.write(to, ',"pods":{"least":');
  facts.mostPods.write(to, ',"most":');
  leastStarts(plan, facts.leastPods).write(to, '},"containerStarts":{"least":');
  mostStarts(plan, facts.mostPods).write(to, ',"most":');
  facts.peak.write(to, '},"peak":');
  writeRetries(facts, to);
  writeEnds(facts, to);
  statusBytes(plan, facts.mostPods).write(to, ',"statusBytes":');
  const time = podTime(facts);
  time.write(to, ',"podTime":{"mostMs":');
  writeAsked(to, ',"cpuSeconds":', cpu, time, CPU_PLACES);
  writeAsked(to, ',"memoryByteSeconds":', memory, time, MEMORY_PLACES);
  to.text('},"text":');
  const text = describe(facts);
  to.quoted(text.start, text.length);
  to.byte(CLOSE_BRACE);
  return endResult();
}

function writeRetries(facts: Facts, to: Writer): void {
  const retries = facts.retries;
  to.text(facts.plan.restartsContainers ? ',"retries":{"of":"container"' : ',"retries":{"of":"pod"');
  to.text(',"tries":[');
  const listed = min(retries.count, LISTED_TRIES);
  for (let i: f64 = 0; i < listed; i++) {
    if (i > 0) to.byte(COMMA);
    writeNumber(to, '{"atMs":', retries.atMs(i));
    writeNumber(to, ',"pods":', retries.podsAt(i));
    to.byte(CLOSE_BRACE);
  }
  writeNumber(to, '],"omitted":', retries.count - listed);
  writeNumber(to, ',"pods":', retries.pods);
  writeNumber(to, ',"givesUpMs":', retries.givesUpMs);
  writeOptional(to, ',"by":', retries.by);
  to.byte(CLOSE_BRACE);
}

function writeEnds(facts: Facts, to: Writer): void {
  const end = facts.end;
  const ttlMs = facts.plan.ttlMs;
  end.earliest.write(to, ',"end":{"earliestMs":');
  end.latest.write(to, ',"latestMs":');
  writeNumber(to, ',"toleranceMs":', end.toleranceMs);
  deletedMs(end.earliest, ttlMs).write(to, '},"deletedMs":{"earliestMs":');
  deletedMs(end.latest, ttlMs).write(to, ',"latestMs":');
  to.byte(CLOSE_BRACE);
}

function deletedMs(end: Amount, ttlMs: f64): Amount {
  return isNaN(ttlMs) ? Amount.none("spec.ttlSecondsAfterFinished") : end.plus(ttlMs);
}

function writeNumber(to: Writer, head: string, value: f64): void {
  to.text(head);
  to.number(value);
}

// A text that may be empty, which is written as null.
function writeOptional(to: Writer, head: string, text: string): void {
  to.text(head);
  if (text.length == 0) to.text("null");
  else writeString(text, to);
}

/** How long all pods take together, at most. */
function podTime(facts: Facts): Amount {
  const plan = facts.plan;
  const most = facts.mostPods;
  const eachMs = longestPodMs(plan);
  let time = isNaN(eachMs) ? Amount.none("assumptions.podMs") : most.isKnown ? most.plus(0, eachMs) : most;
  if (most.value == 0) time = most;
  if (most.value > 0 && (plan.restartsContainers || (plan.isQueue && plan.width > 1))) time.isExact = false;
  if (isNaN(plan.deadlineMs)) return time;
  // At most `peak` pods run at once, and none after the deadline and its grace period.
  const beforeMs = facts.peak.value * (plan.deadlineMs + plan.graceMs);
  if (!time.isKnown) return new Amount(beforeMs, false);
  if (most.value > 0) time.isExact = time.isExact && facts.end.latest.value < plan.deadlineMs;
  return capped(time, beforeMs);
}

function writeAsked(to: Writer, head: string, amount: i64, time: Amount, places: usize): void {
  to.text(head);
  if (amount < 0 || !(time.value < LARGEST_MS)) {
    to.text("null");
    return;
  }
  to.byte(QUOTE);
  writeProduct(to, amount, time.value, places);
  to.byte(QUOTE);
}
