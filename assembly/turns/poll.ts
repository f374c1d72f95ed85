/**
 * What the host must send, in one frame: requests, the next wake-up, and the decisions since the last poll. Jobs take
 * turns, and hand out one request each. Requests that no sync asks for come before and after them. Bodies are rendered
 * lazily, when the request is handed out, from the state at that time. This file knows no kind of request:
 * steps/table.ts has them. Frame layout: bindings/ABI.md, "poll".
 */
import { beginResult, endResult } from "../abi/result";
import { heldEventsDueMs } from "../events/event-queue";
import { noteQueued } from "../metrics/observe";
import { Due, DUE_JOB, DUE_REMOVAL } from "../model/due";
import { Job, unpinJob } from "../model/job";
import { allSynced } from "../model/sources";
import { Sync } from "../model/sync";
import { firstDueMs, popDue } from "../queue/due-heap";
import { makeReady, Orphan } from "../queue/orphan-queue";
import { hasReadyJobs, makeJobReady, takeReadyJob } from "../queue/ready-queue";
import { endRequest, frame, Request } from "../steps/request";
import { AFTER_JOBS, BEFORE_JOBS } from "../steps/step";
import { STEPS } from "../steps/table";
import { causeOf } from "../sync/cause";
import { startRemoval } from "../sync/removal";
import { advance, startSync } from "../sync/sync";
import { now } from "../time/now";
import { takeDecisions } from "../trace/log";
import { addInFlight } from "./in-flight";

/** The most syncs that one poll starts. The rest follow in the next poll. */
export const MAX_SYNCS_PER_POLL: i32 = 1000;
/** The most requests that one poll hands out, whatever the host asks for. */
export const MAX_REQUESTS_PER_POLL: u32 = 4096;
/** Requests before the Jobs' turn get at most one FIRST_SHARE-th of the limit, so that they cannot starve the Jobs. */
const FIRST_SHARE: u32 = 8;

const FRAME_HEADER_BYTES: u32 = 16;

let handedOut: u32 = 0;

/** Writes the frame, with at most `maxRequests` requests, and returns its address. */
export function pollFrame(maxRequests: u32): usize {
  const room = min(maxRequests, MAX_REQUESTS_PER_POLL);
  startDueSyncs();
  beginResult();
  frame.grow(FRAME_HEADER_BYTES);
  frame.length += FRAME_HEADER_BYTES;
  handedOut = 0;
  handOutBeside(BEFORE_JOBS, room / FIRST_SHARE);
  handOutJobs(room);
  handOutBeside(AFTER_JOBS, room);

  const decisions = takeDecisions();
  frame.bytes(decisions.start, decisions.length);
  const header = frame.start + 4;
  store<u32>(header, handedOut);
  store<u32>(header + 4, decisions.length);
  store<f64>(header + 8, nextWakeUpMs());
  return endResult();
}

// When the first Job or orphan is due, or events may be sent again, on the clock of `now`; Infinity: neither. Nothing
// is due before every source is synced.
function nextWakeUpMs(): f64 {
  if (!allSynced()) return Infinity;
  return max(min(firstDueMs(), heldEventsDueMs()), now());
}

function startDueSyncs(): void {
  if (!allSynced()) return;
  for (let started = 0; started < MAX_SYNCS_PER_POLL; ++started) {
    const due: Due | null = popDue(now());
    if (due === null) return;
    noteQueued(due.dueKind);
    if (due.dueKind == DUE_JOB) startSync(changetype<Job>(changetype<usize>(due)));
    else if (due.dueKind == DUE_REMOVAL) startRemoval(changetype<Job>(changetype<usize>(due)));
    else makeReady(changetype<Orphan>(changetype<usize>(due)));
  }
}

function handOutJobs(room: u32): void {
  while (handedOut < room && hasReadyJobs()) {
    const job = takeReadyJob()!;
    if (handOutOne(job)) makeJobReady(job);
    unpinJob(job);
  }
}

// Hands out one request of the Job. While the phase of its sync has no request to send, the sync moves to the next
// phase. False when there was no request.
function handOutOne(job: Job): bool {
  while (true) {
    const sync = job.sync;
    if (sync === null) return false;
    if (handOut(job, sync)) {
      ++sync.outstanding;
      return true;
    }
    if (sync.outstanding > 0) return false;
    advance(job, sync);
  }
}

function handOut(job: Job, sync: Sync): bool {
  for (let i = 0; i < STEPS.length; ++i) {
    const step = unchecked(STEPS[i]);
    if (step.turn != sync.phase) continue;
    const request = step.handOut(job, sync);
    if (request === null) continue;
    if (request.decision == 0) request.decision = causeOf(job, sync);
    send(request, i);
    return true;
  }
  return false;
}

function handOutBeside(turn: u8, room: u32): void {
  for (let i = 0; i < STEPS.length; ++i) {
    const step = unchecked(STEPS[i]);
    if (step.turn != turn) continue;
    while (handedOut < room) {
      const request = step.handOutBeside();
      if (request === null) break;
      send(request, i);
    }
  }
}

function send(request: Request, step: i32): void {
  request.step = u8(step);
  addInFlight(request);
  endRequest(request);
  ++handedOut;
}
