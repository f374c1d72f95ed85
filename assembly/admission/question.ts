/**
 * A question about a Job: a JSON object with the Job and what is known around it. The answers are functions of it, and
 * neither read nor change what the controller knows. Invariant: any bytes give a question or a refusal.
 */
import { BAD_JSON, refuse, refuseTime } from "../abi/codes";
import * as reader from "../json/reader";
import { decimal } from "../json/text";
import { JsonNode, mismatch } from "../json/tree";
import { parseTree } from "../json/tree-text";
import { collectGarbage, noteGarbage } from "../memory/garbage";
import { isTime } from "../time/now";
import { defaultJob } from "./defaults-job";

/** The largest question that is read, in bytes. */
export const MAX_QUESTION_BYTES: u32 = 8 * 1024 * 1024;

/**
 * Reads a question, and sets the defaults of its Job. It collects garbage: only the first line of an export may call
 * it. Null: it was refused.
 */
export function readQuestion(ptr: usize, length: u32, now: f64): JsonNode | null {
  collectGarbage();
  noteGarbage();
  if (!isTime(now)) {
    refuseTime();
    return null;
  }
  if (length > MAX_QUESTION_BYTES) {
    refuseQuestion("it has " + decimal(length) + " bytes, and at most " + decimal(MAX_QUESTION_BYTES) + " are read");
    return null;
  }
  const question = parseTree(ptr, length);
  if (question === null) {
    const problem = reader.errorText();
    refuseQuestion((problem === null ? "" : problem) + ", at byte " + decimal(reader.errorOffset()));
    return null;
  }
  const job = question.object("job");
  if (job === null) {
    const problem = mismatch();
    refuseQuestion(problem.length > 0 ? problem : "job: a Job is needed");
    return null;
  }
  const kind = job.string("kind");
  if (kind.length > 0 && kind != "Job") {
    refuseQuestion('job.kind: "' + kind + '" is no Job');
    return null;
  }
  defaultJob(job);
  return question;
}

/** Refuses a question. Returns 0. */
export function refuseQuestion(problem: string): usize {
  refuse(BAD_JSON, "the question cannot be read: " + problem);
  return 0;
}
