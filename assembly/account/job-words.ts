/** The one sentence about a Job: its verdict, or what keeps it from going on; and how it failed last. */
import { begin, quoteText, say } from "../verdict/words";
import { Hold } from "./hold";
import { addHold } from "./hold-words";
import { Held } from "./holds";
import { addAttempt } from "./words";

/** Holds that the verdict names too. */
const IN_VERDICT: StaticArray<string> = ["Deleting", "Backoff", "NoPods", "NotConfirmed", "CrashLoopBackOff"];

/**
 * Begins a new sentence.
 *
 * @param last the index of the attempt that failed last; -1: none has
 * @param verdict the sentence of the verdict
 */
export function sayJob(held: Held, holds: Hold[], last: i32, verdict: string): void {
  begin();
  const judgement = held.judgement;
  const isHeld = holds.length > 0 && !judgement.isFinished && !IN_VERDICT.includes(holds[0].code);
  const goesOn = judgement.reason == "PodsActive" || judgement.decided.length > 0;
  if (!isHeld || goesOn) quoteText(verdict);
  if (isHeld) {
    say(goesOn ? "; " : "the Job does not go on: ");
    addHold(holds[0], held.nowMs);
  }
  const isAboutFailure = judgement.decided == "Failed" || judgement.verdict == "Retrying";
  if (last < 0 || !isAboutFailure) return;
  say("; the last failure: ");
  addAttempt(held.attempts[last], held.ends[last]);
}
