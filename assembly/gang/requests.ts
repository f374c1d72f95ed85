/**
 * The requests for Workloads and PodGroups, and what their answers mean for the sync that waits for them. A creation
 * whose answer was lost fails the sync: the next one finds the object by its name. Source: docs/spec/controller.md
 * section 11.
 */
import { OK, refuse, UNREADABLE_OBJECT } from "../abi/codes";
import { RESOURCE_WORKLOADS } from "../model/sources";
import { errorMessage, readStatusError } from "../ingest/status-error";
import { Writer } from "../json/writer";
import { literal } from "../memory/blob";
import { Job } from "../model/job";
import { announceWorkload } from "../events/announce";
import { Sync } from "../model/sync";
import { takeAnswer } from "../ingest/apply-gang";
import { ANSWER_EXISTS, ANSWER_NONE, ANSWER_SHOWN, failGang, resourceName } from "./ensure";
import * as metadata from "../ingest/metadata";
import * as trace from "../trace";

const NOT_FOUND: i32 = 404;
const CONFLICT: i32 = 409;
const UNREADABLE_ANSWER = literal("the answer holds no object that can be read");

/** The request reads what is in the way of a creation; it has no body then. */
export function isGangRead(sync: Sync): bool {
  return sync.gangAnswer == ANSWER_EXISTS;
}

export function writeGangPath(to: Writer, job: Job, sync: Sync): void {
  to.text("/apis/scheduling.k8s.io/v1alpha2/namespaces/");
  to.blob(job.namespace);
  to.byte(0x2f);
  to.text(resourceName(sync.gangResource));
  if (!isGangRead(sync)) return;
  to.byte(0x2f);
  to.blob(sync.gangName);
}

export function writeGangBody(to: Writer, sync: Sync): void {
  to.blob(sync.gangBody);
}

/** Takes the answer in. Returns a code of the ABI. The sync goes on when it is advanced. */
export function settleGang(job: Job, sync: Sync | null, status: i32, body: usize, bodySize: u32): i32 {
  if (sync === null) return OK;
  const wasRead = isGangRead(sync);
  sync.gangAnswer = ANSWER_NONE;
  if (status >= 200 && status < 300) {
    if (!takeAnswer(body, bodySize, sync.gangResource)) {
      failGang(job, sync, UNREADABLE_ANSWER, status);
      const problem = metadata.problem;
      return refuse(UNREADABLE_OBJECT, problem === null ? "the answer holds no object that can be read" : problem);
    }
    if (wasRead) sync.gangAnswer = ANSWER_SHOWN;
    else if (sync.gangResource == RESOURCE_WORKLOADS) noteWorkload(job, sync);
  } else if (!wasRead && status == CONFLICT) {
    sync.gangAnswer = ANSWER_EXISTS;
  } else if (!wasRead || status != NOT_FOUND) {
    readStatusError(body, bodySize, status);
    failGang(job, sync, errorMessage(), status);
  }
  return OK;
}

function noteWorkload(job: Job, sync: Sync): void {
  sync.madeWorkload = true;
  trace.record(job, trace.WORKLOAD_CREATED, sync.gangName, job.parallelism);
  announceWorkload(job, sync.gangName);
}
