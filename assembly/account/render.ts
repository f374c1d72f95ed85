/** The parts of an account as JSON, in the order of ABI.md, "account". */
import { CLOSE_BRACE } from "../json/punctuation";
import { ABSENT, stringOf } from "../json/tree";
import { writeTree } from "../json/tree-text";
import { Writer } from "../json/writer";
import { spoken } from "../verdict/words";
import { Attempt } from "./attempt";
import { EndedBy } from "./ended-by";
import { Hold } from "./hold";
import { sayHold } from "./hold-words";
import { Held } from "./holds";
import { sayNext } from "./next";
import { writeQuoted, writeText } from "./plain-text";
import { Remedy } from "./remedy";
import { sayAttempt, sayCause, signalOf } from "./words";

export function writeAttempt(attempt: Attempt, end: EndedBy | null, to: Writer): void {
  to.text('{"pod":');
  writeText(attempt.name, to);
  to.text(',"uid":');
  writeText(stringOf(attempt.metadata, "uid"), to);
  to.text(',"index":');
  writeInteger(attempt.index < 0 ? ABSENT : attempt.index, to);
  to.text(',"node":');
  writeText(attempt.node, to);
  to.text(',"phase":');
  writeText(attempt.phase, to);
  to.text(',"startMs":');
  to.number(attempt.startMs);
  to.text(',"endMs":');
  to.number(attempt.endMs);
  to.text(',"restarts":');
  to.integer(attempt.restarts);
  writeFailure(attempt, to);
  to.text(',"endedBy":');
  if (end === null) to.text("null");
  else writeText(end.code, to);
  to.text(',"by":');
  writeText(end === null ? "" : end.by, to);
  to.text(',"cause":');
  sayCause(attempt, end);
  writeQuoted(spoken(), to);
  to.text(',"sentence":');
  sayAttempt(attempt, end);
  writeQuoted(spoken(), to);
  to.byte(CLOSE_BRACE);
}

// A pod that failed as a whole has its own reason, and no container decided.
function writeFailure(attempt: Attempt, to: Writer): void {
  const failure = attempt.failure;
  const isWhole = attempt.reason.length > 0 || failure === null;
  const exitCode = failure === null ? ABSENT : failure.exitCode;
  to.text(',"container":');
  writeText(failure === null ? "" : failure.container.name, to);
  to.text(',"attempt":');
  writeInteger(failure === null ? ABSENT : failure.attempt, to);
  to.text(',"exitCode":');
  writeInteger(exitCode, to);
  to.text(',"signal":');
  writeInteger(signalOf(exitCode), to);
  to.text(',"reason":');
  writeText(isWhole ? attempt.reason : failure!.reason, to);
  to.text(',"message":');
  writeText((isWhole ? attempt.message : failure!.terminated.string("message")).trim(), to);
}

export function writeInteger(value: i64, to: Writer): void {
  if (value == ABSENT) to.text("null");
  else to.integer(value);
}

export function writeHold(hold: Hold, nowMs: f64, to: Writer): void {
  to.text('{"code":');
  writeText(hold.code, to);
  to.text(',"by":');
  writeText(hold.by, to);
  to.text(',"reason":');
  writeText(hold.reason, to);
  to.text(',"message":');
  writeText(hold.message, to);
  to.text(',"count":');
  to.integer(hold.count);
  to.text(',"pod":');
  writeText(hold.pod, to);
  to.text(',"node":');
  writeText(hold.node, to);
  to.text(',"sinceMs":');
  to.number(hold.sinceMs);
  to.text(',"sentence":');
  sayHold(hold, nowMs);
  writeQuoted(spoken(), to);
  to.byte(CLOSE_BRACE);
}

export function writeNext(held: Held, holds: Hold[], to: Writer): void {
  to.text('{"atMs":');
  to.number(held.judgement.nextMs);
  to.text(held.judgement.isNextBound ? ',"isBound":true,"sentence":' : ',"isBound":false,"sentence":');
  sayNext(held, holds);
  writeQuoted(spoken(), to);
  to.byte(CLOSE_BRACE);
}

export function writeRemedy(remedy: Remedy, to: Writer): void {
  to.text('{"code":');
  writeText(remedy.code, to);
  to.text(',"sentence":');
  writeText(remedy.sentence, to);
  to.text(',"command":');
  writeText(remedy.command, to);
  to.text(',"kind":');
  writeText(remedy.kind, to);
  to.text(',"patch":');
  const patch = remedy.patch;
  if (patch === null) to.text("null");
  else writeTree(patch, to);
  to.byte(CLOSE_BRACE);
}
