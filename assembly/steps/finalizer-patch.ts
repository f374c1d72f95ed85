/**
 * The patch that takes the tracking finalizer off a pod. Three kinds of request send it: for a pod that is counted, for
 * one that will be deleted uncounted, and for one that belongs to no Job. Source: docs/spec/controller.md 4.7.
 */
import { noteFinalizerRemoved } from "../lifecycle/own-changes";
import { finalizer } from "../model/configuration";
import { afterChange, beforeChange, Job } from "../model/job";
import { Pod } from "../model/pod";
import { Answer } from "./answer";
import { writePodPath } from "./paths";
import { beginRequest, endPath, frame, PATCH, Request, STRATEGIC_PATCH_TYPE } from "./request";

/** A request with the whole patch. `job` is null when no Job is involved. */
export function beginFinalizerPatch(job: Job | null, pod: Pod): Request {
  const request = beginRequest(PATCH, job, pod);
  writePodPath(pod);
  endPath(STRATEGIC_PATCH_TYPE);
  frame.text('{"metadata":{"$deleteFromPrimitiveList/finalizers":[');
  endWithFinalizer();
  return request;
}

/**
 * Writes the end of a patch of a pod: the finalizer as the last item of a list, and what closes the list and the patch.
 */
export function endWithFinalizer(): void {
  frame.quotedBlob(finalizer);
  frame.text("]}}");
}

/**
 * Takes the answer to the patch. False when the patch has failed. An answer older than the known version of the pod
 * changes nothing: another client may have put the finalizer back.
 */
export function takeRemoval(pod: Pod, answer: Answer): bool {
  const facts = answer.takePod();
  if (facts === null) return false;
  if (facts.resourceVersion >= pod.resourceVersion) noteFinalizerRemoved(pod);
  return true;
}

/** Notes whether the removal is requested. Meanwhile no Job adopts the pod, and no sync asks for the removal again. */
export function markRemovalRequested(pod: Pod, isRequested: bool): void {
  const job = pod.job;
  if (job !== null) beforeChange(job, pod);
  if (isRequested) pod.requestFinalizerRemoval();
  else pod.endFinalizerRemoval();
  if (job !== null) afterChange(job, pod);
}
