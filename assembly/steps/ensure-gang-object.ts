/**
 * Creates a Workload or a PodGroup, reads the one that already has the name, or changes its minCount to what the Job
 * asks for now. When the answer to a creation is lost, the sync fails, and the next sync finds the object by its name.
 * Each object is changed once in a sync at most, whatever the answer shows. Source: docs/spec/controller.md section 11.
 */
import { SLASH } from "../json/punctuation";
import { announcePodGroup, announceWorkload, announceWorkloadRefused } from "../events/announce";
import { gangSizeOf } from "../gang/compile";
import { ANSWER_EXISTS, ANSWER_NONE, ANSWER_SHOWN, failGang } from "../gang/ensure";
import { takeGangAnswer } from "../ingest/apply-gang";
import { literal } from "../memory/blob";
import { ABSENT } from "../model/absent";
import { Job } from "../model/job";
import { RESOURCE_WORKLOADS } from "../model/sources";
import { Sync } from "../model/sync";
import { record } from "../trace/log";
import { GANG_RESIZED, POD_GROUP_CREATED, WORKLOAD_CREATED } from "../trace/decisions";
import { Answer, CONFLICT, NOT_FOUND } from "./answer";
import { writeGangPath } from "./paths";
import {
  beginRequest,
  endPath,
  frame,
  GET,
  JSON_TYPE,
  NO_BODY,
  PATCH,
  POST,
  Request,
  STRATEGIC_PATCH_TYPE,
} from "./request";
import { Step } from "./step";

const UNREADABLE_ANSWER = literal("the answer holds no object that can be read");

export class EnsureGangObject extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (!sync.takeRequest()) return null;
    const reads = isRead(sync);
    const resizes = sync.resizesGang;
    const request = beginRequest(resizes ? PATCH : reads ? GET : POST, job, null);
    writeGangPath(sync.gangResource, job.namespace);
    if (resizes || reads) {
      frame.byte(SLASH);
      frame.blob(sync.gangName);
    }
    endPath(resizes ? STRATEGIC_PATCH_TYPE : reads ? NO_BODY : JSON_TYPE);
    if (!reads) frame.blob(sync.gangBody);
    return request;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    if (sync === null) return;
    const wasRead = isRead(sync);
    const resizes = sync.resizesGang;
    sync.resizesGang = false;
    sync.gangAnswer = wasRead ? ANSWER_SHOWN : ANSWER_NONE;
    if (answer.isSuccess) {
      const facts = takeGangAnswer(answer.body, answer.bodySize, sync.gangResource);
      if (!facts.isTaken) {
        failGang(job, sync, UNREADABLE_ANSWER, answer.status);
        answer.refuse(facts);
      } else if (!wasRead) {
        noteWritten(job, sync, resizes);
      }
    } else if (!wasRead && !resizes && answer.status == CONFLICT) {
      sync.gangAnswer = ANSWER_EXISTS;
    } else if (!wasRead || answer.status != NOT_FOUND) {
      const message = answer.readError().message;
      const decision = failGang(job, sync, message, answer.status);
      // If the server asks to retry later, it has refused nothing.
      const isRefused = !wasRead && !resizes && answer.saysWhatWasDone() && answer.retryAfterMs == 0;
      if (isRefused && sync.gangResource == RESOURCE_WORKLOADS) announceWorkloadRefused(job, decision, message);
    }
  }
}

// Whether the request reads the existing object because of which a creation was refused.
function isRead(sync: Sync): bool {
  return sync.gangAnswer == ANSWER_EXISTS;
}

function noteWritten(job: Job, sync: Sync, isResized: bool): void {
  const name = sync.gangName;
  const isWorkload = sync.gangResource == RESOURCE_WORKLOADS;
  if (isResized) {
    if (isWorkload) sync.resizedWorkload = true;
    else sync.resizedPodGroup = true;
    record(job, GANG_RESIZED, name, sync.gangSize);
  } else if (isWorkload) {
    const size = gangSizeOf(job);
    sync.decision = record(job, WORKLOAD_CREATED, name, size == ABSENT ? NaN : size);
    announceWorkload(job, sync.decision, name);
  } else {
    sync.decision = record(job, POD_GROUP_CREATED, name);
    announcePodGroup(job, sync.decision, name);
  }
}
