/** The rules of lint: that each is well-formed, which the engine relies on, and that the documents have them all. */
import { describe, expect, test } from "vitest";
import { ABI, meanings } from "../../scripts/decisions-page.ts";
import {
  abiWithLintRules,
  LINT_PAGE,
  lintPageWith,
  type LintRule,
  readLintRules,
  rulesIn,
  ruleTexts,
  TEXTS_FILE,
} from "../../scripts/lint-page.ts";
import { read } from "./sources.ts";

const rules = readLintRules();
const page = read(LINT_PAGE);

/** Of assembly/lint/advice.ts and settings.ts. */
const MAX_NUMBERS = 3;
const MAX_CODE_LENGTH = 63;

function faultsOf({ code, numbers, sentence, fix }: LintRule): string[] {
  const faults: string[] = [];
  for (const [, placeholder] of `${sentence}${fix}`.matchAll(/\{([^}]*)\}/g)) {
    const [number, format] = placeholder!.split(":") as [string, string?];
    if (number !== "text" && !numbers.includes(number)) faults.push(`it has no number ${number}`);
    if (format !== undefined && !["span", "s", "times"].includes(format)) faults.push(`no format ${format}`);
  }
  for (const words of [sentence, fix])
    if (!/^[a-z{][\x20-\x7e]{10,}[^.]$/.test(words) || /[[\]|]/.test(words)) faults.push(`no sentence: ${words}`);
  if (numbers.some((number) => !/^[a-z]+([A-Z][a-z]*)*$/.test(number))) faults.push("names of numbers are letters");
  if (numbers.length > MAX_NUMBERS) faults.push("it has too many numbers");
  if (code.length > MAX_CODE_LENGTH) faults.push("its code is too long");
  return faults.map((fault) => `${code}: ${fault}`);
}

describe("the rules of lint", () => {
  test("are well-formed, each with a unique code", () => {
    expect(rules.length).toBeGreaterThanOrEqual(15);
    expect(rules.flatMap(faultsOf)).toEqual([]);
    expect(new Set(rules.map(({ code }) => code)).size).toBe(rules.length);
  });

  test("the rule catches what is not", () => {
    const source = (numbers: string, sentence: string, list = "ONE_TWO") =>
      `const ONE_TWO = rule("OneTwo", "${numbers}", "${sentence}", "do something else", "warn");\n` +
      `export const SOME_RULES: StaticArray<Rule> = [${list}];\n`;
    const faults = (...words: Parameters<typeof source>) => rulesIn(source(...words), "some.ts").flatMap(faultsOf);
    expect(faults("pods", "there are {pods} pod{pods:s}")).toEqual([]);
    expect(faults("pods", "there are {pod} pods")).toHaveLength(1);
    expect(faults("pods", "there are {pods:clock} pods")).toHaveLength(1);
    expect(faults("pods", "There are pods.")).toHaveLength(1);
    expect(faults("a,b,c,d", "there are pods here")).toHaveLength(1);
    expect(() => faults("", 'a "quotation"')).toThrow("is no rule");
    expect(() => faults("", "there are pods here", "ONE")).toThrow("the list of assembly/lint/some.ts has ONE");
  });
});

describe("the documents of lint", () => {
  test("are as `npm run abi` writes them", () => {
    expect(lintPageWith(page, rules)).toBe(page);
    expect(abiWithLintRules(read(ABI), rules, page)).toBe(read(ABI));
    expect(read(TEXTS_FILE)).toBe(ruleTexts(rules, page));
  });

  test("say of each rule what it means, what to do, and give an example", () => {
    const written = [...meanings(page)];
    expect(written.map(([code]) => code).sort()).toEqual(rules.map(({ code }) => code).sort());
    const wrong = written.filter(
      ([, text]) => !/^[A-Z`*][\s\S]{20,}\n\n\*\*What to do:\*\* \S[\s\S]*```yaml\n[\s\S]*```$/.test(text),
    );
    expect(wrong).toEqual([]);
  });
});
