/**
 * Reads the Job once more before it adopts pods. If it was deleted or recreated in the meantime, it adopts nothing.
 * Source: docs/spec/controller.md 2.7; controller_ref_manager.go RecheckDeletionTimestamp.
 */
import { CLOSE_PARENTHESIS, SLASH } from "../json/punctuation";
import { Writer } from "../json/writer";
import { blobIs, blobOf, freeBlob } from "../memory/blob";
import { Job } from "../model/job";
import { Pod } from "../model/pod";
import { Sync } from "../model/sync";
import { firstAdoption } from "../sync/claiming";
import { TIME_BYTES, writeTime } from "../time/rfc3339";
import { CLAIM_FAILED } from "../trace/decisions";
import { record } from "../trace/log";
import { Answer } from "./answer";
import { writeJobPath } from "./paths";
import { beginRequest, endPath, GET, NO_BODY, Request } from "./request";
import { Step } from "./step";

const problem = new Writer(256);

export class RecheckJob extends Step {
  handOut(job: Job, sync: Sync): Request | null {
    return sync.takeRequest() ? readJob(job) : null;
  }

  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {
    const pod: Pod | null = sync === null ? null : firstAdoption(sync);
    problem.reset();
    problem.text("can't adopt Pod ");
    if (pod !== null) writeIdentity(pod.namespace, pod.name, pod.uid);
    problem.text(": ");
    if (mayAdopt(job, answer)) return;
    const text = blobOf(problem.start, problem.length);
    record(job, CLAIM_FAILED, text, answer.status);
    freeBlob(text);
    if (sync !== null && !job.gone) {
      sync.fail();
      sync.adopts = false;
    }
  }
}

/** A request for the Job as the server has it. */
export function readJob(job: Job): Request {
  const request = beginRequest(GET, job, null);
  writeJobPath(job);
  endPath(NO_BODY);
  return request;
}

// Whether the Job may adopt pods. If not, `problem` says why.
function mayAdopt(job: Job, answer: Answer): bool {
  const facts = answer.takeJob();
  if (facts === null) {
    problem.text("can't recheck DeletionTimestamp: ");
    problem.blob(answer.readError().message);
    return false;
  }
  if (!blobIs(job.uid, facts.uid, facts.uidSize)) {
    problem.text("can't recheck DeletionTimestamp: original Job ");
    writeIdentity(job.namespace, job.name, 0);
    problem.text(" is gone: got uid ");
    problem.bytes(facts.uid, facts.uidSize);
    problem.text(", wanted ");
    problem.blob(job.uid);
    return false;
  }
  if (isNaN(facts.deletionMs)) return true;
  writeIdentity(job.namespace, job.name, 0);
  problem.text(" has just been deleted at ");
  writeTime(facts.deletionMs, problem.grow(u32(TIME_BYTES)));
  problem.length += u32(TIME_BYTES);
  return false;
}

// Writes `<namespace>/<name>` and, unless `uid` is 0, ` (<uid>)`.
function writeIdentity(namespace: usize, name: usize, uid: usize): void {
  problem.blob(namespace);
  problem.byte(SLASH);
  problem.blob(name);
  if (uid == 0) return;
  problem.text(" (");
  problem.blob(uid);
  problem.byte(CLOSE_PARENTHESIS);
}
