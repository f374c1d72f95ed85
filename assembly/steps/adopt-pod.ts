/**
 * Adopts a pod that has no controller. The patch names the UID and the version of the pod. Without the version, a patch
 * that arrives late or twice would put the finalizer back on a counted pod; with it, the server answers 409. Source:
 * docs/spec/controller.md 2.7.
 */
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import { Answer } from "./answer";
import { adopts, beginClaim, endClaim, failClaim, nextClaim } from "./claim";
import { endWithFinalizer } from "./finalizer-patch";
import { frame, Request } from "./request";
import { Step } from "./step";

export class AdoptPod extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    const pod = nextClaim(job, sync);
    if (pod === null || !adopts(job, sync, pod)) return null;
    const request = beginClaim(job, sync, pod);
    frame.text('{"metadata":{"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":');
    frame.quotedBlob(job.name);
    frame.text(',"uid":');
    frame.quotedBlob(job.uid);
    frame.text(',"controller":true,"blockOwnerDeletion":true}],"uid":');
    frame.quotedBlob(pod.uid);
    frame.text(',"resourceVersion":"');
    frame.integer(i64(pod.resourceVersion));
    frame.text('","finalizers":[');
    endWithFinalizer();
    return request;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    const pod = request.pod;
    if (!endClaim(pod, answer)) failClaim(job, sync, pod, answer);
  }
}
