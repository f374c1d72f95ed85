/**
 * The pods of one Job are listed when the answer to the creation of one was lost: a pod may be there that nobody has
 * shown. Unversioned: the answer is the most recent state, a pod of the lost POST included if that was stored. Further
 * pages are of that state. Source: docs/spec/controller.md 3.6, step M9.
 */
import { takePodList } from "../ingest/documents";
import { freeBlob } from "../memory/blob";
import { Job, SELECTS_BY_UID } from "../model/job";
import { relist, RESOURCE_PODS } from "../model/sources";
import { Sync } from "../model/sync";
import { LIST_FAILED } from "../trace/decisions";
import { Answer } from "./answer";
import { writePodsPath } from "./paths";
import { beginRequest, endPath, frame, GET, NO_BODY, Request } from "./request";
import { Step } from "./step";

/** Pods a page. */
const PAGE_LIMIT: i64 = 500;

export class ListPods extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    if (!sync.takeRequest()) return null;
    const request = beginRequest(GET, job, null);
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

  // All pages are of one version, or a pod may be in none of them. A list that breaks off, or is too old to go on
  // (410), starts anew with the next sync.
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
    job.podsUnclear = false;
    // The list has every pod of a Job whose selector was generated. Those of another one the watch has to show, or the
    // next list of its source.
    if (job.selects == SELECTS_BY_UID) return;
    job.podsUnclearUntilVersion = version;
    relist(RESOURCE_PODS, job.namespace);
  }
}
