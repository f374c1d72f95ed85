/**
 * Classifies the code of a decision for its mark: it waits, it ends badly, it ends well, or it continues.
 *
 * Invariant: an unknown code counts as continuing. The codes are those of docs/decisions.md.
 */

export type Tone = "waits" | "fails" | "succeeds" | "goes-on";

const WAITS: ReadonlySet<string> = new Set(["Backoff", "IndexBackoff", "Retry", "Suspending", "Suspended"]);
const SUCCEEDS: ReadonlySet<string> = new Set(["CompletionsReached", "SuccessPolicyMet", "Complete"]);
const FAILS =
  /^(TooMany(Failures|Restarts|FailedIndexes)|DeadlinePassed|PolicyFailsJob|IndexesFailed|Refused|Unreadable|[A-Z]\w*Failed|OutcomeUnknown|NoLabels|TemplateUnreadable|StatusNotSent)$/;

/** There are few codes, and many decisions. */
const known = new Map<string, Tone>();

export function toneOf(code: string): Tone {
  let tone = known.get(code);
  if (tone === undefined) known.set(code, (tone = toneOfCode(code)));
  return tone;
}

function toneOfCode(code: string): Tone {
  if (WAITS.has(code)) return "waits";
  if (SUCCEEDS.has(code)) return "succeeds";
  return FAILS.test(code) ? "fails" : "goes-on";
}
