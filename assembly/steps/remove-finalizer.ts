/**
 * Removes the finalizer of a pod that is counted in a stored status. Source: docs/spec/controller.md section 4.
 */
import { noteVanished } from "../lifecycle/own-changes";
import { Job } from "../model/job";
import { holdsFinalizer } from "../model/pod-state";
import { releaseWork, Sync } from "../model/sync";
import { causeOfRemoval } from "../sync/cause";
import { FINALIZER_FAILED } from "../trace/decisions";
import { Answer } from "./answer";
import { isGoneFrom } from "./delete-pod";
import { beginFinalizerPatch, markRemovalRequested, takeRemoval } from "./finalizer-patch";
import { Request } from "./request";
import { Step } from "./step";

export class RemoveFinalizer extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (sync.retryAfterMs > 0) {
      if (sync.finalizers !== null) ++sync.finalizerFailures;
      return null;
    }
    for (let pod = sync.finalizers; pod !== null; pod = sync.finalizers) {
      sync.finalizers = pod.nextWork;
      let request: Request | null = null;
      if (!isGoneFrom(job, pod) && holdsFinalizer(pod)) {
        markRemovalRequested(pod, true);
        request = beginFinalizerPatch(job, pod);
        request.decision = causeOfRemoval(job, sync);
      }
      releaseWork(pod);
      if (request !== null) return request;
    }
    sync.lastFinalizer = null;
    return null;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    const pod = request.pod;
    markRemovalRequested(pod, false);
    if (takeRemoval(pod, answer)) return;
    if (answer.isNotFound()) {
      noteVanished(pod);
      return;
    }
    answer.noteFailure(job, sync, FINALIZER_FAILED);
    if (sync !== null) ++sync.finalizerFailures;
  }
}
