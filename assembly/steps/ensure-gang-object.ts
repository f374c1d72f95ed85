/**
 * Creates a Workload or a PodGroup, or reads the one that already has the name. When the answer to a creation is lost,
 * the sync fails, and the next sync finds the object by its name. Source: docs/spec/controller.md section 11.
 */
import { SLASH } from "../json/punctuation";
import { announceWorkload } from "../events/announce";
import { ANSWER_EXISTS, ANSWER_NONE, ANSWER_SHOWN, failGang, resourceName } from "../gang/ensure";
import { takeGangAnswer } from "../ingest/apply-gang";
import { literal } from "../memory/blob";
import { Job } from "../model/job";
import { RESOURCE_WORKLOADS } from "../model/sources";
import { Sync } from "../model/sync";
import { record } from "../trace/log";
import { WORKLOAD_CREATED } from "../trace/decisions";
import { Answer, CONFLICT, NOT_FOUND } from "./answer";
import { beginRequest, endPath, frame, GET, JSON_TYPE, NO_BODY, POST, Request } from "./request";
import { Step } from "./step";

const UNREADABLE_ANSWER = literal("the answer holds no object that can be read");

export class EnsureGangObject extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (!sync.takeRequest()) return null;
    const reads = isRead(sync);
    const request = beginRequest(reads ? GET : POST, job, null);
    frame.text("/apis/scheduling.k8s.io/v1alpha2/namespaces/");
    frame.blob(job.namespace);
    frame.byte(SLASH);
    frame.text(resourceName(sync.gangResource));
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
    const wasRead = isRead(sync);
    const status = answer.status;
    sync.gangAnswer = ANSWER_NONE;
    if (answer.isSuccess) {
      const facts = takeGangAnswer(answer.body, answer.bodySize, sync.gangResource);
      if (!facts.isTaken) {
        failGang(job, sync, UNREADABLE_ANSWER, status);
        answer.refuse(facts);
      } else if (wasRead) {
        sync.gangAnswer = ANSWER_SHOWN;
      } else if (sync.gangResource == RESOURCE_WORKLOADS) {
        noteWorkload(job, sync);
      }
    } else if (!wasRead && status == CONFLICT) {
      sync.gangAnswer = ANSWER_EXISTS;
    } else if (!wasRead || status != NOT_FOUND) {
      failGang(job, sync, answer.readError().message, status);
    }
  }
}

// Whether the request reads the existing object because of which a creation was refused.
function isRead(sync: Sync): bool {
  return sync.gangAnswer == ANSWER_EXISTS;
}

function noteWorkload(job: Job, sync: Sync): void {
  sync.madeWorkload = true;
  sync.decision = record(job, WORKLOAD_CREATED, sync.gangName, job.spec.parallelism);
  announceWorkload(job, sync.decision, sync.gangName);
}
