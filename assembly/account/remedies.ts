/**
 * What to do about a Job: at most two remedies, those for what holds it first, then that for its last failure.
 * Invariant: no command is named twice, and a Job that has succeeded needs none.
 */
import { remedyOfEnd, moreTime } from "./end-remedies";
import { Hold } from "./hold";
import { remedyOfHold } from "./hold-remedies";
import { Held } from "./holds";
import { Remedy } from "./remedy";

const MAX_REMEDIES: i32 = 2;

/** @param last the index of the attempt that failed last; -1: none has */
export function remediesOf(held: Held, holds: Hold[], last: i32): Remedy[] {
  const found = new Array<Remedy>();
  const judgement = held.judgement;
  if (judgement.decided == "Succeeded") return found;
  for (let i = 0; i < holds.length; i++) add(found, remedyOfHold(holds[i], held));
  if (judgement.decided == "Failed" && judgement.reason == "DeadlineExceeded") add(found, moreTime(held));
  // A failure that neither ended the Job nor delays it needs nothing.
  const matters = judgement.decided == "Failed" || judgement.verdict == "Retrying";
  if (last >= 0 && matters) add(found, remedyOfEnd(held.attempts[last], held.ends[last]!, held));
  return found;
}

function add(to: Remedy[], remedy: Remedy | null): void {
  if (remedy === null || to.length == MAX_REMEDIES) return;
  for (let i = 0; i < to.length; i++) if (to[i].command == remedy.command) return;
  to.push(remedy);
}
