/** What `stint wait` says of Jobs, as documents. */
import type { Hold, Verdict } from "../../../bindings/js/engine.ts";
import type { LastFailure } from "../../words/job-view.ts";
import type { Document } from "../json/document.ts";
import type { Outcome } from "./outcome.ts";

/** A Job whose state has changed, or for which the wait is over. */
export interface JobWait extends Document<"JobWait">, Verdict {
  readonly namespace: string;
  readonly job: string;
  readonly uid: string;
  /**
   * How the wait for it is over: `reached` its goal; `missed`: it has ended otherwise; `deleted`; `stuck` for too long;
   * `timedOut`, `interrupted`: the whole wait is over. Null: the wait goes on.
   */
  readonly outcome: Outcome["kind"] | "timedOut" | "interrupted" | null;
  /** Of a Job that has failed: the pod that failed last. */
  readonly lastFailure?: LastFailure | undefined;
  /** Of a Job that has not ended when the wait for it is over: what keeps it from going on. */
  readonly holds?: readonly Hold[] | undefined;
}

/** The last known of each Job; a tool of `stint mcp` answers with it. */
export interface WaitReport extends Document<"WaitReport"> {
  /** The time is over, and some have not ended. */
  readonly timedOut: boolean;
  readonly jobs: readonly JobWait[];
}
