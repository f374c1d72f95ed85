/**
 * The pods of one Job, grouped by what they do or wait for: how many there are, and the oldest of each group as an
 * example. They are counted when somebody asks, in one walk over the pods of the Job.
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

const counts = new StaticArray<i32>(MAX_WAIT_REASONS);
const examples = new StaticArray<usize>(MAX_WAIT_REASONS);

/** How many pods cannot run before something changes. */
export let stuckPods: i32 = 0;

/** Counts the pods of the Job. The other functions of this file then tell about them. */
export function groupPods(job: Job): void {
  for (let code = 0; code < MAX_WAIT_REASONS; ++code) {
    counts[code] = 0;
    examples[code] = 0;
  }
  stuckPods = 0;
  let pod = job.pods;
  while (pod !== null) {
    const code = groupOf(pod);
    ++counts[code];
    if (isWaitTrouble(code)) ++stuckPods;
    if (examples[code] == 0 || sinceMs(pod) < sinceMs(changetype<Pod>(examples[code])))
      examples[code] = changetype<usize>(pod);
    pod = pod.next;
  }
}

/** Writes the groups as a JSON array. Pods that are stuck come first. */
export function writeGroups(to: Writer, job: Job): void {
  to.byte(OPEN_BRACKET);
  let any = false;
  for (let i = MAX_WAIT_REASONS - 1; i >= 0; --i) {
    const code = u8(i);
    if (counts[code] == 0) continue;
    if (any) to.byte(COMMA);
    any = true;
    const pod = changetype<Pod>(examples[code]);
    writeText(to, '{"reason":', waitReason(code));
    writeNumber(to, ',"count":', counts[code]);
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
export function writeWaits(to: Writer, job: Job): void {
  let named = 0;
  for (let i = MAX_WAIT_REASONS - 1; i >= 0 && named < MAX_NAMED_GROUPS; --i) {
    const code = u8(i);
    if (counts[code] == 0 || code == WAIT_RUNNING || code == WAIT_READY || code == WAIT_ENDED) continue;
    to.text(named++ == 0 ? "; " : ", ");
    to.integer(counts[code]);
    to.byte(SPACE);
    to.escapedBlob(waitReason(code));
    to.text(" (");
    writeExample(to, changetype<Pod>(examples[code]), code);
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

function groupOf(pod: Pod): u8 {
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
