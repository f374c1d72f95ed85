/**
 * Passes the outcome of a request to its step (steps/table.ts), and continues the sync that waits for it. This file
 * knows no kind of request.
 */
import { OK, refuse, UNKNOWN_REQUEST } from "../abi/codes";
import { putOff } from "../queue/job-queue";
import { makeJobReady } from "../queue/ready-queue";
import { Answer } from "../steps/answer";
import { freeRequest } from "../steps/request";
import { STEPS } from "../steps/table";
import { takeInFlight } from "./in-flight";

/** The longest Retry-After that the engine honours: a day. */
const MAX_RETRY_AFTER_MS: f64 = 86400000;

const answer = changetype<Answer>(memory.data(offsetof<Answer>(), 8));

/**
 * Settles the request with this id. Returns a code of the ABI. `status` is the HTTP status; 0: the outcome is unknown.
 * `retryAfterMs` is how long the server asks to wait; 0, less or NaN: it does not ask.
 */
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
        putOff(job, answer.retryAfterMs);
      }
      makeJobReady(job);
    }
  }
  freeRequest(request);
  return answer.code;
}
