/**
 * Has a Job really ended, and how? The question in, the verdict out: bindings/ABI.md, "verdict". It is a function of
 * its input, and neither reads nor changes what the controller knows. Invariant: any bytes give an answer or a refusal.
 */
import { BAD_JSON, refuse, refuseTime } from "../abi/codes";
import { beginResult, endResult } from "../abi/result";
import { defaultJob } from "../admission/defaults-job";
import { CLOSE_BRACE } from "../json/punctuation";
import * as reader from "../json/reader";
import { decimal } from "../json/text";
import { JsonNode, mismatch, stringOf } from "../json/tree";
import { parseTree, writeString } from "../json/tree-text";
import { collectGarbage, noteGarbage } from "../memory/garbage";
import { isTime } from "../time/now";
import { judge, Judgement } from "./judge";
import { PodTally, tallyPods } from "./pod-tally";
import { spoken } from "./words";

/** The largest question that is read, in bytes. */
export const MAX_QUESTION_BYTES: u32 = 8 * 1024 * 1024;

/** Says whether a Job has ended, and how. Returns the address of the verdict; 0 when the question cannot be read. */
export function verdict(ptr: usize, length: u32, now: f64): usize {
  collectGarbage();
  noteGarbage();
  if (!isTime(now)) {
    refuseTime();
    return 0;
  }
  if (length > MAX_QUESTION_BYTES)
    return refuseQuestion(
      "it has " + decimal(length) + " bytes, and at most " + decimal(MAX_QUESTION_BYTES) + " are read",
    );
  const question = parseTree(ptr, length);
  if (question === null) {
    const problem = reader.errorText();
    return refuseQuestion((problem === null ? "" : problem) + ", at byte " + decimal(reader.errorOffset()));
  }
  const job = question.object("job");
  if (job === null) {
    const problem = mismatch();
    return refuseQuestion(problem.length > 0 ? problem : "job: a Job is needed");
  }
  const kind = job.string("kind");
  if (kind.length > 0 && kind != "Job") return refuseQuestion('job.kind: "' + kind + '" is no Job');
  defaultJob(job);
  const judgement = judge(job, podsOf(question, job, now), now);
  const problem = mismatch();
  return problem.length > 0 ? refuseQuestion(problem) : write(judgement);
}

function podsOf(question: JsonNode, job: JsonNode, now: f64): PodTally | null {
  const pods = question.list("pods");
  const onlyReplaceFailed = stringOf(job.object("spec"), "podReplacementPolicy") == "Failed";
  return pods === null ? null : tallyPods(pods, stringOf(job.object("metadata"), "uid"), onlyReplaceFailed, now);
}

function refuseQuestion(problem: string): usize {
  refuse(BAD_JSON, "the question cannot be read: " + problem);
  return 0;
}

function write(judgement: Judgement): usize {
  const to = beginResult();
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
  return endResult();
}
