/**
 * What is wrong with a Job that the API server accepts? The question in, advice out: bindings/ABI.md, "lint". It is a
 * function of its input, and neither reads nor changes what the controller knows. Invariant: any bytes give an answer
 * or a refusal. Leaves out what the API server refuses (admission/).
 */
import { readQuestion, refuseQuestion } from "../admission/question";
import { mismatch } from "../json/tree";
import { beginAdvice, endAdvice } from "./advice";
import { lintAfterEnd } from "./after-end";
import { lintCronJob } from "./cron-job";
import { lintAround } from "./around";
import { lintHooks } from "./hooks";
import { lintPolicy } from "./policy";
import { lintDeadlines, lintRetries } from "./retries";
import { settingsProblem } from "./settings";
import { lintSize } from "./size";
import { Subject } from "./subject";
import { lintContainers, lintController, lintNames } from "./template";

/** Gives advice about a Job. Returns the address of the answer; 0 when the question cannot be read. */
export function lint(ptr: usize, length: u32, now: f64): usize {
  const question = readQuestion(ptr, length, now);
  if (question === null) return 0;
  const settings = question.object("rules");
  const wrong = settingsProblem(settings);
  if (wrong.length > 0) return refuseQuestion(wrong);
  const subject = new Subject(question);
  beginAdvice(settings);
  lintRetries(subject);
  lintDeadlines(subject);
  lintAfterEnd(subject);
  lintCronJob(subject);
  lintHooks(subject);
  lintSize(subject);
  lintAround(subject);
  lintPolicy(subject);
  lintContainers(subject);
  lintController(subject);
  lintNames(subject);
  const answer = endAdvice();
  const problem = mismatch();
  return problem.length > 0 ? refuseQuestion(problem) : answer;
}
