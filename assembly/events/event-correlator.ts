/**
 * client-go's aggregation and rate limit of events, for each Job. Up to nine different messages of one type and reason
 * get separate events; every further one is counted in one combined event. A repeated message only raises a count. A
 * token bucket limits how many events are written at all. Source: docs/spec/controller.md section 7.
 */
import { hashBytes } from "../memory/hash";
import { blobsEqual } from "../memory/blob";
import { Job } from "../model/job";
import { EventGroup, EventRecord, newEventGroup, SINGLE_MESSAGES } from "../model/event-group";
import { wallNow } from "../time/now";

/** After a longer time without events of the group, messages get separate events again. */
const GROUP_LIFE_MS: f64 = 600000;
/** client-go's token bucket for one Job and type: its size, and the time until one more event is allowed. */
const EVENT_BURST: f64 = 25;
const EVENT_REFILL_MS: f64 = 300000;

/** The record of this group that this message is counted into. Its count has been raised; it is 1 for a new event. */
export function correlate(group: EventGroup, message: usize, messageSize: u32): EventRecord {
  const timeMs = wallNow();
  if (timeMs - group.lastMs > GROUP_LIFE_MS) group.singles = 0;
  group.lastMs = timeMs;
  const hash = hashBytes(message, messageSize);
  const record = recordOf(group, hash);
  if (record.count++ == 0) {
    record.firstMs = timeMs;
    record.messageHash = hash;
  }
  return record;
}

// The record for a message. After GROUP_LIFE_MS without events, a known message continues its old count; a new message
// replaces one from before.
function recordOf(group: EventGroup, hash: u32): EventRecord {
  // Records below `singles` are current, those above are old. An old or a new record that becomes current is moved to
  // `singles`.
  let i = 0;
  while (i < SINGLE_MESSAGES && (group.record(i).count == 0 || group.record(i).messageHash != hash)) ++i;
  if (i < group.singles) return group.record(i);
  if (group.singles == SINGLE_MESSAGES) return group.combined;
  const record = group.record(group.singles++);
  if (i == SINGLE_MESSAGES) memory.fill(changetype<usize>(record), 0, offsetof<EventRecord>());
  else swap(record, group.record(i));
  return record;
}

function swap(a: EventRecord, b: EventRecord): void {
  const firstMs = a.firstMs;
  const nanoseconds = a.nanoseconds;
  const messageHash = a.messageHash;
  const count = a.count;
  memory.copy(changetype<usize>(a), changetype<usize>(b), offsetof<EventRecord>());
  b.firstMs = firstMs;
  b.nanoseconds = nanoseconds;
  b.messageHash = messageHash;
  b.count = count;
}

/** Takes one token of the Job's bucket for this type. False when the bucket is empty. */
export function takeEventToken(job: Job, isWarning: bool): bool {
  const timeMs = wallNow();
  const refill = (timeMs - job.eventTokensAtMs) / EVENT_REFILL_MS;
  const isFirst = job.eventTokensAtMs == 0;
  job.eventTokensAtMs = timeMs;
  job.normalEventTokens = isFirst ? EVENT_BURST : min(EVENT_BURST, job.normalEventTokens + refill);
  job.warningEventTokens = isFirst ? EVENT_BURST : min(EVENT_BURST, job.warningEventTokens + refill);
  if ((isWarning ? job.warningEventTokens : job.normalEventTokens) < 1) return false;
  if (isWarning) job.warningEventTokens -= 1;
  else job.normalEventTokens -= 1;
  return true;
}

/** The group of the Job's events of this type and reason. */
export function groupOf(job: Job, isWarning: bool, reason: usize): EventGroup {
  let known = job.eventGroups;
  while (known !== null && !(blobsEqual(known.reason, reason) && known.isWarning == isWarning)) known = known.next;
  if (known !== null) return known;
  const group = newEventGroup(isWarning, reason, job.eventGroups);
  group.lastMs = wallNow();
  job.eventGroups = group;
  return group;
}
