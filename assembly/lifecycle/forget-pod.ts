/** How a pod goes: out of its Job or of the pods that wait for one, out of the table, and out of the metrics. */
import { noteTerminated } from "../metrics/observe";
import { detachPod } from "../model/job";
import { holdsFinalizer, isTerminal, Pod, removePod } from "../model/pod";
import { enqueueForPod } from "../queue/job-queue";
import { removeWaiting } from "./waiting-pods";

/** The pod is not there any more. `wakesJob`: its Job is synced, where the pod counted in it. */
export function forgetPod(pod: Pod, wakesJob: bool): void {
  leaveOwner(pod, wakesJob);
  dropPod(pod);
}

/** Takes the pod out of its Job, or of the pods that wait for one. */
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

/** Takes a pod that is in no list out of the table. */
export function dropPod(pod: Pod): void {
  noteTerminated(pod, false);
  removePod(pod);
}
