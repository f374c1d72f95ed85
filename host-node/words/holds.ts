/**
 * What holds a Job, in the words of `account`, beside the explanation of its controller: so that every text has the
 * same sentence about the same.
 */
import type { Account, Explanation, Hold } from "../../bindings/js/engine.ts";

/** Each controller says these of its Job, with the times that it alone knows. */
const EXPLAINED: ReadonlySet<Hold["code"]> = new Set([
  "Backoff",
  "Deleting",
  "NoController",
  "NoPods",
  "NotConfirmed",
  "ParallelismIsZero",
]);

/** Sentences, the most important first. @param account undefined: it is not known */
export function holdSentences(account: Account | undefined): string[] {
  return (account?.holds ?? []).filter((hold) => !isExplained(hold)).map(({ sentence }) => sentence);
}

function isExplained({ code, by }: Hold): boolean {
  return EXPLAINED.has(code) || (code === "Suspended" && by === "");
}

/** What a Job waits for, and all that holds it, in one sentence. @param account undefined: it is not known */
export function heldSentence(account: Account | undefined, explanation: Explanation): string {
  const holds = holdSentences(account);
  // That of the account has the first one already.
  return holds.length === 0 ? explanation.sentence : joined(account!.sentence, holds);
}

function joined(sentence: string, holds: readonly string[]): string {
  return [sentence, ...holds.filter((hold) => !sentence.includes(hold))].join("; ");
}
