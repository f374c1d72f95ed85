/**
 * The status write. It is a JSON merge patch on /status with only the changed fields. A merge patch replaces lists, so
 * it contains all conditions when one is added. A field to remove is null. The patch names uid and resourceVersion, so
 * that the server refuses a write based on a stale version. Invariants: what the patch leaves out, the server already
 * has. After a write that failed, or that the API server would refuse, the sync does nothing that depends on it.
 * Source: docs/spec/controller.md sections 4 and 6.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, COMMA, OPEN_BRACE, OPEN_BRACKET, QUOTE } from "../json/punctuation";
import { IntervalSet } from "../intervals/intervals";
import { freeBlob } from "../memory/blob";
import { noteStatusStored } from "../metrics/observe";
import { ABSENT } from "../model/absent";
import { CONDITION_COMPLETE, CONDITION_SUSPENDED, conditionTypeName } from "../model/condition";
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import { forgetForeignStatus } from "../model/foreign-status";
import { UidList } from "../model/uid-list";
import { causeOfWrite } from "../sync/cause";
import { isCompletedTextChanged, isFailedTextChanged } from "../sync/status-changes";
import { statusObjection } from "../sync/status-guard";
import { wallNow } from "../time/now";
import { record } from "../trace/log";
import { STATUS_NOT_SENT, STATUS_WRITE_FAILED } from "../trace/decisions";
import { Answer } from "./answer";
import { writeJobPath } from "./paths";
import { beginRequest, endPath, frame, MERGE_PATCH_TYPE, PATCH, Request } from "./request";
import { Step } from "./step";

export class WriteStatus extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (!sync.takeRequest()) return null;
    const objection = statusObjection(job, sync);
    if (objection != 0) {
      record(job, STATUS_NOT_SENT, objection);
      freeBlob(objection);
      sync.fail();
      sync.breakOff();
      return null;
    }
    const request = beginRequest(PATCH, job, null);
    request.decision = causeOfWrite(job, sync);
    writeJobPath(job);
    frame.text("/status");
    endPath(MERGE_PATCH_TYPE);
    writeStatusPatch(job, sync);
    return request;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    if (sync === null) return;
    const facts = answer.takeJob();
    if (facts === null) {
      answer.noteFailure(job, sync, STATUS_WRITE_FAILED);
      sync.breakOff();
      return;
    }
    // The answer showed another Job with this name. The sync is gone with the old Job.
    if (job.gone) return;
    forgetForeignStatus(job, facts.resourceVersion, sync.foreignVersion);
    sync.baseVersion = facts.resourceVersion;
    noteStatusStored(job, sync);
  }
}

function writeStatusPatch(job: Job, sync: Sync): void {
  frame.text('{"metadata":{"uid":');
  frame.quotedBlob(job.uid);
  frame.text(',"resourceVersion":"');
  frame.integer(i64(sync.baseVersion));
  frame.text('"},"status":{');
  const begin = frame.length;
  if (sync.interim != 0 || sync.terminal != 0) writeConditions(begin, job, sync);
  if (isNaN(sync.startTimeMs) ? !isNaN(job.startTimeMs) : sync.startTimeMs != job.startTimeMs) {
    member(begin, "startTime");
    if (isNaN(sync.startTimeMs)) frame.text("null");
    else frame.time(sync.startTimeMs);
  }
  if (sync.terminal == CONDITION_COMPLETE) {
    member(begin, "completionTime");
    frame.time(sync.completionTimeMs);
  }
  if (job.active != job.storedActive) count(begin, "active", job.active);
  if (sync.succeeded != job.storedSucceeded) count(begin, "succeeded", sync.succeeded);
  if (sync.failed != job.storedFailed) count(begin, "failed", sync.failed);
  if (job.terminating != job.storedTerminating) count(begin, "terminating", job.terminating);
  if (isCompletedTextChanged(job)) writeCompletedIndexes(begin, job);
  if (isFailedTextChanged(job)) writeFailedIndexes(begin, job);
  writeUncounted(begin, job, sync);
  if (job.ready != job.storedReady) count(begin, "ready", job.ready);
  frame.text("}}");
}

function writeFailedIndexes(begin: u32, job: Job): void {
  member(begin, "failedIndexes");
  if (job.spec.backoffLimitPerIndex == ABSENT) frame.text("null");
  else writeIntervals(job.failed);
}

function writeIntervals(set: IntervalSet): void {
  frame.byte(QUOTE);
  frame.length += u32(set.format(frame.grow(u32(set.formattedBytesMax()))));
  frame.byte(QUOTE);
}

function writeCompletedIndexes(begin: u32, job: Job): void {
  member(begin, "completedIndexes");
  if (job.completed.length == 0) frame.text("null");
  else writeIntervals(job.completed);
}

function writeUncounted(begin: u32, job: Job, sync: Sync): void {
  const succeededChanged = !sync.uncountedSucceeded.equals(job.uncountedSucceeded);
  const failedChanged = !sync.uncountedFailed.equals(job.uncountedFailed);
  if (job.hasUncounted && !succeededChanged && !failedChanged) return;
  member(begin, "uncountedTerminatedPods");
  frame.byte(OPEN_BRACE);
  const inner = frame.length;
  if (succeededChanged) writeUids(inner, "succeeded", sync.uncountedSucceeded);
  if (failedChanged) writeUids(inner, "failed", sync.uncountedFailed);
  frame.byte(CLOSE_BRACE);
}

function writeUids(begin: u32, name: string, list: UidList): void {
  member(begin, name);
  if (list.length == 0) {
    frame.text("null");
    return;
  }
  frame.byte(OPEN_BRACKET);
  for (let i = 0; i < list.length; ++i) {
    if (i > 0) frame.byte(COMMA);
    frame.quoted(list.at(i), list.size(i));
  }
  frame.byte(CLOSE_BRACKET);
}

// Writes the stored conditions byte for byte, and the new one after them. Suspended, or a terminal condition, replaces
// an entry of the same type.
function writeConditions(begin: u32, job: Job, sync: Sync): void {
  member(begin, "conditions");
  frame.byte(OPEN_BRACKET);
  const inner = frame.length;
  const type = sync.terminal != 0 ? sync.terminal : sync.interim;
  let placed = false;
  let next = job.conditions;
  while (next !== null) {
    const stored = next;
    next = stored.next;
    if (frame.length > inner) frame.byte(COMMA);
    if (!placed && (sync.terminal != 0 || type == CONDITION_SUSPENDED) && stored.type == type) {
      writeCondition(type, sync);
      placed = true;
    } else {
      frame.blob(stored.raw);
    }
  }
  if (!placed) {
    if (frame.length > inner) frame.byte(COMMA);
    writeCondition(type, sync);
  }
  frame.byte(CLOSE_BRACKET);
}

function writeCondition(type: u8, sync: Sync): void {
  const timeMs = wallNow();
  frame.text('{"type":');
  frame.quotedBlob(conditionTypeName(type));
  frame.text(
    sync.terminal != 0 || sync.interimIsTrue
      ? ',"status":"True","lastProbeTime":'
      : ',"status":"False","lastProbeTime":',
  );
  frame.time(timeMs);
  frame.text(',"lastTransitionTime":');
  frame.time(timeMs);
  frame.text(',"reason":');
  frame.quotedBlob(sync.reason);
  frame.text(',"message":');
  frame.quotedBlob(sync.message);
  frame.byte(CLOSE_BRACE);
}

function count(begin: u32, name: string, value: i32): void {
  member(begin, name);
  frame.integer(value);
}

function member(begin: u32, name: string): void {
  if (frame.length > begin) frame.byte(COMMA);
  frame.byte(QUOTE);
  frame.text(name);
  frame.text('":');
}
