/**
 * What holds a Job, beside what the explanation of its controller says in its own words: suspensions and by whom,
 * refusals, containers that keep a pod, nodes and finalizers that do not let one go.
 */
import type { Account, Explanation, Hold } from "../../bindings/js/engine.ts";

/** Each controller says these of its Job. */
const EXPLAINED: ReadonlySet<Hold["code"]> = new Set([
  "Backoff",
  "Deleting",
  "NoController",
  "NoPods",
  "NotConfirmed",
  "ParallelismIsZero",
]);

/** Sentences, the most important first. */
export function holdSentences({ holds }: Account, { sentence, pods = [] }: Explanation): string[] {
  const reasons = new Set(pods.map(({ reason }) => reason));
  return holds.filter((hold) => !isExplained(hold, sentence, reasons)).map((hold) => hold.sentence);
}

/** What a Job waits for, with what holds it beside that. @param account undefined: it is not known */
export function heldSentence(account: Account | undefined, explanation: Explanation): string {
  const holds = account === undefined ? [] : holdSentences(account, explanation);
  return [explanation.sentence, ...holds].join("; ");
}

// The explanation names the reasons of pods that wait, and the messages of refusals.
function isExplained({ code, by, reason, message }: Hold, sentence: string, reasons: ReadonlySet<string>): boolean {
  if (EXPLAINED.has(code)) return true;
  if (code === "Suspended") return by === "";
  if (code === "Terminating") return reason === "GracePeriod";
  if (code === "CreationRefused") return sentence.includes(message);
  return code !== "GangUnscheduled" && reasons.has(reason);
}
