/**
 * Why nothing happens with a Job, in a few words for the end of a line, taken from the engine's explanation. A pure
 * function.
 */
import type { Explanation } from "../../../bindings/js/engine.ts";
import { spanText } from "../../../cluster/values/time-span.ts";
import { counted } from "../../words/counted.ts";
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
 * `next pod in 7 s (back-off 10 s)`, `1 pod Unschedulable: …`, else the sentence of the decision that holds the Job.
 * Empty: nothing holds it, or the engine does not know the Job, because the Job is gone and its last pods stop.
 */
export function holdText({ found, code = "", numbers = {}, sentence, pods = [] }: Explanation): string {
  if (!found) return "";
  const { remainingMs = 0, backoffMs = 0, index = 0 } = numbers;
  if (code === "Backoff") return `next pod in ${spanText(remainingMs)} (back-off ${spanText(backoffMs)})`;
  if (code === "IndexBackoff")
    return `index ${index} again in ${spanText(remainingMs)} (back-off ${spanText(backoffMs)})`;
  const [stuck] = pods;
  if (code === "PodsStuck" && stuck !== undefined) {
    const { count, reason, message } = stuck;
    return printable(`${counted(count, "pod")} ${reason}${message === undefined ? "" : `: ${message}`}`);
  }
  return GOES_ON.has(code) ? "" : printable(sentence);
}
