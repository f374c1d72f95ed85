/**
 * Has a Job really ended, and how? The question in, the verdict out: bindings/ABI.md, "verdict". It is a function of
 * its input, and neither reads nor changes what the controller knows. Invariant: any bytes give an answer or a refusal.
 */
import { beginResult, endResult } from "../abi/result";
import { readQuestion, refuseQuestion } from "../admission/question";
import { CLOSE_BRACE } from "../json/punctuation";
import { JsonNode, mismatch, stringOf } from "../json/tree";
import { writeString } from "../json/tree-text";
import { Writer } from "../json/writer";
import { judge, Judgement } from "./judge";
import { PodTally, tallyPods } from "./pod-tally";
import { READ_LISTS } from "./read-members";
import { spoken } from "./words";

/** Says whether a Job has ended, and how. Returns the address of the verdict; 0 when the question cannot be read. */
export function verdict(ptr: usize, length: u32, now: f64): usize {
  const question = readQuestion(ptr, length, now, READ_LISTS);
  if (question === null) return 0;
  const judgement = judgeQuestion(question, now);
  const problem = mismatch();
  if (problem.length > 0) return refuseQuestion(problem);
  writeJudgement(judgement, beginResult());
  return endResult();
}

/** Judges the Job of a question, with its pods. Its sentence is the one in words.ts until the next begins. */
export function judgeQuestion(question: JsonNode, now: f64): Judgement {
  const job = question.object("job")!;
  return judge(job, podsOf(question, job, now), now);
}

function podsOf(question: JsonNode, job: JsonNode, now: f64): PodTally | null {
  const pods = question.list("pods");
  const onlyReplaceFailed = stringOf(job.object("spec"), "podReplacementPolicy") == "Failed";
  return pods === null ? null : tallyPods(pods, stringOf(job.object("metadata"), "uid"), onlyReplaceFailed, now);
}

/** Writes a verdict, with the sentence that words.ts has. */
export function writeJudgement(judgement: Judgement, to: Writer): void {
  to.text('{"verdict":"');
  to.text(judgement.verdict);
  to.text(judgement.isFinished ? '","isFinished":true,"decided":' : '","isFinished":false,"decided":');
  if (judgement.decided.length == 0) to.text("null");
  else writeString(judgement.decided, to);
  to.text(',"reason":');
  writeString(judgement.reason, to);
  to.text(',"message":');
  writeString(judgement.message, to);
  to.text(',"sinceMs":');
  to.number(judgement.sinceMs);
  to.text(',"nextMs":');
  to.number(judgement.nextMs);
  to.text(judgement.isNextBound ? ',"isNextBound":true,"sentence":' : ',"isNextBound":false,"sentence":');
  to.quoted(spoken().start, spoken().length);
  to.text(',"evidence":');
  writeString(judgement.evidence, to);
  to.byte(CLOSE_BRACE);
}
