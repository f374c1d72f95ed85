/**
 * What happened to a Job, who did it, what holds it now, what comes next, and what to do? The question in, the account
 * out: bindings/ABI.md, "account". It is a function of its input, and neither reads nor changes what the controller
 * knows. Invariant: any bytes give an answer or a refusal.
 */
import { beginResult, endResult } from "../abi/result";
import { readQuestion, refuseQuestion } from "../admission/question";
import { COMMA } from "../json/punctuation";
import { ABSENT, after, firstOf, JsonNode, mismatch, stringOf } from "../json/tree";
import { isForeign } from "../verdict/pod-tally";
import { READ_LISTS } from "../verdict/read-members";
import { judgeQuestion, writeJudgement } from "../verdict/verdict";
import { spoken } from "../verdict/words";
import { Attempt } from "./attempt";
import { EndedBy, whoEnded } from "./ended-by";
import { Held, holdsOf } from "./holds";
import { sayJob } from "./job-words";
import { Events } from "./pod-events";
import { writeQuoted } from "./plain-text";
import { remediesOf } from "./remedies";
import { writeAttempt, writeHold, writeInteger, writeNext, writeRemedy } from "./render";

/** Tells what happened to a Job. Returns the address of the account; 0 when the question cannot be read. */
export function account(ptr: usize, length: u32, now: f64): usize {
  const question = readQuestion(ptr, length, now, READ_LISTS);
  if (question === null) return 0;
  const job = question.object("job")!;
  const to = beginResult();
  to.text('{"verdict":');
  const judgement = judgeQuestion(question, now);
  const verdictSentence = String.UTF8.decodeUnsafe(spoken().start, spoken().length);
  writeJudgement(judgement, to);
  const events = new Events(question.list("events"));
  const attempts = attemptsOf(question.list("pods"), stringOf(job.object("metadata"), "uid"));
  const ends = new Array<EndedBy | null>();
  for (let i = 0; i < attempts.length; i++) ends.push(whoEnded(attempts[i], job, events));
  const last = lastFailure(attempts, ends);
  const held = new Held(question, attempts, ends, events, judgement, now);
  const holds = holdsOf(held);
  to.text(',"sentence":');
  sayJob(held, holds, last, verdictSentence);
  writeQuoted(spoken(), to);
  to.text(',"attempts":[');
  for (let i = 0; i < attempts.length; i++) {
    if (i > 0) to.byte(COMMA);
    writeAttempt(attempts[i], ends[i], to);
  }
  to.text('],"last":');
  writeInteger(last < 0 ? ABSENT : last, to);
  to.text(',"holds":[');
  for (let i = 0; i < holds.length; i++) {
    if (i > 0) to.byte(COMMA);
    writeHold(holds[i], now, to);
  }
  to.text('],"next":');
  writeNext(held, holds, to);
  to.text(',"remedies":[');
  const remedies = remediesOf(held, holds, last);
  for (let i = 0; i < remedies.length; i++) {
    if (i > 0) to.byte(COMMA);
    writeRemedy(remedies[i], to);
  }
  to.text("]}");
  const problem = mismatch();
  return problem.length > 0 ? refuseQuestion(problem) : endResult();
}

// The index of the attempt that failed last, of those that failed on their own; -1: none has.
function lastFailure(attempts: Attempt[], ends: (EndedBy | null)[]): i32 {
  let last = -1;
  for (let i = 0; i < attempts.length; i++) {
    const end = ends[i];
    const hasFailed = end !== null && end.isFailure && attempts[i].phase != "Succeeded";
    if (hasFailed && (last < 0 || !(attempts[i].failedMs < attempts[last].failedMs))) last = i;
  }
  return last;
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
  if (isNaN(a.startMs) != isNaN(b.startMs)) return isNaN(a.startMs) ? 1 : -1;
  if (a.startMs < b.startMs) return -1;
  if (a.startMs > b.startMs) return 1;
  return a.name == b.name ? 0 : a.name < b.name ? -1 : 1;
}
