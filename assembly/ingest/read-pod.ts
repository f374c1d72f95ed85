/**
 * Reads a Pod as the API sends it, in one pass, down to the facts of a pod record. Everything else is skipped. Source
 * of what is read: docs/spec/controller.md 2.7, 3.1, 3.2 and M3.
 */
import { bytesEqual } from "../memory/hash";
import { blobIs, cutAtCharacter, literal } from "../memory/blob";
import { PHASE_FAILED, PHASE_PENDING, PHASE_RUNNING, PHASE_SUCCEEDED } from "../model/pod-state";
import { isWaitTrouble, WAIT_NONE, waitCodeOf } from "../model/wait-reasons";
import { PHASE_RANK_RUNNING, PHASE_RANK_UNKNOWN } from "../model/pod-ranking";
import { MAX_WAIT_MESSAGE_BYTES, PodFacts } from "./pod-facts";
import { readMetadata } from "./read-metadata";
import * as reader from "../json/reader";
import * as f from "../json/field-keys";

const NODE_NAME = f.keyOf("nodeName");
const INIT_CONTAINERS = f.keyOf("initContainers");
const PHASE = f.keyOf("phase");
const CONTAINER_STATUSES = f.keyOf("containerStatuses");
const INIT_CONTAINER_STATUSES = f.keyOf("initContainerStatuses");
const RESTART_COUNT = f.keyOf("restartCount");
const STATE = f.keyOf("state");
const WAITING = f.keyOf("waiting");
const TERMINATED = f.keyOf("terminated");
const FINISHED_AT = f.keyOf("finishedAt");
const EXIT_CODE = f.keyOf("exitCode");

const POD_SCHEDULED = literal("PodScheduled");
const READY = literal("Ready");
const TRUE = literal("True");
const FALSE = literal("False");

const podFacts = changetype<PodFacts>(memory.data(offsetof<PodFacts>(), 8));

/** Reads the object that the reader is at. `isRead` of the facts says whether there is one. */
export function readPod(): PodFacts {
  const facts = podFacts;
  facts.begin();
  if (!reader.enterObject()) return facts;
  let specSeen = false;
  let statusAt: usize = 0;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.METADATA) {
      readMetadata(facts);
    } else if (key == f.SPEC) {
      specSeen = true;
      readSpec(facts);
    } else if (key == f.STATUS) {
      // The status needs the names of the sidecars, which are in the spec.
      if (specSeen) {
        readStatus(facts);
      } else {
        statusAt = reader.position();
        reader.skipValue();
      }
    } else {
      facts.readOrSkip(key);
    }
  }
  if (statusAt != 0 && reader.ok()) {
    const end = reader.position();
    reader.seek(statusAt);
    readStatus(facts);
    reader.seek(end);
  }
  facts.finishMs = finishTime(facts);
  facts.isRead = reader.ok();
  return facts;
}

function finishTime(facts: PodFacts): f64 {
  if (!facts.sidecarRuns) {
    if (
      !isNaN(facts.sidecarsFinishMs) &&
      (isNaN(facts.containersFinishMs) || facts.sidecarsFinishMs > facts.containersFinishMs)
    )
      return facts.sidecarsFinishMs;
    if (!isNaN(facts.containersFinishMs)) return facts.containersFinishMs;
  }
  if (facts.readyIsFalse && facts.readySinceMs > 0) return facts.readySinceMs;
  if (!isNaN(facts.deletionMs)) return facts.deletionMs - facts.deletionGracePeriodMs;
  return facts.creationMs;
}

function readSpec(facts: PodFacts): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == NODE_NAME) facts.hasNode = reader.readString() && reader.stringSize() > 0;
    else if (key == INIT_CONTAINERS) readInitContainers(facts);
    else reader.skipValue();
  }
}

function readInitContainers(facts: PodFacts): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (!reader.enterObject()) continue;
    const mark = facts.sidecars.length;
    let isSidecar = false;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.NAME) {
        if (reader.readString()) {
          facts.sidecars.bytes(reader.stringAt(), reader.stringSize());
          facts.sidecars.byte(0);
        }
      } else if (key == f.RESTART_POLICY) {
        isSidecar = reader.readString() && reader.stringIs("Always");
      } else {
        reader.skipValue();
      }
    }
    if (!isSidecar) facts.sidecars.length = mark;
  }
}

function isSidecar(facts: PodFacts, name: usize, size: u32): bool {
  let at = facts.sidecars.start;
  const end = at + facts.sidecars.length;
  while (at < end) {
    let length: u32 = 0;
    while (load<u8>(at + length) != 0) ++length;
    if (length == size && bytesEqual(at, name, size)) return true;
    at += length + 1;
  }
  return false;
}

function readStatus(facts: PodFacts): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == PHASE) {
      if (reader.readString()) setPhase(facts);
    } else if (key == f.CONDITIONS) {
      readConditions(facts);
    } else if (key == CONTAINER_STATUSES) {
      readContainers(facts, false);
    } else if (key == INIT_CONTAINER_STATUSES) {
      readContainers(facts, true);
    } else {
      reader.skipValue();
    }
  }
}

function setPhase(facts: PodFacts): void {
  if (reader.stringIs("Running")) {
    facts.phase = PHASE_RUNNING;
    facts.phaseRank = PHASE_RANK_RUNNING;
  } else if (reader.stringIs("Succeeded")) {
    facts.phase = PHASE_SUCCEEDED;
  } else if (reader.stringIs("Failed")) {
    facts.phase = PHASE_FAILED;
  } else if (reader.stringIs("Pending")) {
    facts.phase = PHASE_PENDING;
  } else if (reader.stringIs("Unknown")) {
    facts.phaseRank = PHASE_RANK_UNKNOWN;
  }
}

function readConditions(facts: PodFacts): void {
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
        typeSize = facts.plainSize("status.conditions[].type: has escapes");
      } else if (key == f.STATUS) {
        if (!reader.readString()) continue;
        status = reader.stringAt();
        statusSize = facts.plainSize("status.conditions[].status: has escapes");
      } else if (key == f.LAST_TRANSITION_TIME) {
        sinceMs = facts.readTime("status.conditions[].lastTransitionTime: not a time");
      } else {
        reader.skipValue();
      }
    }
    if (typeSize == 0) continue;
    facts.evidence.addCondition(type, typeSize, status, statusSize);
    if (reasonAt != 0 && blobIs(POD_SCHEDULED, type, typeSize) && blobIs(FALSE, status, statusSize))
      noteWait(facts, reasonAt, messageAt);
    // Only the first condition of the type counts.
    if (seen || !blobIs(READY, type, typeSize)) continue;
    seen = true;
    facts.ready = blobIs(TRUE, status, statusSize);
    facts.readyIsFalse = blobIs(FALSE, status, statusSize);
    facts.readySinceMs = sinceMs;
  }
}

function readContainers(facts: PodFacts, init: bool): void {
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
    facts.exitCode = 0;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.NAME) {
        if (reader.readString()) {
          name = reader.stringAt();
          nameSize = facts.plainSize("status.containerStatuses[].name: has escapes");
        }
      } else if (key == RESTART_COUNT) {
        count = reader.readInteger();
        if (count < 0 || count > i64(i32.MAX_VALUE)) {
          facts.noteProblem("status.containerStatuses[].restartCount: out of range");
          count = 0;
        }
      } else if (key == STATE) {
        finishedMs = readState(facts);
      } else {
        reader.skipValue();
      }
    }
    facts.restarts = i32(min<i64>(i64(facts.restarts) + count, i64(i32.MAX_VALUE)));
    if (facts.exitCode != 0) facts.evidence.addExit(init, name, nameSize, facts.exitCode);
    const sidecar = init && isSidecar(facts, name, nameSize);
    if (!init) {
      facts.maxRestarts = max(facts.maxRestarts, i32(count));
      if (isNaN(finishedMs)) allTerminated = false;
      else if (isNaN(latestMs) || finishedMs > latestMs) latestMs = finishedMs;
    } else if (sidecar) {
      facts.maxSidecarRestarts = max(facts.maxSidecarRestarts, i32(count));
      if (isNaN(finishedMs)) facts.sidecarRuns = true;
      else if (isNaN(facts.sidecarsFinishMs) || finishedMs > facts.sidecarsFinishMs)
        facts.sidecarsFinishMs = finishedMs;
    }
  }
  if (!init && any && allTerminated) facts.containersFinishMs = latestMs;
}

// Reads finishedAt of a terminated container. NaN when the container is not terminated or has no time.
function readState(facts: PodFacts): f64 {
  let finishedMs: f64 = NaN;
  if (!reader.enterObject()) return NaN;
  while (reader.nextKey()) {
    const kind = f.key();
    if (kind != TERMINATED) {
      if (kind == WAITING) readWaiting(facts);
      else reader.skipValue();
      continue;
    }
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == FINISHED_AT)
        finishedMs = facts.readTime("status.containerStatuses[].state.terminated.finishedAt: not a time");
      else if (key == EXIT_CODE) facts.exitCode = i32(reader.readInteger());
      else reader.skipValue();
    }
  }
  return finishedMs > 0 ? finishedMs : NaN;
}

function readWaiting(facts: PodFacts): void {
  let reasonAt: usize = 0;
  let messageAt: usize = 0;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    const at = passValue();
    if (key == f.REASON) reasonAt = at;
    else if (key == f.MESSAGE) messageAt = at;
  }
  if (reasonAt != 0) noteWait(facts, reasonAt, messageAt);
}

/** Skips a value. Returns its address. */
function passValue(): usize {
  const at = reader.position();
  reader.skipValue();
  return at;
}

// Notes why the pod waits. Of several reasons the first counts, but one that needs a change takes precedence over one
// that passes without.
function noteWait(facts: PodFacts, reasonAt: usize, messageAt: usize): void {
  if (isWaitTrouble(facts.waitCode) || !reader.ok()) return;
  const end = reader.position();
  reader.seek(reasonAt);
  if (readsText()) {
    const code = waitCodeOf(reader.stringAt(), reader.stringSize());
    if (facts.waitCode == WAIT_NONE || isWaitTrouble(code)) facts.waitCode = code;
  }
  if (messageAt != 0 && isWaitTrouble(facts.waitCode)) {
    reader.seek(messageAt);
    if (readsText())
      facts.waitMessage.bytes(
        reader.stringAt(),
        cutAtCharacter(reader.stringAt(), reader.stringSize(), MAX_WAIT_MESSAGE_BYTES),
      );
  }
  reader.seek(end);
}

// Reads a string, if there is one. Reasons and messages decide nothing, so another type here is no problem of the pod.
function readsText(): bool {
  return reader.peek() == 0x22 && reader.readString();
}
