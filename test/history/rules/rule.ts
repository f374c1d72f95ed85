/** What a rule is: a sentence, and a look through a history for what breaks it. */
import type { History } from "../history.ts";

export interface Rule {
  /** The rule in words; findings and tests call it by them. */
  readonly name: string;
  /** What breaks it, a sentence each. */
  breaches(history: History): Iterable<string>;
}
