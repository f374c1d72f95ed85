/**
 * Creates a Workload or a PodGroup, or reads the one that already has the name. When the answer to a creation is lost,
 * the sync fails, and the next sync finds the object by its name. Source: docs/spec/controller.md section 11.
 */
import { SLASH } from "../json/punctuation";
import { announcePodGroup, announceWorkload, announceWorkloadRefused } from "../events/announce";
import { gangSizeOf } from "../gang/compile";
import { ANSWER_EXISTS, ANSWER_NONE, ANSWER_SHOWN, failGang, UNREADABLE_ANSWER } from "../gang/ensure";
import { takeGangAnswer } from "../ingest/apply-gang";
import { ABSENT } from "../model/absent";
import { Job } from "../model/job";
import { RESOURCE_WORKLOADS } from "../model/sources";
import { Sync } from "../model/sync";
import { record } from "../trace/log";
import { POD_GROUP_CREATED, WORKLOAD_CREATED } from "../trace/decisions";
import { Answer, CONFLICT, NOT_FOUND } from "./answer";
import { writeGangPath } from "./paths";
import { beginRequest, endPath, frame, GET, JSON_TYPE, NO_BODY, POST, Request } from "./request";
import { Step } from "./step";

export class EnsureGangObject extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (sync.resizesGang || !sync.takeRequest()) return null;
    const reads = isRead(sync);
    const request = beginRequest(reads ? GET : POST, job, null);
    writeGangPath(sync.gangResource, job.namespace);
    if (reads) {
      frame.byte(SLASH);
      frame.blob(sync.gangName);
      endPath(NO_BODY);
    } else {
      endPath(JSON_TYPE);
      frame.blob(sync.gangBody);
    }
    return request;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    if (sync === null) return;
    if (isRead(sync)) settleReading(job, sync, answer);
    else settleCreation(job, sync, answer);
  }
}

function settleReading(job: Job, sync: Sync, answer: Answer): void {
  sync.gangAnswer = ANSWER_SHOWN;
  if (answer.isSuccess) takeObject(job, sync, answer);
  else if (answer.status != NOT_FOUND) failGang(job, sync, answer.readError().message, answer.status);
}

function settleCreation(job: Job, sync: Sync, answer: Answer): void {
  sync.gangAnswer = ANSWER_NONE;
  if (answer.isSuccess) {
    if (takeObject(job, sync, answer)) noteCreated(job, sync);
  } else if (answer.status == CONFLICT) {
    sync.gangAnswer = ANSWER_EXISTS;
  } else {
    const message = answer.readError().message;
    const decision = failGang(job, sync, message, answer.status);
    // If the server asks to retry later, it has refused nothing.
    const isRefused = answer.saysWhatWasDone() && answer.retryAfterMs == 0;
    if (isRefused && sync.gangResource == RESOURCE_WORKLOADS) announceWorkloadRefused(job, decision, message);
  }
}

// Whether the request reads the existing object because of which a creation was refused.
function isRead(sync: Sync): bool {
  return sync.gangAnswer == ANSWER_EXISTS;
}

function takeObject(job: Job, sync: Sync, answer: Answer): bool {
  const facts = takeGangAnswer(answer.body, answer.bodySize, sync.gangResource);
  if (facts.isTaken) return true;
  failGang(job, sync, UNREADABLE_ANSWER, answer.status);
  answer.refuse(facts);
  return false;
}

function noteCreated(job: Job, sync: Sync): void {
  const name = sync.gangName;
  if (sync.gangResource == RESOURCE_WORKLOADS) {
    const size = gangSizeOf(job);
    sync.decision = record(job, WORKLOAD_CREATED, name, size == ABSENT ? NaN : size);
    announceWorkload(job, sync.decision, name);
  } else {
    sync.decision = record(job, POD_GROUP_CREATED, name);
    announcePodGroup(job, sync.decision, name);
  }
}
