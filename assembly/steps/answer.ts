/**
 * What an answer says of what was done. A status of 0 is an outcome that nobody knows; it is never taken for success
 * nor, for a creation, for failure. So is an answer that no API server gives: a success without the object that was
 * asked for, an error without a Status where a proxy may have made it. What is in an answer is taken in like a watch
 * event.
 */
import { refuse, UNREADABLE_OBJECT } from "../abi/codes";
import { takeAnswer } from "../ingest/documents";
import { ObjectFacts } from "../ingest/object-facts";
import { isStatus, isSuccessStatus, readStatusError, StatusError } from "../ingest/status-error";
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import * as trace from "../trace";
import { Decision } from "../trace/row";

export const NOT_FOUND: i32 = 404;
const REQUEST_TIMEOUT: i32 = 408;
export const CONFLICT: i32 = 409;
export const INVALID: i32 = 422;
const GATEWAY_TIMEOUT: i32 = 504;

@unmanaged
export class Answer {
  /** How long the server asks to wait; 0: it does not. */
  retryAfterMs: f64;
  body: usize;
  bodySize: u32;
  /** HTTP status; 0: the outcome is unknown. */
  status: i32;
  /** What the host is told, a code of the ABI: whether the object in it could be read. */
  code: i32;

  get isSuccess(): bool {
    return this.status >= 200 && this.status < 300;
  }

  /** The server asks to come again later. */
  get isPutOff(): bool {
    return this.retryAfterMs > 0 && !this.isSuccess;
  }

  /** There is no such object. A proxy that knows no such page says nothing of it. */
  isNotFound(): bool {
    return this.status == NOT_FOUND && isStatus(this.body, this.bodySize);
  }

  /**
   * What is answered on the way to the API server says nothing of what that has done. Its own errors are a Status, but
   * for those of its outermost filters, which refuse a request unread (400, 429…), and when a time is over it does not
   * know itself what is done yet.
   */
  saysWhatWasDone(): bool {
    const status = this.status;
    if (status < 400 || status == REQUEST_TIMEOUT || status == GATEWAY_TIMEOUT) return this.isSuccess;
    return status < 500 || isStatus(this.body, this.bodySize);
  }

  /** Success, with a pod that could be read and is taken in. Null: there is none. */
  takePod(): ObjectFacts | null {
    return this.take(true);
  }

  /** Success, with a Job that could be read and is taken in. Null: there is none. */
  takeJob(): ObjectFacts | null {
    return this.take(false);
  }

  /** Success of a deletion: the object as it ends, or a Status that says no more than that it is deleted. */
  takeDeletion(isPod: bool): bool {
    return this.isSuccess && (isSuccessStatus(this.body, this.bodySize) || this.take(isPod) !== null);
  }

  /** The host is told that the answer holds nothing that can be read. */
  refuse(facts: ObjectFacts): void {
    const problem = facts.problem;
    this.code = refuse(UNREADABLE_OBJECT, problem === null ? "the answer holds no object that can be read" : problem);
  }

  /** What it says that is no success. */
  readError(): StatusError {
    return readStatusError(this.body, this.bodySize, this.status);
  }

  /** The sync has failed, and the decision says why. Returns what the answer says. */
  noteFailure(job: Job, sync: Sync | null, decision: Decision): StatusError {
    const error = this.readError();
    if (sync !== null) sync.fail();
    if (!job.gone) trace.record(job, decision, error.message, this.status);
    return error;
  }

  // A success without an object leaves the outcome unknown.
  private take(isPod: bool): ObjectFacts | null {
    if (!this.isSuccess) return null;
    const facts = takeAnswer(this.body, this.bodySize, isPod);
    if (facts.isTaken) return facts;
    this.refuse(facts);
    this.status = 0;
    return null;
  }
}
