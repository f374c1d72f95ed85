/**
 * Why nothing happens with a Job, for the end of a line: what holds it, in the words of `account`; the times of a
 * back-off are the controller's. A pure function.
 */
import type { Explanation } from "../../../bindings/js/engine.ts";
import { spanText } from "../../../cluster/values/time-span.ts";
import { printable } from "../../words/printable.ts";

/** Decisions that need no text, because the counts show that the Job progresses. */
const GOES_ON = new Set([
  "NotListed",
  "Queued",
  "AtWork",
  "Creating",
  "Counted",
  "WaitingForPods",
  "DeletingSurplus",
  "Claiming",
  "CompletionsReached",
  "Ended",
  "Complete",
  "Failed",
  "Succeeding",
  "SuccessPolicyMet",
]);

/**
 * `next pod in 7 s (back-off 10 s)`, `1 pod has no node: …`, else the sentence of the decision that holds the Job.
 * Empty: nothing holds it, or the engine does not know the Job, because the Job is gone and its last pods stop.
 * @param holdOf is asked only if it is needed; undefined: the account knows no hold
 */
export function holdText(explanation: Explanation, holdOf: () => string | undefined): string {
  const { found, code = "", numbers = {}, sentence } = explanation;
  if (!found || GOES_ON.has(code)) return "";
  const { remainingMs = 0, backoffMs = 0, index = 0 } = numbers;
  if (code === "Backoff") return `next pod in ${spanText(remainingMs)} (back-off ${spanText(backoffMs)})`;
  if (code === "IndexBackoff")
    return `index ${index} again in ${spanText(remainingMs)} (back-off ${spanText(backoffMs)})`;
  return printable(holdOf() ?? sentence);
}
