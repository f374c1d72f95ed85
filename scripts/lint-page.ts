/**
 * A part of `npm run abi`: puts what assembly/lint/ says of each rule into docs/lint.md, and both into the
 * table of bindings/ABI.md, as decisions-page.ts does with decisions. `test/tidy/` checks that both are current.
 *
 * In the page a rule is a heading `### Code`; the quotation and the line `Severity:` below it are the rule's, and the
 * rest is written by hand.
 */
import { readFileSync, writeFileSync } from "node:fs";
import path from "node:path";
import { constantCase } from "./abi-words/prose.ts";
import { RULE_CALL } from "./build-engine.ts";
import {
  ABI,
  filled,
  firstSentence,
  meanings,
  pageWithSections,
  quoted,
  readable,
  tableLine,
  withTable,
} from "./decisions-page.ts";

export const LINT_PAGE = "docs/lint.md";
const FOLDER = "assembly/lint";
/** The files with rules, as assembly/lint/settings.ts lists them: the order of the documents. */
const FILES = [
  "retries.ts",
  "after-end.ts",
  "cron-job.ts",
  "hooks.ts",
  "size.ts",
  "around.ts",
  "policy.ts",
  "policy-containers.ts",
  "template.ts",
];
const ROW = new RegExp(`^(const) [A-Z_]+ = ${RULE_CALL.source};$`);
const TABLE = "| code | severity | numbers | meaning |\n|---|---|---|---|\n";
const root = path.resolve(import.meta.dirname, "..");

export interface LintRule {
  /** The code that hosts see: `NoDeadline`. */
  readonly code: string;
  readonly numbers: readonly string[];
  readonly sentence: string;
  readonly fix: string;
  /** The severity without settings. */
  readonly severity: string;
}

/** The rules of the engine, in the order of {@link FILES}. */
export function readLintRules(): LintRule[] {
  return FILES.flatMap((file) => rulesIn(readFileSync(path.join(root, FOLDER, file), "utf8"), file));
}

/**
 * The rules in one file, in their order.
 *
 * @throws Error naming the constant that is no rule, or the list of the file that lacks one
 */
export function rulesIn(source: string, file: string): LintRule[] {
  const constants: string[] = [];
  const rules = [...source.matchAll(/^const (\w+) = rule\([\s\S]*?\n?\);$/gm)].map(([text, constant]) => {
    const [, , code, numbers, sentence, fix, severity] = ROW.exec(text) ?? [];
    if (code === undefined || constant !== constantCase(code))
      throw new Error(`${FOLDER}/${file} has what is no rule whose constant has the words of its code: ${text}`);
    constants.push(constant);
    const names = numbers!.split(",").filter((name) => name !== "");
    return { code, numbers: names, sentence: sentence!, fix: fix!, severity: severity! };
  });
  const [, list = ""] = /_RULES: StaticArray<Rule> = \[([^\]]*)\];/.exec(source) ?? [];
  const listed = [...list.matchAll(/\w+/g)].map(([constant]) => constant);
  if (listed.join() !== constants.join())
    throw new Error(`the list of ${FOLDER}/${file} has ${listed.join()}; its rules are ${constants.join()}`);
  return rules;
}

/** The page with the content of the rules. */
export function lintPageWith(page: string, rules: readonly LintRule[]): string {
  return pageWithSections(
    page,
    { file: LINT_PAGE, of: "rule" },
    new Map(rules.map((rule) => [rule.code, generated(rule)])),
  );
}

/** ABI.md with its table of rules regenerated. */
export function abiWithLintRules(document: string, rules: readonly LintRule[], page: string): string {
  const written = meanings(page);
  const line = ({ code, severity, numbers }: LintRule): string =>
    tableLine([`\`${code}\``, severity, quoted(numbers), firstSentence(LINT_PAGE, code, written.get(code) ?? "")]);
  return withTable(document, TABLE, rules.map(line));
}

function generated({ sentence, fix, severity, numbers }: LintRule): string {
  const words = readable(`${sentence}. Fix: ${fix}.`);
  const line = `Severity: ${severity}.${numbers.length === 0 ? "" : ` Numbers: ${quoted(numbers)}.`}`;
  return [filled(words, "> "), filled(line, ""), ""].join("\n\n");
}

/** The file with the texts of `stint lint` about each rule in SARIF. */
export const TEXTS_FILE = "host-node/cli/lint/rule-texts.json";

/** Its content: the first sentence of the page, and the severity. */
export function ruleTexts(rules: readonly LintRule[], page: string): string {
  const written = meanings(page);
  const texts = rules.map(({ code, severity }) => [
    code,
    { meaning: `${firstSentence(LINT_PAGE, code, written.get(code) ?? "").replaceAll("`", "")}.`, severity },
  ]);
  return `${JSON.stringify(Object.fromEntries(texts), null, 2)}\n`;
}

if (import.meta.main) {
  const rules = readLintRules();
  const [pageFile, abiFile] = [path.join(root, LINT_PAGE), path.join(root, ABI)];
  const page = lintPageWith(readFileSync(pageFile, "utf8"), rules);
  const abi = abiWithLintRules(readFileSync(abiFile, "utf8"), rules, page);
  writeFileSync(pageFile, page);
  writeFileSync(abiFile, abi);
  writeFileSync(path.join(root, TEXTS_FILE), ruleTexts(rules, page));
}
