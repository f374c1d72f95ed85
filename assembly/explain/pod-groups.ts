/**
 * The pods of one Job, grouped by what they do or wait for: how many there are, and the oldest of each group as an
 * example. They are counted on request, in one walk over the pods of the Job.
 */
import { CLOSE_BRACE, CLOSE_BRACKET, CLOSE_PARENTHESIS, COMMA, OPEN_BRACKET, SPACE } from "../json/punctuation";
import { Writer } from "../json/writer";
import { Job } from "../model/job";
import { has, isTerminal, PHASE_OTHER, PHASE_RUNNING, POD_DELETING } from "../model/pod-state";
import { Pod } from "../model/pod";
import {
  isWaitTrouble,
  MAX_WAIT_REASONS,
  WAIT_ENDED,
  WAIT_NONE,
  WAIT_READY,
  WAIT_RUNNING,
  WAIT_TERMINATING,
  WAIT_UNKNOWN,
  waitReason,
} from "../model/wait-reasons";
import { wallNow } from "../time/now";
import { writeClock, writeSpan } from "../trace/sentence";

/** The most groups that a sentence names. The list `pods` has them all. */
const MAX_NAMED_GROUPS: i32 = 3;

/** The pods of one Job that do or wait for the same. */
@unmanaged
class PodGroup {
  count: i32;
  /** The oldest of them; null: there is none. */
  example: Pod | null;
}

/** The groups of one Job's pods. */
@unmanaged
export class PodGroups {
  /** How many pods cannot run before something changes. */
  stuck: i32;

  /** The pods that wait with this code: WAIT_*. */
  of(code: u8): PodGroup {
    return changetype<PodGroup>(changetype<usize>(this) + offsetof<PodGroups>() + usize(code) * offsetof<PodGroup>());
  }
}

const GROUPS_BYTES: usize = offsetof<PodGroups>() + MAX_WAIT_REASONS * offsetof<PodGroup>();
/** One record serves all Jobs, because the engine answers one question at a time. */
const groups = changetype<PodGroups>(memory.data(i32(GROUPS_BYTES), 8));

/** Counts the pods of the Job. What it returns is valid until the next call. */
export function groupPods(job: Job): PodGroups {
  memory.fill(changetype<usize>(groups), 0, GROUPS_BYTES);
  let pod = job.pods;
  while (pod !== null) {
    const code = codeOf(pod);
    const group = groups.of(code);
    const oldest = group.example;
    ++group.count;
    if (isWaitTrouble(code)) ++groups.stuck;
    if (oldest === null || sinceMs(pod) < sinceMs(oldest)) group.example = pod;
    pod = pod.next;
  }
  return groups;
}

/** Writes the groups as a JSON array. Pods that are stuck come first. */
export function writeGroups(to: Writer, job: Job, groups: PodGroups): void {
  to.byte(OPEN_BRACKET);
  let any = false;
  for (let i = MAX_WAIT_REASONS - 1; i >= 0; --i) {
    const code = u8(i);
    const group = groups.of(code);
    const pod = group.example;
    if (pod === null) continue;
    if (any) to.byte(COMMA);
    any = true;
    writeText(to, '{"reason":', waitReason(code));
    writeNumber(to, ',"count":', group.count);
    writeText(to, ',"pod":', pod.name);
    writeNumber(to, ',"sinceMs":', sinceMs(pod));
    if (code == WAIT_TERMINATING) writeNumber(to, ',"graceMs":', graceMs(pod));
    const message = messageOf(job, code);
    if (message != 0) writeText(to, ',"message":', message);
    to.byte(CLOSE_BRACE);
  }
  to.byte(CLOSE_BRACKET);
}

/**
 * Writes what pods wait for, if they do not simply run:
 *
 * `; 2 ImagePullBackOff (pi-x2k9f since 10:02:11: no such image), 1 Terminating (…)`
 */
export function writeWaits(to: Writer, job: Job, groups: PodGroups): void {
  let named = 0;
  for (let i = MAX_WAIT_REASONS - 1; i >= 0 && named < MAX_NAMED_GROUPS; --i) {
    const code = u8(i);
    const group = groups.of(code);
    const pod = group.example;
    if (pod === null || code == WAIT_RUNNING || code == WAIT_READY || code == WAIT_ENDED) continue;
    to.text(named++ == 0 ? "; " : ", ");
    to.integer(group.count);
    to.byte(SPACE);
    to.escapedBlob(waitReason(code));
    to.text(" (");
    writeExample(to, pod, code);
    const message = messageOf(job, code);
    if (message != 0) {
      to.text(": ");
      to.escapedBlob(message);
    }
    to.byte(CLOSE_PARENTHESIS);
  }
}

function writeExample(to: Writer, pod: Pod, code: u8): void {
  to.escapedBlob(pod.name);
  if (!isNaN(sinceMs(pod))) {
    to.text(" since ");
    writeClock(to, sinceMs(pod));
  }
  if (code != WAIT_TERMINATING || pod.graceSeconds == 0) return;
  to.text(", grace ");
  writeSpan(to, graceMs(pod));
  // Perhaps the kubelet of its node no longer answers.
  if (sinceMs(pod) + graceMs(pod) < wallNow()) to.text(" is over");
}

function codeOf(pod: Pod): u8 {
  if (isTerminal(pod)) return WAIT_ENDED;
  if (has(pod, POD_DELETING)) return WAIT_TERMINATING;
  if (pod.waitCode != WAIT_NONE) return pod.waitCode;
  if (pod.phase == PHASE_OTHER) return WAIT_UNKNOWN;
  if (pod.phase != PHASE_RUNNING) return WAIT_NONE;
  return pod.ready ? WAIT_READY : WAIT_RUNNING;
}

function sinceMs(pod: Pod): f64 {
  return has(pod, POD_DELETING) ? pod.deletionAskedMs : pod.creationMs;
}

function graceMs(pod: Pod): f64 {
  return f64(pod.graceSeconds) * 1000;
}

function writeText(to: Writer, key: string, blob: usize): void {
  to.text(key);
  to.quotedBlob(blob);
}

function writeNumber(to: Writer, key: string, value: f64): void {
  to.text(key);
  to.number(value);
}

// The latest message that a pod of the Job gave for its wait, if its reason was this one; 0: none.
function messageOf(job: Job, code: u8): usize {
  return isWaitTrouble(code) && job.waitCode == code ? job.waitMessage : 0;
}
