/**
 * Reads a finished Job whose TTL has passed again before it is removed. If the Job no longer exists, nothing has to be
 * removed, and the watch will say so. Source: docs/spec/controller.md section 10.
 */
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import { REMOVAL_FAILED } from "../trace/decisions";
import { Answer } from "./answer";
import { readJob } from "./recheck-job";
import { Request } from "./request";
import { Step } from "./step";

export class ReadExpiredJob extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    return sync.takeRequest() ? readJob(job) : null;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    if (answer.isNotFound()) {
      if (sync !== null) sync.breakOff();
    } else if (answer.takeJob() === null) {
      answer.noteFailure(job, sync, REMOVAL_FAILED);
    }
  }
}
