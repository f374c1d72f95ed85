/**
 * What adoption and release have in common: a strategic merge patch with the UID of the pod, so that another pod of the
 * same name is not touched (the server answers 422 then), and what it means that it failed. Whose a pod is may have
 * changed since the sync chose it. Source: docs/spec/controller.md 2.7.
 */
import { wakeAdopters } from "../lifecycle/orphans";
import { noteVanished } from "../lifecycle/own-changes";
import { Job } from "../model/job";
import { Pod, POD_CLAIM_REQUESTED, POD_ORPHAN, POD_UNSELECTED } from "../model/pod";
import { releaseWork, Sync } from "../model/sync";
import { isAdoptable, isReleasable } from "../sync/claiming";
import { CLAIM_FAILED } from "../trace/decisions";
import { Answer } from "./answer";
import { writePodPath } from "./paths";
import { beginRequest, endPath, PATCH, Request, STRATEGIC_PATCH_TYPE } from "./request";

/** The first pod of the work list that is still to be adopted or released; it stays in the list. */
export function nextClaim(job: Job, sync: Sync): Pod | null {
  let pod = sync.claims;
  while (pod !== null && !adopts(job, sync, pod) && !isReleasable(job, pod)) {
    dropClaim(sync, pod);
    pod = sync.claims;
  }
  return pod;
}

/** The pod is to be adopted, and may be. */
export function adopts(job: Job, sync: Sync, pod: Pod): bool {
  return sync.adopts && isAdoptable(job, pod);
}

/** Takes the pod, the first of the work list, and begins its patch. */
export function beginClaim(job: Job, sync: Sync, pod: Pod): Request {
  pod.flags |= POD_CLAIM_REQUESTED;
  const request = beginRequest(PATCH, job, pod);
  dropClaim(sync, pod);
  writePodPath(pod);
  endPath(STRATEGIC_PATCH_TYPE);
  return request;
}

/** The patch is answered. False: it has failed, and the pod is still there. A pod that is gone is nobody's any more. */
export function endClaim(pod: Pod, answer: Answer): bool {
  pod.flags &= ~POD_CLAIM_REQUESTED;
  if (answer.takePod() !== null) return true;
  if (!answer.isNotFound()) return false;
  noteVanished(pod);
  pod.flags &= ~(POD_ORPHAN | POD_UNSELECTED);
  return true;
}

export function failClaim(job: Job, sync: Sync | null, pod: Pod, answer: Answer): void {
  answer.noteFailure(job, sync, CLAIM_FAILED);
  // Another Job may have passed it over meanwhile.
  wakeAdopters(pod, job);
}

function dropClaim(sync: Sync, pod: Pod): void {
  sync.claims = pod.nextWork;
  releaseWork(pod);
}
