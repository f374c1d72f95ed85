/**
 * The status write: a JSON merge patch on /status with the changed fields only, the whole list of conditions when
 * one is added (a merge patch replaces lists), null for what goes, and uid and resourceVersion so that a write based on
 * something stale is refused. Invariant: what it leaves out the server has already.
 */
import { IntervalSet } from "../intervals/intervals";
import { Writer } from "../json/writer";
import { ABSENT } from "../model/absent";
import { blobAt, blobSize } from "../memory/blob";
import { conditionTypeName, CONDITION_COMPLETE, CONDITION_SUSPENDED } from "../model/condition";
import { isCompletedStored, Job } from "../model/job";
import { UidList } from "../model/uid-list";
import { Sync } from "../model/sync";
import { wallNow } from "../time/now";

export function writeJobPath(to: Writer, job: Job): void {
  to.text("/apis/batch/v1/namespaces/");
  to.blob(job.namespace);
  to.text("/jobs/");
  to.blob(job.name);
}

/** Whether the status that the sync wants differs from the stored one. */
export function isStatusChanged(job: Job, sync: Sync): bool {
  if (sync.interim != 0 || sync.terminal != 0) return true;
  if (job.active != job.storedActive || job.ready != job.storedReady || job.terminating != job.storedTerminating)
    return true;
  if (sync.succeeded != job.storedSucceeded || sync.failed != job.storedFailed) return true;
  if (!job.hasUncounted || isUncountedChanged(job, sync)) return true;
  return isCompletedTextChanged(job) || isFailedTextChanged(job);
}

export function isUncountedChanged(job: Job, sync: Sync): bool {
  return !sync.uncountedSucceeded.equals(job.uncountedSucceeded) || !sync.uncountedFailed.equals(job.uncountedFailed);
}

export function writeStatusPatch(to: Writer, job: Job, sync: Sync): void {
  to.text('{"metadata":{"uid":');
  to.quotedBlob(job.uid);
  to.text(',"resourceVersion":"');
  to.integer(i64(sync.baseVersion));
  to.text('"},"status":{');
  const begin = to.length;
  if (sync.interim != 0 || sync.terminal != 0) writeConditions(to, begin, job, sync);
  if (isNaN(sync.startTimeMs) ? !isNaN(job.startTimeMs) : sync.startTimeMs != job.startTimeMs) {
    member(to, begin, "startTime");
    if (isNaN(sync.startTimeMs)) to.text("null");
    else to.time(sync.startTimeMs);
  }
  if (sync.terminal == CONDITION_COMPLETE) {
    member(to, begin, "completionTime");
    to.time(sync.completionTimeMs);
  }
  if (job.active != job.storedActive) count(to, begin, "active", job.active);
  if (sync.succeeded != job.storedSucceeded) count(to, begin, "succeeded", sync.succeeded);
  if (sync.failed != job.storedFailed) count(to, begin, "failed", sync.failed);
  if (job.terminating != job.storedTerminating) count(to, begin, "terminating", job.terminating);
  if (isCompletedTextChanged(job)) writeCompletedIndexes(to, begin, job);
  if (isFailedTextChanged(job)) writeFailedIndexes(to, begin, job);
  writeUncounted(to, begin, job, sync);
  if (job.ready != job.storedReady) count(to, begin, "ready", job.ready);
  to.text("}}");
}

function isCompletedTextChanged(job: Job): bool {
  return job.indexed && !isCompletedStored(job);
}

// failedIndexes is there, though it may be empty, exactly for a Job with backoffLimitPerIndex.
function isFailedTextChanged(job: Job): bool {
  if (job.backoffLimitPerIndex == ABSENT) return job.failedText != 0;
  return job.failedText == 0 || !job.failed.equalsText(blobAt(job.failedText), blobSize(job.failedText));
}

function writeFailedIndexes(to: Writer, begin: u32, job: Job): void {
  member(to, begin, "failedIndexes");
  if (job.backoffLimitPerIndex == ABSENT) to.text("null");
  else writeIntervals(to, job.failed);
}

function writeIntervals(to: Writer, set: IntervalSet): void {
  to.byte(0x22);
  to.length += u32(set.format(to.grow(u32(set.formattedBytesMax()))));
  to.byte(0x22);
}

function writeCompletedIndexes(to: Writer, begin: u32, job: Job): void {
  member(to, begin, "completedIndexes");
  if (job.completed.length == 0) to.text("null");
  else writeIntervals(to, job.completed);
}

function writeUncounted(to: Writer, begin: u32, job: Job, sync: Sync): void {
  const succeededChanged = !sync.uncountedSucceeded.equals(job.uncountedSucceeded);
  const failedChanged = !sync.uncountedFailed.equals(job.uncountedFailed);
  if (job.hasUncounted && !succeededChanged && !failedChanged) return;
  member(to, begin, "uncountedTerminatedPods");
  to.byte(0x7b);
  const inner = to.length;
  if (succeededChanged) writeUids(to, inner, "succeeded", sync.uncountedSucceeded);
  if (failedChanged) writeUids(to, inner, "failed", sync.uncountedFailed);
  to.byte(0x7d);
}

function writeUids(to: Writer, begin: u32, name: string, list: UidList): void {
  member(to, begin, name);
  if (list.length == 0) {
    to.text("null");
    return;
  }
  to.byte(0x5b);
  for (let i = 0; i < list.length; ++i) {
    if (i > 0) to.byte(0x2c);
    to.quoted(list.at(i), list.size(i));
  }
  to.byte(0x5d);
}

// The stored conditions byte for byte, and the new one behind them; Suspended and a terminal one replace an entry of
// their type.
function writeConditions(to: Writer, begin: u32, job: Job, sync: Sync): void {
  member(to, begin, "conditions");
  to.byte(0x5b);
  const inner = to.length;
  const type = sync.terminal != 0 ? sync.terminal : sync.interim;
  let placed = false;
  let next = job.conditions;
  while (next !== null) {
    const stored = next;
    next = stored.next;
    if (to.length > inner) to.byte(0x2c);
    if (!placed && (sync.terminal != 0 || type == CONDITION_SUSPENDED) && stored.type == type) {
      writeCondition(to, type, sync);
      placed = true;
    } else {
      to.blob(stored.raw);
    }
  }
  if (!placed) {
    if (to.length > inner) to.byte(0x2c);
    writeCondition(to, type, sync);
  }
  to.byte(0x5d);
}

function writeCondition(to: Writer, type: u8, sync: Sync): void {
  const timeMs = wallNow();
  to.text('{"type":');
  to.quotedBlob(conditionTypeName(type));
  to.text(
    sync.terminal != 0 || sync.interimIsTrue
      ? ',"status":"True","lastProbeTime":'
      : ',"status":"False","lastProbeTime":',
  );
  to.time(timeMs);
  to.text(',"lastTransitionTime":');
  to.time(timeMs);
  to.text(',"reason":');
  to.quotedBlob(sync.reason);
  to.text(',"message":');
  to.quotedBlob(sync.message);
  to.byte(0x7d);
}

function count(to: Writer, begin: u32, name: string, value: i32): void {
  member(to, begin, name);
  to.integer(value);
}

function member(to: Writer, begin: u32, name: string): void {
  if (to.length > begin) to.byte(0x2c);
  to.byte(0x22);
  to.text(name);
  to.text('":');
}
