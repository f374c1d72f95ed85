/**
 * A kind of request. (Where comments of sync/ name step S19, they mean the specification's.) Each kind has one file in
 * this folder, which says when a request of the kind is handed out, what is sent, what every answer means, and what the
 * trace says about it. table.ts lists all kinds. Invariant: a step is stateless; what it needs for the answer is in the
 * request.
 */
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import { Answer } from "./answer";
import { Request } from "./request";

// ── turns beside the phases of a sync
/** Before the Jobs. These requests get a part of the poll's request limit. */
export const BEFORE_JOBS: u8 = 254;
/** After the Jobs, with what they leave of the poll's request limit. */
export const AFTER_JOBS: u8 = 255;

/** One kind of request. It overrides `handOut` and `settle`, or the two for requests that no sync asks for. */
export class Step {
  /** `turn` is the phase of a sync, or one of the turns above. */
  constructor(readonly turn: u8) {}

  /**
   * The next request of this kind for this sync; null: there is none now. A request without a decision carries out the
   * one that the sync made.
   */
  handOut(job: Job, sync: Sync): Request | null {
    return null;
  }

  /** The same, for a kind that no sync asks for. */
  handOutBeside(): Request | null {
    return null;
  }

  /**
   * The request that `handOut` made is answered. `sync` is the present sync of the Job, which continues after this;
   * null: it has none.
   */
  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {}

  /** The same, for a request that `handOutBeside` made. */
  settleBeside(request: Request, answer: Answer): void {}
}
