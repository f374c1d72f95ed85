/**
 * Changes the minCount of a Workload, or of a PodGroup, to what the Job asks for now. Each is changed once in a sync at
 * most, whatever the answer shows. Source: docs/spec/controller.md section 11.
 */
import { SLASH } from "../json/punctuation";
import { failGang, UNREADABLE_ANSWER } from "../gang/ensure";
import { takeGangAnswer } from "../ingest/apply-gang";
import { blobOf, freeBlob } from "../memory/blob";
import { Writer } from "../json/writer";
import { Job } from "../model/job";
import { RESOURCE_WORKLOADS } from "../model/sources";
import { Sync } from "../model/sync";
import { record } from "../trace/log";
import { GANG_RESIZED } from "../trace/decisions";
import { Answer } from "./answer";
import { writeGangPath } from "./paths";
import { beginRequest, endPath, frame, PATCH, Request, STRATEGIC_PATCH_TYPE } from "./request";
import { Step } from "./step";

const text = new Writer(128);

export class ResizeGang extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (!sync.resizesGang || !sync.takeRequest()) return null;
    const request = beginRequest(PATCH, job, null);
    writeGangPath(sync.gangResource, job.namespace);
    frame.byte(SLASH);
    frame.blob(sync.gangName);
    endPath(STRATEGIC_PATCH_TYPE);
    frame.blob(sync.gangBody);
    return request;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    if (sync === null) return;
    const isWorkload = sync.gangResource == RESOURCE_WORKLOADS;
    sync.resizesGang = false;
    if (!answer.isSuccess) {
      failGang(job, sync, answer.readError().message, answer.status);
      return;
    }
    const facts = takeGangAnswer(answer.body, answer.bodySize, sync.gangResource);
    if (!facts.isTaken) {
      failGang(job, sync, UNREADABLE_ANSWER, answer.status);
      answer.refuse(facts);
      return;
    }
    if (isWorkload) sync.resizedWorkload = true;
    else sync.resizedPodGroup = true;
    noteResized(job, sync, isWorkload);
  }
}

function noteResized(job: Job, sync: Sync, isWorkload: bool): void {
  text.reset();
  text.text(isWorkload ? "Workload " : "PodGroup ");
  text.blob(sync.gangName);
  const object = blobOf(text.start, text.length);
  record(job, GANG_RESIZED, object, sync.gangSize);
  freeBlob(object);
}
