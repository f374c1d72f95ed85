/**
 * Comments that silence a rule: `# stint-ignore CODE: reason`. A comment behind something applies to its line. A
 * comment on a separate line applies to the next line that is no comment, or to the whole object if that line is the
 * object's first.
 *
 * Invariant: a comment without a reason, or for an unknown rule, is a mistake and never passed over.
 */
import { LintCode } from "../../../bindings/js/abi.ts";
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import type { InputText } from "../../../cluster/manifests/manifests.ts";
import { similarNames } from "../../../cluster/values/similar-names.ts";
import type { Finding } from "../../lint/finding.ts";

const COMMENT = /(?:^|\s)#\s*stint-ignore\b(.*)$/;
const CONTENT = /^\s*([A-Za-z]+)\s*:\s*(\S.*)$/;
/** Lines that no comment can apply to. */
const SKIPPED = /^\s*(#.*|---.*)?$/;
const CODES: readonly string[] = Object.values(LintCode);

export interface IgnoreComments {
  readonly mistakes: readonly Diagnostic[];
  isIgnored(finding: Finding): boolean;
}

export function ignoreCommentsOf({ file, text }: InputText): IgnoreComments {
  const lines = text.split(/\r?\n/);
  const mistakes: Diagnostic[] = [];
  const subjects = subjectsOf(lines);
  /** `LINE CODE` of each ignored finding. */
  const ignored = new Set<string>();
  for (const [i, line] of lines.entries()) {
    const comment = COMMENT.exec(line);
    if (comment === null) continue;
    const [, code = "", reason] = CONTENT.exec(comment[1]!) ?? [];
    const message = reason === undefined ? WITHOUT_REASON : CODES.includes(code) ? undefined : unknownCode(code);
    if (message !== undefined)
      mistakes.push({ position: { file, line: i + 1, column: line.indexOf("#", comment.index) + 1 }, message });
    else ignored.add(`${subjects[i]! + 1} ${code}`);
  }
  return {
    mistakes,
    isIgnored: ({ code, position, target }) =>
      ignored.has(`${position.line} ${code}`) || ignored.has(`${target.manifest.valueAt("").line} ${code}`),
  };
}

const WITHOUT_REASON = "here is a stint-ignore without a code and a reason; allowed is `# stint-ignore CODE: reason`";

function unknownCode(code: string): string {
  const [similar] = similarNames(code, CODES);
  return `stint-ignore: no rule has the code ${code}${similar === undefined ? "" : `; ${similar} has a similar one`}`;
}

/** For each line, the line that a comment on it applies to: itself, or the next that is no comment. */
function subjectsOf(lines: readonly string[]): number[] {
  const subjects = lines.map((_, i) => i);
  for (let i = lines.length - 2; i >= 0; i--) if (SKIPPED.test(lines[i]!)) subjects[i] = subjects[i + 1]!;
  return subjects;
}
