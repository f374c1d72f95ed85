/**
 * The outcome of a request: its step is told (steps/table.ts), and the sync that waits for it goes on. Knows no kind of
 * request.
 */
import { OK, refuse, UNKNOWN_REQUEST } from "../abi/codes";
import { makeJobReady } from "../queue/ready-queue";
import { Answer } from "../steps/answer";
import { freeRequest } from "../steps/request";
import { STEPS } from "../steps/table";
import { now } from "../time/now";
import { takeInFlight } from "./in-flight";

/** Nobody is put off for longer than a day. */
const MAX_RETRY_AFTER_MS: f64 = 86400000;

const answer = changetype<Answer>(memory.data(offsetof<Answer>(), 8));

/** Returns a code of the ABI. `retryAfterMs`: what the server asks for; 0, NaN or less: it does not. */
export function settleRequest(id: f64, status: i32, body: usize, bodySize: u32, retryAfterMs: f64): i32 {
  const request = takeInFlight(id);
  if (request === null)
    return refuse(UNKNOWN_REQUEST, "no request of this id is under way: it was settled before, or never handed out");
  answer.status = status;
  answer.body = body;
  answer.bodySize = bodySize;
  answer.retryAfterMs = retryAfterMs > 0 ? min(Math.ceil(retryAfterMs), MAX_RETRY_AFTER_MS) : 0;
  answer.code = OK;
  const step = unchecked(STEPS[request.step]);
  const job = request.job;
  if (job === null) {
    step.settleBeside(request, answer);
  } else {
    step.settle(job, job.sync, request, answer);
    const sync = job.sync;
    if (sync !== null) {
      --sync.outstanding;
      if (answer.isPutOff) {
        sync.retryAfterMs = max(sync.retryAfterMs, answer.retryAfterMs);
        job.notBeforeMs = max(job.notBeforeMs, now() + answer.retryAfterMs);
      }
      makeJobReady(job);
    }
  }
  freeRequest(request);
  return answer.code;
}
