/**
 * What the podFailurePolicy of a Job says about one of its pods. It is noted with the pod when the pod's facts change,
 * so that a sync need not ask the policy. Source: docs/spec/controller.md 3.3 S16 and 3.7.
 */
import { Writer } from "../json/writer";
import { blobOf } from "../memory/blob";
import { Job } from "../model/job";
import { has, holdsFinalizer, isFailed, POD_DELETING, POD_NOT_NEEDED } from "../model/pod-state";
import { Pod } from "../model/pod";
import { ACTION_FAIL_JOB, ACTION_NONE, writeMessage } from "../model/pod-failure-policy";

const message = new Writer(256);

/**
 * Notes what the policy says about the pod, and whether the pod fails its Job. A deleted pod without its finalizer does
 * not: it was surplus, or its Job suspended, so the controller itself ended it. `evidence` is the address of its bytes
 * (evidence.ts); 0 for a Job without a policy.
 */
export function judgePod(job: Job, pod: Pod, evidence: usize): void {
  const policy = job.podFailurePolicy;
  pod.policyAction = policy === null || evidence == 0 ? ACTION_NONE : policy.judge(evidence);
  // That another Job did not need the pod does not matter for this Job.
  const isNotNeeded = (pod.job === job && has(pod, POD_NOT_NEEDED)) || (has(pod, POD_DELETING) && !holdsFinalizer(pod));
  if (pod.policyAction == ACTION_FAIL_JOB && isFailed(pod, job.spec.onlyReplaceFailed) && !isNotNeeded)
    failJob(job, pod.name);
}

/**
 * Judges a failed pod of which no record is kept, because its finalizer is off. It may still fail its Job; true when it
 * does.
 */
export function judgeUnkept(job: Job, name: usize, evidence: usize): bool {
  const policy = job.podFailurePolicy;
  if (policy === null || job.failJobMessage != 0 || policy.judge(evidence) != ACTION_FAIL_JOB) return false;
  failJob(job, name);
  return true;
}

function failJob(job: Job, pod: usize): void {
  if (job.failJobMessage != 0) return;
  message.reset();
  writeMessage(message, job.namespace, pod);
  job.failJobMessage = blobOf(message.start, message.length);
}
