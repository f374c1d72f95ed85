/**
 * A kind of request. Each has a file of its own in this folder, which says when a request of the kind is handed out,
 * what is sent, what every answer means, and what the trace says of it; table.ts lists them all. A step keeps nothing
 * between calls: what it needs to know of a request when the answer comes stands in the request.
 */
import { Job } from "../model/job";
import { Sync } from "../model/sync";
import { Answer } from "./answer";
import { Request } from "./request";

// ── turns beside the phases of a sync
/** Before Jobs have their turn, for a part of the room. */
export const BEFORE_JOBS: u8 = 254;
/** In the room that Jobs have left. */
export const AFTER_JOBS: u8 = 255;

export class Step {
  /** `turn`: the phase of a sync, or one of the turns above. */
  constructor(readonly turn: u8) {}

  /** The next request of the kind for this sync; null: there is none to ask for now. */
  handOut(job: Job, sync: Sync): Request | null {
    return null;
  }

  /** The same for a kind that no sync asks for. */
  handOutBeside(): Request | null {
    return null;
  }

  /** The request that `handOut` made is answered. `sync`: the Job's sync now, which goes on after this; or null. */
  settle(job: Job, sync: Sync | null, request: Request, answer: Answer): void {}

  /** The same for a request that `handOutBeside` made. */
  settleBeside(request: Request, answer: Answer): void {}
}
