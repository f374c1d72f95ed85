/**
 * What adoption and release share. Both send a strategic merge patch with the UID of the pod, so that another pod with
 * the same name is not touched (the server then answers 422), and both treat failures in the same way. The pod may
 * belong to another controller by then. Source: docs/spec/controller.md 2.7.
 */
import { wakeAdopters } from "../lifecycle/orphans";
import { noteVanished } from "../lifecycle/own-changes";
import { Job } from "../model/job";
import { Pod } from "../model/pod";
import { releaseWork, Sync } from "../model/sync";
import { isAdoptable, isReleasable } from "../sync/claiming";
import { CLAIM_FAILED } from "../trace/decisions";
import { Answer } from "./answer";
import { writePodPath } from "./paths";
import { beginRequest, endPath, PATCH, Request, STRATEGIC_PATCH_TYPE } from "./request";

/** The first pod of the work list that is still to be adopted or released. It stays in the list. */
export function nextClaim(job: Job, sync: Sync): Pod | null {
  let pod = sync.claims;
  while (pod !== null && !adopts(job, sync, pod) && !isReleasable(job, pod)) {
    dropClaim(sync, pod);
    pod = sync.claims;
  }
  return pod;
}

/** Whether the pod should be adopted, and may be. */
export function adopts(job: Job, sync: Sync, pod: Pod): bool {
  return sync.adopts && isAdoptable(job, pod);
}

/** Takes the pod, which must be the first of the work list, and begins its patch. */
export function beginClaim(job: Job, sync: Sync, pod: Pod): Request {
  pod.requestClaim();
  const request = beginRequest(PATCH, job, pod);
  dropClaim(sync, pod);
  writePodPath(pod);
  endPath(STRATEGIC_PATCH_TYPE);
  return request;
}

/**
 * The patch is answered. False when it has failed and the pod is still there. A pod that is gone needs no claim any
 * more.
 */
export function endClaim(pod: Pod, answer: Answer): bool {
  pod.endClaim();
  if (answer.takePod() !== null) return true;
  if (!answer.isNotFound()) return false;
  noteVanished(pod);
  pod.needNoClaim();
  return true;
}

/** The patch has failed: the sync fails, and other Jobs that may adopt the pod are synced. */
export function failClaim(job: Job, sync: Sync | null, pod: Pod, answer: Answer): void {
  answer.noteFailure(job, sync, CLAIM_FAILED);
  // Another Job may have skipped the pod while this request was in flight.
  wakeAdopters(pod, job);
}

function dropClaim(sync: Sync, pod: Pod): void {
  sync.claims = pod.nextWork;
  releaseWork(pod);
}
