/**
 * Creates a pod from the Job's template. When the answer is lost, the pod may or may not exist. Then the engine creates
 * no other pod before it has listed the pods of the Job. Source: docs/spec/controller.md 3.6, step M9.
 */
import { announceCreated, announceCreateFailed } from "../events/announce";
import { blobAt, blobSize } from "../memory/blob";
import { noteCreated } from "../metrics/observe";
import { delayedPod, endAllDelays, Job } from "../model/job";
import { Pod } from "../model/pod";
import { ACTION_IGNORE } from "../model/pod-failure-policy";
import { Sync } from "../model/sync";
import { markPodsUnclear } from "../model/unclear-pods";
import { hasTemplate, takeNextIndex } from "../sync/manage";
import { CREATE_FAILED, OUTCOME_UNKNOWN } from "../trace/decisions";
import { record } from "../trace/log";
import { Answer } from "./answer";
import { writePodsPath } from "./paths";
import { beginRequest, endPath, frame, JSON_TYPE, POST, Request } from "./request";
import { Step } from "./step";

export class CreatePod extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (sync.batchLeft == 0) return null;
    // The Job may have a new template since the sync began.
    if (sync.retryAfterMs > 0 || !hasTemplate(job, sync)) {
      sync.batchLeft = 0;
      sync.toCreate = 0;
      return null;
    }
    const index = takeNextIndex(job, sync);
    const request = beginRequest(POST, job, null);
    writePodsPath(job.namespace);
    endPath(JSON_TYPE);
    writePod(job, index, delayedPod(job, index), sync.podGroup);
    return request;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    const facts = answer.takePod();
    if (facts !== null) {
      if (sync !== null) ++sync.created;
      noteCreated(sync, false);
      if (!job.gone) announceCreated(job, request.decision, facts.name, facts.nameSize);
      return;
    }
    if (!answer.saysWhatWasDone()) {
      markPodsUnclear(job);
      if (!job.gone) record(job, OUTCOME_UNKNOWN);
    } else if (!job.gone) {
      noteRefused(job, sync, answer);
    }
    if (sync !== null) {
      ++sync.createFailures;
      sync.fail();
    }
  }
}

// Writes the pod. The successor of a failed pod takes over that pod's failure counts, and adds its failure to one of
// them.
function writePod(job: Job, index: i32, predecessor: Pod | null, podGroup: usize): void {
  let failures = 0;
  let ignored = 0;
  if (predecessor !== null) {
    const wasIgnored = predecessor.policyAction == ACTION_IGNORE;
    failures = predecessor.indexFailures + (wasIgnored ? 0 : 1);
    ignored = predecessor.indexIgnoredFailures + (wasIgnored ? 1 : 0);
  }
  job.podTemplate!.write(frame, job, index, failures, ignored, podGroup);
}

function noteRefused(job: Job, sync: Sync | null, answer: Answer): void {
  const error = answer.readError();
  const message = error.message;
  const decision = record(job, CREATE_FAILED, message, answer.status);
  // A namespace that is being deleted deletes its Jobs too, so no event is written, as in upstream. Pods that wait for
  // a successor would delay the deletion.
  if (error.isNamespaceTerminating) {
    endAllDelays(job);
    return;
  }
  // A server that asks to retry later has not refused the pod, so no event is written. Upstream's client retries
  // without the controller noticing.
  if (answer.retryAfterMs == 0) announceCreateFailed(job, decision, blobAt(message), blobSize(message));
  noteCreated(sync, true);
}
