/**
 * What happened to a Job, and who did it? The question in, the account out: bindings/ABI.md, "account". It is a
 * function of its input, and neither reads nor changes what the controller knows. Invariant: any bytes give an answer
 * or a refusal.
 */
import { beginResult, endResult } from "../abi/result";
import { readQuestion, refuseQuestion } from "../admission/question";
import { CLOSE_BRACE, COMMA } from "../json/punctuation";
import { ABSENT, after, firstOf, JsonNode, mismatch, stringOf } from "../json/tree";
import { writeString } from "../json/tree-text";
import { Writer } from "../json/writer";
import { isForeign } from "../verdict/pod-tally";
import { judgeQuestion, writeJudgement } from "../verdict/verdict";
import { spoken } from "../verdict/words";
import { Attempt } from "./attempt";
import { EndedBy, whoEnded } from "./ended-by";
import { Events } from "./pod-events";
import { sayAttempt, sayCause, signalOf } from "./words";

/** Tells what happened to a Job. Returns the address of the account; 0 when the question cannot be read. */
export function account(ptr: usize, length: u32, now: f64): usize {
  const question = readQuestion(ptr, length, now);
  if (question === null) return 0;
  const job = question.object("job")!;
  const to = beginResult();
  to.text('{"verdict":');
  writeJudgement(judgeQuestion(question, now), to);
  to.text(',"attempts":[');
  const events = new Events(question.list("events"));
  const attempts = attemptsOf(question.list("pods"), stringOf(job.object("metadata"), "uid"));
  let last = -1;
  for (let i = 0; i < attempts.length; i++) {
    const end = whoEnded(attempts[i], job, events);
    if (i > 0) to.byte(COMMA);
    writeAttempt(attempts[i], end, to);
    const hasFailed = end !== null && end.isFailure && attempts[i].phase != "Succeeded";
    if (hasFailed && (last < 0 || !(attempts[i].failedMs < attempts[last].failedMs))) last = i;
  }
  to.text('],"last":');
  writeInteger(last < 0 ? ABSENT : last, to);
  to.byte(CLOSE_BRACE);
  const problem = mismatch();
  return problem.length > 0 ? refuseQuestion(problem) : endResult();
}

// The pods of the Job, by the time when they started; of those that started together by their names.
function attemptsOf(pods: JsonNode | null, jobUid: string): Attempt[] {
  const attempts = new Array<Attempt>();
  for (let pod = firstOf(pods); pod !== null; pod = after(pod)) {
    if (!isForeign(pod.object("metadata"), jobUid)) attempts.push(new Attempt(pod));
  }
  return attempts.sort(byStart);
}

function byStart(a: Attempt, b: Attempt): i32 {
  if (a.startMs != b.startMs) {
    if (isNaN(a.startMs) || isNaN(b.startMs)) return isNaN(a.startMs) ? (isNaN(b.startMs) ? 0 : 1) : -1;
    return a.startMs < b.startMs ? -1 : 1;
  }
  const nameOfA = stringOf(a.metadata, "name");
  const nameOfB = stringOf(b.metadata, "name");
  return nameOfA == nameOfB ? 0 : nameOfA < nameOfB ? -1 : 1;
}

function writeAttempt(attempt: Attempt, end: EndedBy | null, to: Writer): void {
  to.text('{"pod":');
  writeString(stringOf(attempt.metadata, "name"), to);
  to.text(',"uid":');
  writeString(stringOf(attempt.metadata, "uid"), to);
  to.text(',"index":');
  writeInteger(attempt.index < 0 ? ABSENT : attempt.index, to);
  to.text(',"node":');
  writeString(attempt.node, to);
  to.text(',"phase":');
  writeString(attempt.phase, to);
  to.text(',"startMs":');
  to.number(attempt.startMs);
  to.text(',"endMs":');
  to.number(attempt.endMs);
  to.text(',"restarts":');
  to.integer(attempt.restarts);
  writeFailure(attempt, to);
  to.text(',"endedBy":');
  if (end === null) to.text("null");
  else writeString(end.code, to);
  to.text(',"by":');
  writeString(end === null ? "" : end.by, to);
  to.text(',"cause":');
  sayCause(attempt, end);
  to.quoted(spoken().start, spoken().length);
  to.text(',"sentence":');
  sayAttempt(attempt, end);
  to.quoted(spoken().start, spoken().length);
  to.byte(CLOSE_BRACE);
}

// A pod that failed as a whole has its own reason, and no container decided.
function writeFailure(attempt: Attempt, to: Writer): void {
  const failure = attempt.failure;
  const isWhole = attempt.reason.length > 0 || failure === null;
  const exitCode = failure === null ? ABSENT : failure.exitCode;
  to.text(',"container":');
  writeString(failure === null ? "" : failure.container.name, to);
  to.text(',"attempt":');
  writeInteger(failure === null ? ABSENT : failure.attempt, to);
  to.text(',"exitCode":');
  writeInteger(exitCode, to);
  to.text(',"signal":');
  writeInteger(signalOf(exitCode), to);
  to.text(',"reason":');
  writeString(isWhole ? attempt.reason : failure!.reason, to);
  to.text(',"message":');
  writeString((isWhole ? attempt.message : failure!.terminated.string("message")).trim(), to);
}

function writeInteger(value: i64, to: Writer): void {
  if (value == ABSENT) to.text("null");
  else to.integer(value);
}
