/**
 * A rule of lint: `rule("Code", "numbers", "sentence", "fix", "severity")`. The sentence and the fix have placeholders,
 * as trace/sentence.ts explains them; the severity is the one without settings.
 *
 * A rule stands in the file that looks for what it is about, and in the list of that file. When you add one, also write
 * in docs/lint.md what it means, and add its vectors in test/vectors/lint/. `npm run abi` brings that page,
 * bindings/ABI.md and the bindings up to date.
 */
import { literal } from "../memory/blob";

/** The address of a rule: a blob, `Code(numbers)sentence|fix|severity`. Without a severity it is warn. */
export type Rule = usize;

export function rule(code: string, numbers: string, sentence: string, fix: string, severity: string): Rule {
  return literal(code + "(" + numbers + ")" + sentence + "|" + fix + "|" + (severity == "warn" ? "" : severity));
}
