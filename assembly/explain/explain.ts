/**
 * "Why is it not progressing?": what is known of one Job. That is its counts, its state (job-state.ts), what its pods
 * wait for (pod-groups.ts), and its last decisions. Format: bindings/ABI.md, "explain".
 */
import { CLOSE_BRACE, SLASH } from "../json/punctuation";
import { NO_COMPLETIONS } from "../model/absent";
import { beginResult, endResult } from "../abi/result";
import { Writer } from "../json/writer";
import { conditionTypeName, findTerminal } from "../model/condition";
import { findJob, Job } from "../model/job";
import { groupPods, writeGroups } from "./pod-groups";
import { findJobState, writeJobState } from "./job-state";
import { refusalOf } from "../sync/sync";
import * as trace from "../trace";

/** Explains the Job whose `<namespace>/<name>` is at `ptr`. Returns the address of the result. */
export function explainJob(ptr: usize, length: u32): usize {
  let split: u32 = 0;
  while (split < length && load<u8>(ptr + split) != SLASH) ++split;
  const nameAt = ptr + split + 1;
  const nameSize = split < length ? length - split - 1 : 0;
  const job = findJob(ptr, split, nameAt, nameSize);
  const to = beginResult();
  to.text('{"namespace":');
  to.quoted(ptr, split);
  to.text(',"job":');
  to.quoted(nameAt, nameSize);
  if (job === null) {
    to.text(',"found":false,"state":"Unknown","sentence":"no such Job is known","nextMs":null,"decisions":[]}');
    return endResult();
  }
  to.text(',"found":true,"uid":');
  to.quotedBlob(job.uid);
  to.text(',"state":"');
  writeState(to, job);
  to.text('",');
  const groups = groupPods(job);
  findJobState(job, groups);
  writeJobState(to, job, groups);
  to.text(',"parallelism":');
  to.integer(job.spec.parallelism);
  to.text(',"completions":');
  if (job.spec.completions == NO_COMPLETIONS) to.text("null");
  else to.integer(job.spec.completions);
  writeCount(to, "backoffLimit", job.spec.backoffLimit);
  writeCount(to, "active", job.active);
  writeCount(to, "ready", job.ready);
  writeCount(to, "terminating", job.terminating);
  writeCount(to, "succeeded", job.storedSucceeded);
  writeCount(to, "failed", job.storedFailed);
  to.text(',"pods":');
  writeGroups(to, job, groups);
  to.text(',"decisions":');
  trace.writeDecisions(to, job);
  to.byte(CLOSE_BRACE);
  return endResult();
}

function writeState(to: Writer, job: Job): void {
  const terminal = findTerminal(job.conditions);
  if (terminal !== null) {
    const name = conditionTypeName(terminal.type);
    to.blob(name);
  } else if (job.unreadable != 0) {
    to.text("Unreadable");
  } else if (job.managedBy != 0) {
    to.text("Foreign");
  } else if (refusalOf(job) != 0) {
    to.text("Refused");
  } else if (job.deleting) {
    to.text("Deleting");
  } else if (job.spec.suspended) {
    to.text("Suspended");
  } else {
    to.text(job.active > 0 ? "Running" : "Waiting");
  }
}

/** Writes a member of an object that is not its first: a count. */
export function writeCount(to: Writer, name: string, value: i32): void {
  to.text(',"');
  to.text(name);
  to.text('":');
  to.integer(value);
}
