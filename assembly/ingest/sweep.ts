/** The end of a list: every object that the list did not show is gone, unless it is newer than the list. */
import { forgetJob } from "../lifecycle/retire-job";
import { resumeJob } from "./unreadable-object";
import { blobsEqual } from "../memory/blob";
import { forEachJob, Job } from "../model/job";
import { forgetPod } from "../lifecycle/forget-pod";
import { findSource } from "../model/sources";
import { forEachPod, Pod } from "../model/pod";

/**
 * A list of pods has ended. A pod that it did not show is gone, unless it is newer than the list. A pod that could not
 * be read, and was not shown again, is gone, too. `argument` has the list epoch in its high half, and the source id in
 * its low half.
 */
export function sweepPods(sourceId: u32, listEpoch: u32): void {
  forEachPod(
    (pod: Pod, argument: u64) => {
      const id = u32(argument);
      if (
        pod.source == u8(id) &&
        pod.listEpoch != u32(argument >> 32) &&
        pod.resourceVersion <= findSource(id)!.listVersion
      )
        forgetPod(pod, true);
    },
    (u64(listEpoch) << 32) | u64(sourceId),
  );
  forEachJob(
    (job: Job, argument: u64) => {
      if (job.unreadable == 0 || job.unreadableEpoch == u32(argument >> 32) || blobsEqual(job.unreadableUid, job.uid))
        return;
      const namespace = findSource(u32(argument))!.namespace;
      if (namespace == 0 || blobsEqual(namespace, job.namespace)) resumeJob(job);
    },
    (u64(listEpoch) << 32) | u64(sourceId),
  );
}

/** A list of Jobs has ended. A Job that it did not show is gone, unless it is newer than the list. */
export function sweepJobs(sourceId: u32, listEpoch: u32): void {
  forEachJob(
    (job: Job, argument: u64) => {
      const id = u32(argument);
      if (
        job.source == u8(id) &&
        job.listEpoch != u32(argument >> 32) &&
        job.resourceVersion <= findSource(id)!.listVersion
      )
        forgetJob(job);
    },
    (u64(listEpoch) << 32) | u64(sourceId),
  );
}
