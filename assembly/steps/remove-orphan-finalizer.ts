/**
 * Removes the finalizer of a pod whose Job is gone, finished, or never was, outside any sync. It is tried again until
 * it works or the pod is gone (queue/orphan-queue.ts). Source: docs/spec/controller.md 2.6.
 */
import { wakeAdopters } from "../lifecycle/orphans";
import { noteVanished } from "../lifecycle/own-changes";
import { nextOrphan, Orphan, orphanDone, orphanFailed } from "../queue/orphan-queue";
import { Answer } from "./answer";
import { beginFinalizerPatch, markRemovalRequested, takeRemoval } from "./finalizer-patch";
import { Request } from "./request";
import { Step } from "./step";

export class RemoveOrphanFinalizer extends Step {
  handOutBeside(): Request | null {
    const orphan = nextOrphan();
    if (orphan === null) return null;
    markRemovalRequested(orphan.pod, true);
    const request = beginFinalizerPatch(null, orphan.pod);
    request.subject = changetype<usize>(orphan);
    return request;
  }

  settleBeside(request: Request, answer: Answer): void {
    const orphan = changetype<Orphan>(request.subject);
    const pod = orphan.pod;
    markRemovalRequested(pod, false);
    // No Job could adopt the pod while the removal was under way.
    const gone = answer.isNotFound();
    if (!gone) wakeAdopters(pod);
    if (takeRemoval(pod, answer)) {
      orphanDone(orphan);
    } else if (gone) {
      noteVanished(pod);
      orphanDone(orphan);
    } else {
      orphanFailed(orphan, answer.retryAfterMs);
    }
  }
}
