/**
 * What an invariant is: something that listens to a run and says so when a rule is broken. Its name is what a failure
 * is called by, in reports and in the tests that plant bugs.
 */
import type { Explanation, PollResult } from "../../../bindings/js/engine.ts";
import type { ApiResponse } from "../../../bindings/js/host.ts";
import type { ControllerProcess, Seen } from "../controller-process.ts";
import type { JobFacts, PodFacts } from "../facts.ts";
import type { Traffic } from "../faulty-transport.ts";
import type { EngineMetrics } from "../../../bindings/js/metrics.ts";
import type { GangFacts, Write } from "../ledger.ts";
import type { Sent } from "./requests.ts";

/** Every rule, by the name that a failure goes by. */
export const INVARIANTS = [
  "a finalizer goes only after its pod is counted",
  "counted after its finalizer is off",
  "counted as what it is",
  "counted once",
  "counters never go back",
  "succeeded is the number of completed indexes",
  "intervals are canonical",
  "failed indexes have a cause",
  "indexes are in range",
  "no index is started without cause",
  "no more pods than wanted",
  "suspended Jobs create nothing",
  "Jobs at their end create nothing",
  "back-off is kept",
  "failure counts are handed on",
  "pods are as the template of now says",
  "nothing is created while pods are unclear",
  "nothing is decided while pods are unclear",
  "pods are created for live Jobs",
  "pods are deleted for a reason",
  "a terminal condition comes last",
  "the end has a cause",
  "finished Jobs are left alone",
  "finished Jobs are removed in their time",
  "the Suspended condition follows the spec",
  "others' Jobs are left alone",
  "others' pods are left alone",
  "claims have a cause",
  "one claim of a pod at a time",
  "a Job is read before it adopts",
  "nothing follows a failed claim",
  "pods are claimed in the end",
  "gangs come before their pods",
  "pods are of their gang",
  "a Job has one gang",
  "gangs are as large as their Jobs ask for",
  "metrics never go down",
  "metrics count what was stored",
  "metrics time what they count",
  "no request is refused",
  "statuses are as the API demands",
  "requests make sense",
  "an Event is written once at a time",
  "requests stay in proportion",
  "no busy loop",
  "explanations come true",
  "the engine lives",
  "every object can be read",
  "everything comes to its end",
  "silence when all is done",
  "only the leader writes",
  "limits are kept",
] as const;
export type InvariantName = (typeof INVARIANTS)[number];

export class Violation extends Error {
  override readonly name = "Violation";
  readonly invariant: InvariantName;

  constructor(invariant: InvariantName, message: string) {
    super(message);
    this.invariant = invariant;
  }
}

/** Every method is called inside what it tells of; each throws a Violation when a rule is broken. */
export interface Check {
  podWritten?(write: Write<PodFacts>): void;
  jobWritten?(write: Write<JobFacts>): void;
  /** A Workload or a PodGroup. */
  gangWritten?(write: Write<GangFacts>): void;
  /** Between two steps: what the engine of a controller has counted. */
  measured?(process: ControllerProcess, metrics: EngineMetrics): void;
  /** In calm, when it waits for no answer: what its engine says about a Job. */
  explained?(process: ControllerProcess, explanation: Explanation): void;
  /** A controller asks for a request. */
  sent?(process: ControllerProcess, sent: Sent): void;
  /** It is handed to the network: at once, or when a fence lets it pass. */
  left?(process: ControllerProcess, traffic: Traffic): void;
  /** The API server has answered it. */
  handled?(process: ControllerProcess, sent: Sent, response: ApiResponse): void;
  /** The controller is given an answer, the API server's or a fault's. */
  answered?(process: ControllerProcess, sent: Sent, response: ApiResponse): void;
  polled?(process: ControllerProcess, result: PollResult): void;
}

export function violate(invariant: InvariantName, message: string): never {
  throw new Violation(invariant, message);
}

/**
 * What `judge` says of a controller as it is now, or was at the latest moment that it has nothing against: a request
 * may have waited since it was decided, for room.
 * @throws Violation as of now when it holds at none
 */
export function firstThatHolds<Verdict>(process: ControllerProcess, judge: (seen: Seen) => Verdict): Verdict {
  let first: unknown;
  for (const seen of process.seen()) {
    try {
      return judge(seen);
    } catch (error) {
      if (!(error instanceof Violation)) throw error;
      first ??= error;
    }
  }
  throw first;
}
