/**
 * The rows of the engine's decisions: that each is well-formed, which the engine relies on and never checks, and that
 * the documents have them all.
 */
import { HoldCode } from "../../bindings/js/abi.ts";
import { describe, expect, test } from "vitest";
import { type DecisionRow, readDecisionRows } from "../../scripts/decision-rows.ts";
import { ABI, abiWithRows, meanings, PAGE, pageWithRows } from "../../scripts/decisions-page.ts";
import { files, read } from "./sources.ts";

const rows = readDecisionRows();

/** Of assembly/model/recent-decisions.ts, and MAX_NUMBERS of assembly/explain/job-state.ts. */
const MAX_TRACED_NUMBERS = 4;
const MAX_NUMBERS = 7;
/** What assembly/trace/sentence.ts puts in the place of `{again}`. */
const AGAIN = /^const AGAIN = literal\("(.*)"\);$/m.exec(read("assembly/trace/sentence.ts"))![1]!;

function faultsOf({ name, isDecision, numbers, explainedNumbers, sentence }: DecisionRow): string[] {
  const all = [...numbers, ...explainedNumbers];
  const whole = sentence.replace("{again}", AGAIN);
  const faults: string[] = [];
  for (const [, placeholder] of whole.matchAll(/\{([^}]*)\}/g)) {
    const [number, format] = placeholder!.split(":") as [string, string?];
    if (number !== "text" && !all.includes(number)) faults.push(`it has no number ${number}`);
    if (format !== undefined && !["span", "clock", "s", "times"].includes(format)) faults.push(`no format ${format}`);
  }
  // An optional part has a number in it, and parts do not nest.
  const rest = whole.replace(/\[[^[\]{]*\{\w+(:\w+)?\}[^[\]]*\]/g, "").replace(/\{\w+(:\w+)?\}/g, "");
  if (/[[\]{}]/.test(rest)) faults.push(`brackets that do not match: ${rest}`);
  if (!/^[\x20-\x7e]{10,}$/.test(sentence)) faults.push("a sentence is ASCII, and says something");
  if (all.some((number) => !/^[a-z]+([A-Z][a-z]*)*$/.test(number))) faults.push("names of numbers are letters alone");
  if ((isDecision && numbers.length > MAX_TRACED_NUMBERS) || all.length > MAX_NUMBERS)
    faults.push("it has too many numbers");
  if (!isDecision && explainedNumbers.length > 0) faults.push("all its numbers are those of an explanation");
  if (sentence.includes("{again}") !== explainedNumbers.includes("tries")) faults.push("{again} goes with tries");
  return faults.map((fault) => `${name}: ${fault}`);
}

describe("the rows of decisions", () => {
  test("are well-formed, each with a unique name", () => {
    expect(rows.length).toBeGreaterThan(40);
    expect(rows.flatMap(faultsOf)).toEqual([]);
    expect(new Set(rows.map(({ name }) => name)).size).toBe(rows.length);
  });

  test("the rule catches what is not", () => {
    const row = (numbers: string, sentence: string, kind = "decision") =>
      readDecisionRows(`export const ONE_TWO = ${kind}("OneTwo", "${numbers}", "${sentence}");\n`).flatMap(faultsOf);
    expect(row("pods", "creating {pods} pod{pods:s}")).toEqual([]);
    expect(row("pods", "creating {pod} pods")).toHaveLength(1);
    expect(row("pods", "creating {pods:spam} pods")).toHaveLength(1);
    expect(row("pods", "creating pods[, {pods} of them")).toHaveLength(1);
    expect(row("pods", "creating pods[, and more]")).toHaveLength(1);
    expect(row("a,b,c,d,e", "creating pods")).toHaveLength(1);
    expect(row("a,b;c", "creating pods", "jobState")).toHaveLength(1);
    expect(row("status", "creating a pod failed{again}")).not.toEqual([]);
    expect(row("status2", "creating pods")).toHaveLength(1);
    expect(() => row('"', "creating pods")).toThrow("is no row");
    expect(() => readDecisionRows('export const ONE = decision("Two", "", "creating pods");')).toThrow("same words");
  });
});

describe("the documents of decisions", () => {
  const page = read(PAGE);

  test("are as `npm run abi` writes them", () => {
    expect(pageWithRows(page, rows)).toBe(page);
    expect(abiWithRows(read(ABI), rows, page)).toBe(read(ABI));
  });

  test("say of each decision what it means, and what to do", () => {
    const written = [...meanings(page)];
    expect(written.length).toBe(rows.length);
    expect(written.filter(([, text]) => !/^[A-Z`*][\s\S]{20,}\n\n\*\*What to do:\*\* \S/.test(text))).toEqual([]);
  });

  test("explain each number, and none that there is not", () => {
    const table = page.split("## The numbers\n")[1]!;
    const explained = (table.match(/^\| `.*?\|/gm) ?? []).flatMap((cell) => cell.match(/\w+/g) ?? []);
    const used = rows.flatMap(({ numbers, explainedNumbers }) => [...numbers, ...explainedNumbers]);
    expect(explained.sort()).toEqual([...new Set(used)].sort());
  });

  const row: DecisionRow = {
    name: "One",
    isDecision: true,
    numbers: ["pods"],
    explainedNumbers: [],
    sentence: "a {pods}",
  };

  test("get a new sentence and new numbers, and keep what was written by hand", () => {
    const before = "# A\n\n### One\n\n> an old\n> sentence\n\nNumbers: `old`.\n\nIt means this.\n\n## B\n\nMore.\n";
    const after = "# A\n\n### One\n\n> a *pods*\n\nNumbers: `pods`.\n\nIt means this.\n\n## B\n\nMore.\n";
    expect(pageWithRows(before, [row])).toBe(after);
    expect(pageWithRows(after, [row])).toBe(after);
    expect(pageWithRows("### One\n\nIt means this.\n", [row])).toBe(
      "### One\n\n> a *pods*\n\nNumbers: `pods`.\n\nIt means this.\n",
    );
    expect(meanings(after)).toEqual(new Map([["One", "It means this."]]));
  });

  test("take the meaning for hosts from the first sentence of the page", () => {
    const head = "| code | numbers | more in `explain` | meaning |\n|---|---|---|---|\n";
    const before = `| code | numbers | meaning |\n|---|---|---|\n\n${head}| \`Old\` | | | gone |\n\nMore.\n`;
    const withMeaning = (prose: string) => abiWithRows(before, [row], `### One\n\n> a\n\n${prose}\n`);
    const line = withMeaning("As [Two](#two), in\n`a.b` of 1.5 s: it goes. More.\n\n**What to do:** nothing.");
    expect(line).toContain(`${head}| \`One\` | \`pods\` | | As Two, in \`a.b\` of 1.5 s: it goes |\n\nMore.\n`);
    expect(withMeaning("It goes.")).toContain("| It goes |\n");
    expect(() => withMeaning("It *goes*. More.")).toThrow('the first sentence of "One"');
    expect(() => withMeaning("It goes | stays.")).toThrow('the first sentence of "One"');
    expect(() => withMeaning("It goes")).toThrow('the first sentence of "One"');
  });

  test("want a section for each decision, and no other", () => {
    expect(() => pageWithRows("# A\n", [row])).toThrow("no section (### Name) of One");
    expect(() => pageWithRows("### One\n\nA.\n\n### Two\n\nB.\n", [row])).toThrow("sections of no decision");
    expect(() => pageWithRows("### One\n\nA.\n\n### One\n\nB.\n", [row])).toThrow("or two of one: One");
    expect(() => abiWithRows("# A\n", [row], "### One\n\nIt goes.\n")).toThrow("has no table");
  });
});

describe("programs that ask for a code", () => {
  const names = new Set<string>([...rows.map(({ name }) => name), ...Object.values(HoldCode)]);

  /** Codes that the source of a program compares with, or has in a set of this name. */
  function codesIn(source: string, set?: string): string[] {
    const members = set === undefined ? "" : new RegExp(`const ${set} = new Set\\(\\[([^\\]]*)\\]`).exec(source)![1]!;
    const compared = source.matchAll(/\bcode [!=]== "([A-Z][a-z]\w*)"/g);
    return [...members.matchAll(/"(\w+)"/g), ...compared].map((match) => match[1]!);
  }

  const asked = [
    ...files.filter((file) => /^host-(node|browser)\/.*\.ts$/.test(file)).map((file) => [file] as const),
    ["host-node/cli/output/hold-text.ts", "GOES_ON"] as const,
    ["host-node/cli/why/objects.ts", "IS_DUE"] as const,
  ].flatMap(([file, set]) => codesIn(read(file), set));

  test("ask for none that the engine does not have", () => {
    expect(asked.length).toBeGreaterThan(20);
    expect(asked.filter((code) => !names.has(code))).toEqual([]);
  });

  test("the rule catches one that is misspelt", () => {
    expect(codesIn('if (code === "BackOff") a();\nconst SET = new Set(["Backoff", "Bakoff"]);', "SET")).toEqual([
      "Backoff",
      "Bakoff",
      "BackOff",
    ]);
  });
});
