/** Removes a pod from its Job or from the pods that wait for one, from the table, and from the metrics. */
import { noteTerminated } from "../metrics/observe";
import { detachPod } from "../model/job";
import { holdsFinalizer, isTerminal } from "../model/pod-state";
import { Pod, removePod } from "../model/pod";
import { enqueueForPod } from "../queue/job-queue";
import { removeWaiting } from "./waiting-pods";

/** The pod no longer exists. `wakesJob`: its Job is synced, if the pod counted in it. */
export function forgetPod(pod: Pod, wakesJob: bool): void {
  leaveOwner(pod, wakesJob);
  dropPod(pod);
}

/** Takes the pod out of its Job, or out of the pods that wait for one. `wakesJob` is as for `forgetPod`. */
export function leaveOwner(pod: Pod, wakesJob: bool): void {
  const job = pod.job;
  if (job !== null) {
    const counts = !isTerminal(pod) || holdsFinalizer(pod);
    detachPod(job, pod);
    if (counts && wakesJob) enqueueForPod(job);
  } else {
    removeWaiting(pod);
  }
}

/** Takes a pod out of the table and the metrics. The pod must be in no list. */
export function dropPod(pod: Pod): void {
  noteTerminated(pod, false);
  removePod(pod);
}
