/**
 * The patches that make a pod a Job's, or nobody's. Strategic merge patches with the UID of the pod, so that another
 * pod of the same name is not touched: the server answers 422 then. An adoption names the version as well: one that
 * arrives late, or twice, would give its finalizer back to a pod that was counted, which is answered 409 so. Source:
 * docs/spec/controller.md 2.7.
 */
import { finalizer } from "../model/configuration";
import { Writer } from "../json/writer";
import { Job } from "../model/job";
import { Pod } from "../model/pod";

export function writeAdoption(to: Writer, job: Job, pod: Pod): void {
  to.text('{"metadata":{"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":');
  to.quotedBlob(job.name);
  to.text(',"uid":');
  to.quotedBlob(job.uid);
  to.text(',"controller":true,"blockOwnerDeletion":true}],"uid":');
  to.quotedBlob(pod.uid);
  to.text(',"resourceVersion":"');
  to.integer(i64(pod.resourceVersion));
  to.text('","finalizers":[');
  writeEnd(to);
}

export function writeRelease(to: Writer, job: Job, pod: Pod): void {
  to.text('{"metadata":{"uid":');
  to.quotedBlob(pod.uid);
  to.text(',"ownerReferences":[{"$patch":"delete","uid":');
  to.quotedBlob(job.uid);
  to.text('}],"$deleteFromPrimitiveList/finalizers":[');
  writeEnd(to);
}

/** The patch that takes the finalizer off: controller.md 4.7. */
export function writeFinalizerRemoval(to: Writer): void {
  to.text('{"metadata":{"$deleteFromPrimitiveList/finalizers":[');
  writeEnd(to);
}

function writeEnd(to: Writer): void {
  to.quotedBlob(finalizer);
  to.text("]}}");
}
