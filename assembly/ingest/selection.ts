/**
 * Whether a Job's selector matches the pod that was just read, and which of the pod's labels are kept for Jobs that are
 * still to come. Source: docs/spec/controller.md 2.4 and 2.7.
 */
import { blobIs } from "../memory/blob";
import { bytesEqual } from "../memory/hash";
import { Job, SELECTS_BY_UID, SELECTS_WHAT_IT_CONTROLS } from "../model/job";
import { matchesLabels } from "../model/label-selector";
import { PodFacts } from "./pod-facts";

/**
 * Whether the Job's selector matches the labels of the pod, which names the Job as its controller. It always does for a
 * Job of another manager.
 */
export function selects(job: Job, facts: PodFacts): bool {
  if (job.selects == SELECTS_BY_UID)
    return job.managedBy != 0 || blobIs(job.uid, facts.controllerUid, facts.controllerUidSize);
  return (
    job.selects == SELECTS_WHAT_IT_CONTROLS ||
    job.managedBy != 0 ||
    matchesLabels(job.selector, facts.labels, facts.labelsSize)
  );
}

/**
 * How many bytes of the pod's labels to keep. 0 when the labels themselves say whose the pod is, as for nearly all pods
 * of Jobs.
 */
export function keptLabelsSize(facts: PodFacts): u32 {
  const saysOwner =
    facts.ownerUidSize > 0 &&
    facts.controllerUidSize == facts.ownerUidSize &&
    bytesEqual(facts.controllerUid, facts.ownerUid, facts.ownerUidSize);
  return saysOwner ? 0 : facts.labelsSize;
}
