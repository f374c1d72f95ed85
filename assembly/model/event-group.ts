/**
 * The events of one Job, as far as this engine wrote them: a count for each message, grouped by type and reason.
 * events/event-correlator.ts decides which event a message is counted into.
 */
import { copyOf, freeBlob } from "../memory/blob";
import { release, zeroed } from "../memory/records";

/** How many different messages of one reason get separate events; further ones are combined. */
export const SINGLE_MESSAGES: i32 = 9;

/** One event object on the server. */
@unmanaged
export class EventRecord {
  firstMs: f64;
  /** The number in the event's name. */
  nanoseconds: u64;
  messageHash: u32;
  count: i32;
}

/** The events of one type and reason of one Job. */
@unmanaged
export class EventGroup {
  lastMs: f64;
  next: EventGroup | null;
  reason: usize;
  /**
   * SINGLE_MESSAGES records, and after them the record of the combined event. Records beyond `singles` are from before
   * a time without events.
   */
  records: usize;
  singles: i32;
  isWarning: bool;

  record(i: i32): EventRecord {
    return changetype<EventRecord>(this.records + usize(i) * offsetof<EventRecord>());
  }

  /** The record of the combined event. */
  get combined(): EventRecord {
    return this.record(SINGLE_MESSAGES);
  }
}

/** A group without events, which becomes the head of the list before `next`. `reason` is a blob; it is copied. */
export function newEventGroup(isWarning: bool, reason: usize, next: EventGroup | null): EventGroup {
  const group = zeroed<EventGroup>();
  const bytes = usize(SINGLE_MESSAGES + 1) * offsetof<EventRecord>();
  group.records = heap.alloc(bytes);
  memory.fill(group.records, 0, bytes);
  group.reason = copyOf(reason);
  group.isWarning = isWarning;
  group.next = next;
  return group;
}

/** Frees the group and all that follow it. */
export function freeEventGroups(first: EventGroup | null): void {
  let group = first;
  while (group !== null) {
    const next = group.next;
    heap.free(group.records);
    freeBlob(group.reason);
    release<EventGroup>(group);
    group = next;
  }
}
