/**
 * The Job releases a pod that names it but that its selector does not match. When the server refuses a release as
 * invalid, it was most likely meant for another pod with that name. That is no error: the next sync of the Job looks at
 * the pod again. Source: docs/spec/controller.md 2.7.
 */
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import { Answer, INVALID } from "./answer";
import { beginClaim, endClaim, failClaim, nextClaim } from "./claim";
import { endWithFinalizer } from "./finalizer-patch";
import { frame, Request } from "./request";
import { Step } from "./step";

export class ReleasePod extends Step {
  // Adoptions are handed out before releases.
  handOut(job: Job, sync: Sync): Request | null {
    const pod = nextClaim(job, sync);
    if (pod === null) return null;
    const request = beginClaim(job, sync, pod);
    frame.text('{"metadata":{"uid":');
    frame.quotedBlob(pod.uid);
    frame.text(',"ownerReferences":[{"$patch":"delete","uid":');
    frame.quotedBlob(job.uid);
    frame.text('}],"$deleteFromPrimitiveList/finalizers":[');
    endWithFinalizer();
    return request;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    const pod = request.pod;
    if (endClaim(pod, answer)) return;
    if (answer.status == INVALID) job.expectClaims();
    else failClaim(job, sync, pod, answer);
  }
}
