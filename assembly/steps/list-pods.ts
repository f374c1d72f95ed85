/**
 * Lists the pods of one Job after the answer to a creation was lost: there may be a pod that no source has shown. The
 * request names no version. So the answer is the most recent state; if the lost POST stored a pod, it is there. Further
 * pages show the same state. Source: docs/spec/controller.md 3.6, step M9.
 */
import { takePodList } from "../ingest/documents";
import { freeBlob } from "../memory/blob";
import { Job, SELECTS_BY_UID } from "../model/job";
import { relist, RESOURCE_PODS } from "../model/sources";
import { Sync } from "../model/sync";
import { markPodsListed } from "../model/unclear-pods";
import { LIST_FAILED } from "../trace/decisions";
import { latestDecision } from "../trace/log";
import { Answer } from "./answer";
import { writePodsPath } from "./paths";
import { beginRequest, endPath, frame, GET, NO_BODY, Request } from "./request";
import { Step } from "./step";

/** How many pods a page has at most. */
const PAGE_LIMIT: i64 = 500;

export class ListPods extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (!sync.takeRequest()) return null;
    const request = beginRequest(GET, job, null);
    // The failed creation and its retry were decided before this sync.
    request.decision = latestDecision(job);
    writePodsPath(job.namespace);
    frame.text("?labelSelector=batch.kubernetes.io%2Fcontroller-uid%3D");
    frame.blob(job.uid);
    frame.text("&limit=");
    frame.integer(PAGE_LIMIT);
    if (sync.listToken != 0) {
      frame.text("&continue=");
      frame.queryValue(sync.listToken);
    }
    endPath(NO_BODY);
    return request;
  }

  // All pages must have one version, or a pod may be in none of them. When a list breaks off, or is too old to continue
  // (410), the next sync begins a new one.
  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    if (sync === null) return;
    const list = answer.isSuccess ? takePodList(answer.body, answer.bodySize) : null;
    const version = list === null ? 0 : list.version;
    if (list === null || version == 0 || (sync.listVersion != 0 && sync.listVersion != version)) {
      answer.noteFailure(job, sync, LIST_FAILED);
      sync.breakOff();
      return;
    }
    sync.listVersion = version;
    freeBlob(sync.listToken);
    sync.listToken = list.takeToken();
    if (sync.listToken != 0) {
      sync.askAgain();
      return;
    }
    // For a generated selector, the list has every pod of the Job. For another selector it may not. Then the watch has
    // to show the pods, or the next list of their source.
    const hasAll = job.selects == SELECTS_BY_UID;
    markPodsListed(job, hasAll ? 0 : version);
    if (!hasAll) relist(RESOURCE_PODS, job.namespace);
  }
}
