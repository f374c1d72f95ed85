/**
 * Deletes a finished Job whose TTL has passed, in the foreground. The request names the UID, so that only the same Job
 * is deleted. Source: docs/spec/controller.md section 10.
 */
import { noteRemoved } from "../metrics/observe";
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import { REMOVAL_FAILED } from "../trace/decisions";
import { Answer } from "./answer";
import { writeJobPath } from "./paths";
import { beginRequest, DELETE, endPath, frame, JSON_TYPE, Request } from "./request";
import { Step } from "./step";

export class RemoveJob extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (!sync.takeRequest()) return null;
    const request = beginRequest(DELETE, job, null);
    writeJobPath(job);
    endPath(JSON_TYPE);
    frame.text('{"kind":"DeleteOptions","apiVersion":"v1","preconditions":{"uid":');
    frame.quotedBlob(job.uid);
    frame.text('},"propagationPolicy":"Foreground"}');
    return request;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    if (answer.takeDeletion(false)) noteRemoved(job);
    else if (!answer.isNotFound()) answer.noteFailure(job, sync, REMOVAL_FAILED);
  }
}
