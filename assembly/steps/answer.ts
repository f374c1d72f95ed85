/**
 * What an answer says about the outcome of a request. Status 0 means that the outcome is unknown: it counts neither as
 * success nor, for a creation, as failure. An answer that no API server gives counts as unknown too: a success without
 * the requested object, or an error without a Status that a proxy may have produced. An object in an answer is read
 * like a watch event.
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

/** One answer, with the object in it if there is one. */
@unmanaged
export class Answer {
  /** How long the server asks to wait, in milliseconds; 0: it does not ask. */
  retryAfterMs: f64;
  body: usize;
  bodySize: u32;
  /** HTTP status; 0: the outcome is unknown. */
  status: i32;
  /** A code of the ABI that the host gets: whether the object in the answer could be read. */
  code: i32;

  get isSuccess(): bool {
    return this.status >= 200 && this.status < 300;
  }

  /** Whether the server asks to retry later. */
  get isPutOff(): bool {
    return this.retryAfterMs > 0 && !this.isSuccess;
  }

  /**
   * Whether the API server says that there is no such object. A 404 of a proxy says nothing about the object.
   */
  isNotFound(): bool {
    return this.status == NOT_FOUND && isStatus(this.body, this.bodySize);
  }

  /**
   * Whether the answer says what the API server did. An answer of a proxy does not. The server's own errors are a
   * Status, except those of its outermost filters, which refuse a request unread (400, 429, …). After a timeout (408,
   * 504) the server itself does not know the outcome.
   */
  saysWhatWasDone(): bool {
    const status = this.status;
    if (status < 400 || status == REQUEST_TIMEOUT || status == GATEWAY_TIMEOUT) return this.isSuccess;
    return status < 500 || isStatus(this.body, this.bodySize);
  }

  /** The pod of a successful answer, read and applied; null: there is none. */
  takePod(): ObjectFacts | null {
    return this.take(true);
  }

  /** The Job of a successful answer, read and applied; null: there is none. */
  takeJob(): ObjectFacts | null {
    return this.take(false);
  }

  /**
   * Whether a deletion succeeded. The answer is the object as it ends, or a Status that only says that it is deleted.
   */
  takeDeletion(isPod: bool): bool {
    return this.isSuccess && (isSuccessStatus(this.body, this.bodySize) || this.take(isPod) !== null);
  }

  /** Reports to the host that the answer cannot be read. */
  refuse(facts: ObjectFacts): void {
    const problem = facts.problem;
    this.code = refuse(UNREADABLE_OBJECT, problem === null ? "the answer holds no object that can be read" : problem);
  }

  /** Reads what an answer says, when it is no success. */
  readError(): StatusError {
    return readStatusError(this.body, this.bodySize, this.status);
  }

  /** Notes that the sync has failed; the decision says why. Returns what the answer says. */
  noteFailure(job: Job, sync: Sync | null, decision: Decision): StatusError {
    const error = this.readError();
    if (sync !== null) sync.fail();
    if (!job.gone) trace.record(job, decision, error.message, this.status);
    return error;
  }

  // Reads and applies the object. A success without an object leaves the outcome unknown.
  private take(isPod: bool): ObjectFacts | null {
    if (!this.isSuccess) return null;
    const facts = takeAnswer(this.body, this.bodySize, isPod);
    if (facts.isTaken) return facts;
    this.refuse(facts);
    this.status = 0;
    return null;
  }
}
