/**
 * Whether a Job's selector matches the pod that was just read, and which labels of it are kept for Jobs that are still
 * to come. Source: docs/spec/controller.md 2.4 and 2.7.
 */
import { blobIs } from "../memory/blob";
import { bytesEqual } from "../memory/hash";
import { Job, SELECTS_BY_UID, SELECTS_WHAT_IT_CONTROLS } from "../model/job";
import { matchesLabels } from "../model/label-selector";
import * as metadata from "./metadata";

/** Its selector matches the labels of the pod just read, which names the Job as its controller. */
export function selectsRead(job: Job): bool {
  if (job.selects == SELECTS_BY_UID)
    return job.managedBy != 0 || blobIs(job.uid, metadata.controllerUid, metadata.controllerUidSize);
  return (
    job.selects == SELECTS_WHAT_IT_CONTROLS ||
    job.managedBy != 0 ||
    matchesLabels(job.selector, metadata.labels, metadata.labelsSize)
  );
}

/**
 * Bytes of labels to keep of the pod just read. None when they say by themselves whose it is, as those of nearly all
 * pods of Jobs do.
 */
export function keptLabelsSize(): u32 {
  const saysOwner =
    metadata.ownerUidSize > 0 &&
    metadata.controllerUidSize == metadata.ownerUidSize &&
    bytesEqual(metadata.controllerUid, metadata.ownerUid, metadata.ownerUidSize);
  return saysOwner ? 0 : metadata.labelsSize;
}
