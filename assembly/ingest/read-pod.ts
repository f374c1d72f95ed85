/**
 * A Pod as the API sends it, read down to the facts of a pod record: one pass, skipping everything else.
 * Source of what is read: docs/spec/controller.md 2.7, 3.1, 3.2 and M3.
 */
import { bytesEqual } from "../memory/hash";
import * as reader from "../json/reader";
import { blobIs, cutAtCharacter, literal } from "../memory/blob";
import { PHASE_FAILED, PHASE_OTHER, PHASE_PENDING, PHASE_RUNNING, PHASE_SUCCEEDED } from "../model/pod";
import { isWaitTrouble, WAIT_NONE, waitCodeOf } from "../model/wait-reasons";
import { PHASE_RANK_PENDING, PHASE_RANK_RUNNING, PHASE_RANK_UNKNOWN } from "../model/pod-ranking";
import { Writer } from "../json/writer";
import { addCondition, addExit, beginEvidence } from "../model/pod-failure-policy";
import * as documentKind from "./document-kind";
import * as f from "../json/field-keys";
import * as metadata from "./metadata";

/** Longer messages of pods that wait are cut. */
const MAX_WAIT_MESSAGE_BYTES: u32 = 256;

export let phase: u8 = PHASE_OTHER;
export let phaseRank: u8 = PHASE_RANK_PENDING;
export let hasNode: bool = false;
export let ready: bool = false;
/** lastTransitionTime of the first Ready condition; NaN: absent. */
export let readySinceMs: f64 = NaN;
export let restarts: i32 = 0;
export let maxRestarts: i32 = 0;
export let maxSidecarRestarts: i32 = 0;
/** When the pod ended, by the first rule of controller.md 3.2 that gives a time. */
export let finishMs: f64 = NaN;

/**
 * Why it does not run, by its containers or its scheduler (wait-reasons.ts), and the message of that if something must
 * change first.
 */
export let waitCode: u8 = WAIT_NONE;
export const waitMessage = new Writer(MAX_WAIT_MESSAGE_BYTES);

let readyIsFalse = false;
let containersFinishMs: f64 = NaN;
let sidecarsFinishMs: f64 = NaN;
let sidecarRuns = false;
// Names of init containers with restartPolicy Always, each followed by a zero byte. Rare.
const sidecars = new Writer(128);

const POD_SCHEDULED = literal("PodScheduled");
const READY = literal("Ready");
const TRUE = literal("True");
const FALSE = literal("False");

/** Reads the object that the reader stands at. False when it is not an object; problems are in metadata.problem. */
export function read(): bool {
  metadata.begin();
  phase = PHASE_OTHER;
  phaseRank = PHASE_RANK_PENDING;
  hasNode = false;
  ready = false;
  readySinceMs = NaN;
  restarts = 0;
  maxRestarts = 0;
  maxSidecarRestarts = 0;
  readyIsFalse = false;
  containersFinishMs = NaN;
  sidecarsFinishMs = NaN;
  sidecarRuns = false;
  sidecars.reset();
  waitCode = WAIT_NONE;
  waitMessage.reset();
  beginEvidence();

  if (!reader.enterObject()) return false;
  let specSeen = false;
  let statusAt: usize = 0;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.METADATA) {
      metadata.read();
    } else if (key == f.SPEC) {
      specSeen = true;
      readSpec();
    } else if (key == f.STATUS) {
      // The names of the sidecars come first.
      if (specSeen) {
        readStatus();
      } else {
        statusAt = reader.position();
        reader.skipValue();
      }
    } else {
      documentKind.readOrSkip(key);
    }
  }
  if (statusAt != 0 && reader.ok()) {
    const end = reader.position();
    reader.seek(statusAt);
    readStatus();
    reader.seek(end);
  }
  finishMs = finishTime();
  return reader.ok();
}

function finishTime(): f64 {
  if (!sidecarRuns) {
    if (!isNaN(sidecarsFinishMs) && (isNaN(containersFinishMs) || sidecarsFinishMs > containersFinishMs))
      return sidecarsFinishMs;
    if (!isNaN(containersFinishMs)) return containersFinishMs;
  }
  if (readyIsFalse && readySinceMs > 0) return readySinceMs;
  if (!isNaN(metadata.deletionMs)) return metadata.deletionMs - metadata.deletionGracePeriodMs;
  return metadata.creationMs;
}

function readSpec(): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.NODE_NAME) hasNode = reader.readString() && reader.stringSize() > 0;
    else if (key == f.INIT_CONTAINERS) readInitContainers();
    else reader.skipValue();
  }
}

function readInitContainers(): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (!reader.enterObject()) continue;
    const mark = sidecars.length;
    let isSidecar = false;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.NAME) {
        if (reader.readString()) {
          sidecars.bytes(reader.stringAt(), reader.stringSize());
          sidecars.byte(0);
        }
      } else if (key == f.RESTART_POLICY) {
        isSidecar = reader.readString() && reader.stringIs("Always");
      } else {
        reader.skipValue();
      }
    }
    if (!isSidecar) sidecars.length = mark;
  }
}

function isSidecar(name: usize, size: u32): bool {
  let at = sidecars.start;
  const end = at + sidecars.length;
  while (at < end) {
    let length: u32 = 0;
    while (load<u8>(at + length) != 0) ++length;
    if (length == size && bytesEqual(at, name, size)) return true;
    at += length + 1;
  }
  return false;
}

function readStatus(): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.PHASE) {
      if (reader.readString()) setPhase();
    } else if (key == f.CONDITIONS) {
      readConditions();
    } else if (key == f.CONTAINER_STATUSES) {
      readContainers(false);
    } else if (key == f.INIT_CONTAINER_STATUSES) {
      readContainers(true);
    } else {
      reader.skipValue();
    }
  }
}

function setPhase(): void {
  if (reader.stringIs("Running")) {
    phase = PHASE_RUNNING;
    phaseRank = PHASE_RANK_RUNNING;
  } else if (reader.stringIs("Succeeded")) {
    phase = PHASE_SUCCEEDED;
  } else if (reader.stringIs("Failed")) {
    phase = PHASE_FAILED;
  } else if (reader.stringIs("Pending")) {
    phase = PHASE_PENDING;
  } else if (reader.stringIs("Unknown")) {
    phaseRank = PHASE_RANK_UNKNOWN;
  }
}

function readConditions(): void {
  if (!reader.enterArray()) return;
  let seen = false;
  while (reader.nextElement()) {
    if (!reader.enterObject()) continue;
    let type: usize = 0;
    let typeSize: u32 = 0;
    let status: usize = 0;
    let statusSize: u32 = 0;
    let sinceMs: f64 = NaN;
    let reasonAt: usize = 0;
    let messageAt: usize = 0;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.REASON) {
        reasonAt = passValue();
      } else if (key == f.MESSAGE) {
        messageAt = passValue();
      } else if (key == f.TYPE) {
        if (!reader.readString()) continue;
        type = reader.stringAt();
        typeSize = metadata.plainSize("status.conditions[].type: has escapes");
      } else if (key == f.STATUS) {
        if (!reader.readString()) continue;
        status = reader.stringAt();
        statusSize = metadata.plainSize("status.conditions[].status: has escapes");
      } else if (key == f.LAST_TRANSITION_TIME) {
        sinceMs = metadata.readTime("status.conditions[].lastTransitionTime: not a time");
      } else {
        reader.skipValue();
      }
    }
    if (typeSize == 0) continue;
    addCondition(type, typeSize, status, statusSize);
    if (reasonAt != 0 && blobIs(POD_SCHEDULED, type, typeSize) && blobIs(FALSE, status, statusSize))
      noteWait(reasonAt, messageAt);
    // The first condition of the type is the one that counts.
    if (seen || !blobIs(READY, type, typeSize)) continue;
    seen = true;
    ready = blobIs(TRUE, status, statusSize);
    readyIsFalse = blobIs(FALSE, status, statusSize);
    readySinceMs = sinceMs;
  }
}

function readContainers(init: bool): void {
  if (!reader.enterArray()) return;
  let latestMs: f64 = NaN;
  let allTerminated = true;
  let any = false;
  while (reader.nextElement()) {
    if (!reader.enterObject()) continue;
    any = true;
    let name: usize = 0;
    let nameSize: u32 = 0;
    let count: i64 = 0;
    let finishedMs: f64 = NaN;
    exitCode = 0;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.NAME) {
        if (reader.readString()) {
          name = reader.stringAt();
          nameSize = metadata.plainSize("status.containerStatuses[].name: has escapes");
        }
      } else if (key == f.RESTART_COUNT) {
        count = reader.readInteger();
        if (count < 0 || count > i64(i32.MAX_VALUE)) {
          metadata.noteProblem("status.containerStatuses[].restartCount: out of range");
          count = 0;
        }
      } else if (key == f.STATE) {
        finishedMs = readState();
      } else {
        reader.skipValue();
      }
    }
    restarts = i32(min<i64>(i64(restarts) + count, i64(i32.MAX_VALUE)));
    if (exitCode != 0) addExit(init, name, nameSize, exitCode);
    const sidecar = init && isSidecar(name, nameSize);
    if (!init) {
      maxRestarts = max(maxRestarts, i32(count));
      if (isNaN(finishedMs)) allTerminated = false;
      else if (isNaN(latestMs) || finishedMs > latestMs) latestMs = finishedMs;
    } else if (sidecar) {
      maxSidecarRestarts = max(maxSidecarRestarts, i32(count));
      if (isNaN(finishedMs)) sidecarRuns = true;
      else if (isNaN(sidecarsFinishMs) || finishedMs > sidecarsFinishMs) sidecarsFinishMs = finishedMs;
    }
  }
  if (!init && any && allTerminated) containersFinishMs = latestMs;
}

// Exit code of the container status being read, if it has terminated.
let exitCode: i32 = 0;

// finishedAt of a terminated container; NaN when it is not terminated or has no time.
function readState(): f64 {
  let finishedMs: f64 = NaN;
  if (!reader.enterObject()) return NaN;
  while (reader.nextKey()) {
    const kind = f.key();
    if (kind != f.TERMINATED) {
      if (kind == f.WAITING) readWaiting();
      else reader.skipValue();
      continue;
    }
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.FINISHED_AT)
        finishedMs = metadata.readTime("status.containerStatuses[].state.terminated.finishedAt: not a time");
      else if (key == f.EXIT_CODE) exitCode = i32(reader.readInteger());
      else reader.skipValue();
    }
  }
  return finishedMs > 0 ? finishedMs : NaN;
}

function readWaiting(): void {
  let reasonAt: usize = 0;
  let messageAt: usize = 0;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    const at = passValue();
    if (key == f.REASON) reasonAt = at;
    else if (key == f.MESSAGE) messageAt = at;
  }
  if (reasonAt != 0) noteWait(reasonAt, messageAt);
}

/** Skips a value; where it stands. */
function passValue(): usize {
  const at = reader.position();
  reader.skipValue();
  return at;
}

// The first of several counts, but for one that solves itself: that counts only without another.
function noteWait(reasonAt: usize, messageAt: usize): void {
  if (isWaitTrouble(waitCode) || !reader.ok()) return;
  const end = reader.position();
  reader.seek(reasonAt);
  if (readsText()) {
    const code = waitCodeOf(reader.stringAt(), reader.stringSize());
    if (waitCode == WAIT_NONE || isWaitTrouble(code)) waitCode = code;
  }
  if (messageAt != 0 && isWaitTrouble(waitCode)) {
    reader.seek(messageAt);
    if (readsText())
      waitMessage.bytes(
        reader.stringAt(),
        cutAtCharacter(reader.stringAt(), reader.stringSize(), MAX_WAIT_MESSAGE_BYTES),
      );
  }
  reader.seek(end);
}

// What is told about waits decides nothing: another type than a string is no problem of the pod.
function readsText(): bool {
  return reader.peek() == 0x22 && reader.readString();
}
