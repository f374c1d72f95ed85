/**
 * Deletes a pod of the Job: it is surplus, or the Job is suspended or ending. Victims that must not be counted lose
 * their finalizer first (strip-victim.ts). A victim without its finalizer is deleted before the next victim loses its
 * own, so that few pods are in this intermediate state at one time. Source: docs/spec/controller.md 3.6, step M-del.
 */
import { announceDeleted, announceDeleteFailed } from "../events/announce";
import { noteDeleting, noteVanished } from "../lifecycle/own-changes";
import { blobAt, blobSize } from "../memory/blob";
import { Job } from "../model/job";
import { has, holdsFinalizer, POD_GONE } from "../model/pod-state";
import { Pod } from "../model/pod";
import { releaseWork, Sync } from "../model/sync";
import { DELETE_FAILED } from "../trace/decisions";
import { latestDecision } from "../trace/log";
import { Answer } from "./answer";
import { writePodPath } from "./paths";
import { beginRequest, DELETE, endPath, NO_BODY, Request } from "./request";
import { Step } from "./step";

export class DeletePod extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (sync.retryAfterMs > 0) {
      if (sync.stripped !== null || sync.victims !== null) ++sync.deleteFailures;
      return null;
    }
    for (let pod = takeVictim(job, sync); pod !== null; pod = takeVictim(job, sync)) {
      if (isGoneFrom(job, pod)) {
        ++sync.deleted;
        releaseWork(pod);
        continue;
      }
      const request = beginRequest(DELETE, job, pod);
      releaseWork(pod);
      writePodPath(pod);
      endPath(NO_BODY);
      return request;
    }
    return null;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    const pod = request.pod;
    if (answer.takeDeletion(true)) {
      noteDeleting(pod);
      if (sync !== null) ++sync.deleted;
      if (!job.gone) announceDeleted(job, request.decision, pod.name);
    } else if (answer.isNotFound()) {
      noteVanished(pod);
      if (sync !== null) ++sync.deleted;
    } else {
      const message = answer.noteFailure(job, sync, DELETE_FAILED).message;
      if (!job.gone && answer.status != 0)
        announceDeleteFailed(job, latestDecision(job), blobAt(message), blobSize(message));
      if (sync !== null) ++sync.deleteFailures;
    }
  }
}

/** Whether the pod is deleted, or no longer this Job's. */
export function isGoneFrom(job: Job, pod: Pod): bool {
  return has(pod, POD_GONE) || pod.job !== job;
}

// Takes the next victim. Those without a finalizer come first. A victim that has to lose its finalizer first stays in
// the list, for the step in strip-victim.ts.
function takeVictim(job: Job, sync: Sync): Pod | null {
  let pod = sync.stripped;
  if (pod !== null) {
    sync.stripped = pod.nextWork;
    return pod;
  }
  pod = sync.victims;
  if (pod === null || (sync.uncountedVictims && holdsFinalizer(pod) && !isGoneFrom(job, pod))) return null;
  sync.victims = pod.nextWork;
  return pod;
}
