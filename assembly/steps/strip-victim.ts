/**
 * Removes the finalizer of a pod that will be deleted without being counted; delete-pod.ts leaves it for this step.
 * The pod then joins the list of pods to delete next. Source: docs/spec/controller.md 3.6, step M-del.
 */
import { noteVanished } from "../lifecycle/own-changes";
import { Job } from "../model/job";
import { has, POD_GONE } from "../model/pod-state";
import { holdForWork, isFree, releaseWork, Sync } from "../model/sync";
import { FINALIZER_FAILED } from "../trace/decisions";
import { Answer } from "./answer";
import { beginFinalizerPatch, takeRemoval } from "./finalizer-patch";
import { Request } from "./request";
import { Step } from "./step";

export class StripVictim extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    const pod = sync.victims;
    if (pod === null || sync.retryAfterMs > 0) return null;
    sync.victims = pod.nextWork;
    const request = beginFinalizerPatch(job, pod);
    releaseWork(pod);
    return request;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    const pod = request.pod;
    if (takeRemoval(pod, answer)) {
      if (sync !== null && !has(pod, POD_GONE) && isFree(sync, pod)) sync.stripped = holdForWork(pod, sync.stripped);
    } else if (answer.isNotFound()) {
      noteVanished(pod);
      if (sync !== null) ++sync.deleted;
    } else {
      answer.noteFailure(job, sync, FINALIZER_FAILED);
      if (sync !== null) ++sync.deleteFailures;
    }
  }
}
