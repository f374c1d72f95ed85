/**
 * The patch that takes the tracking finalizer off a pod, which three kinds of request send: for a pod that is counted,
 * for one that is to be deleted uncounted, and for one that is nobody's. Source: docs/spec/controller.md 4.7.
 */
import { noteFinalizerRemoved } from "../lifecycle/own-changes";
import { finalizer } from "../model/configuration";
import { afterChange, beforeChange, Job } from "../model/job";
import { Pod, POD_REMOVAL_REQUESTED } from "../model/pod";
import { Answer } from "./answer";
import { writePodPath } from "./paths";
import { beginRequest, endPath, frame, PATCH, Request, STRATEGIC_PATCH_TYPE } from "./request";

export function beginFinalizerPatch(job: Job | null, pod: Pod): Request {
  const request = beginRequest(PATCH, job, pod);
  writePodPath(pod);
  endPath(STRATEGIC_PATCH_TYPE);
  frame.text('{"metadata":{"$deleteFromPrimitiveList/finalizers":[');
  endWithFinalizer();
  return request;
}

/** The end of a pod's patch whose last member is the list of finalizers: the list, and what closes the patch. */
export function endWithFinalizer(): void {
  frame.quotedBlob(finalizer);
  frame.text("]}}");
}

/**
 * The finalizer is off. An answer that is older than what is known of the pod does not say so: somebody may have put it
 * back.
 */
export function takeRemoval(pod: Pod, answer: Answer): bool {
  const facts = answer.takePod();
  if (facts === null) return false;
  if (facts.resourceVersion >= pod.resourceVersion) noteFinalizerRemoved(pod);
  return true;
}

/** While the removal is requested, no Job adopts the pod, and no sync asks for the removal again. */
export function markRemovalRequested(pod: Pod, isRequested: bool): void {
  const job = pod.job;
  if (job !== null) beforeChange(job, pod);
  if (isRequested) pod.flags |= POD_REMOVAL_REQUESTED;
  else pod.flags &= ~POD_REMOVAL_REQUESTED;
  if (job !== null) afterChange(job, pod);
}
