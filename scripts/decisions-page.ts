/**
 * The first half of `npm run abi`: puts what the engine's rows say of each decision into docs/decisions.md and into
 * the tables of bindings/ABI.md. What people have written there stays; `test/tidy/` sees to it that both are current.
 *
 * In the page a decision is a heading `### Name`; the quotation and the line `Numbers:` below it are the row's. In
 * ABI.md the last column is written by hand. The page must have a heading for a new row already, since a person
 * decides where it goes; ABI.md gets a line without a meaning.
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { wrapped } from "./abi-words/prose.ts";
import { type DecisionRow, readDecisionRows } from "./decision-rows.ts";

export const PAGE = "docs/decisions.md";
export const ABI = "bindings/ABI.md";

/** A heading of the page with what follows, up to the next heading of any kind. */
const SECTION = /^### (.+)\n([\s\S]*?)(?=^#|(?![\s\S]))/gm;
/** Of a section: what is generated. */
const GENERATED = /^(> .*\n)+\n?|^(Numbers|In explanations alone)[^\n]*\n(?:[^\n]+\n)*\n?/gm;

/**
 * The page with what the rows say.
 *
 * @throws Error naming the decisions that have no section, and the sections that have no decision
 */
export function pageWithRows(page: string, rows: readonly DecisionRow[]): string {
  const left = new Map(rows.map((row) => [row.name, row]));
  const unknown: string[] = [];
  const text = page.replace(SECTION, (_, heading: string, body: string) => {
    const row = left.get(heading);
    left.delete(heading);
    if (row === undefined) unknown.push(heading);
    const prose = body.replace(GENERATED, "").trim();
    return `### ${heading}\n\n${row === undefined ? "" : generated(row)}${prose}\n\n`;
  });
  if (unknown.length > 0) throw new Error(`${PAGE} has sections of no decision, or two of one: ${unknown.join(", ")}`);
  if (left.size > 0) throw new Error(`${PAGE} has no section (### Name) of ${[...left.keys()].join(", ")}`);
  return `${text.trimEnd()}\n`;
}

/** What a person has written of each decision, by its name. */
export function meanings(page: string): Map<string, string> {
  return new Map(
    [...page.matchAll(SECTION)].map(([, heading, body]) => [heading!, body!.replace(GENERATED, "").trim()]),
  );
}

/** ABI.md with the rows in its two tables. A meaning that is missing is an empty cell. */
export function abiWithRows(document: string, rows: readonly DecisionRow[]): string {
  const isDecision = rows.filter((row) => row.isDecision);
  const isStanding = rows.filter((row) => !row.isDecision);
  return withTable(
    withTable(document, "| code | numbers | meaning |\n|---|---|---|\n", isStanding, ({ numbers }) => [numbers]),
    "| code | numbers | more in `explain` | meaning |\n|---|---|---|---|\n",
    isDecision,
    ({ numbers, explainedNumbers }) => [numbers, explainedNumbers],
  );
}

function withTable(
  document: string,
  head: string,
  rows: readonly DecisionRow[],
  lists: (row: DecisionRow) => (readonly string[])[],
): string {
  const begin = document.indexOf(head);
  if (begin < 0) throw new Error(`${ABI} has no table that begins with ${JSON.stringify(head)}`);
  const from = begin + head.length;
  const length = /^(?:\|.*\n)*/.exec(document.slice(from))![0].length;
  const written = new Map(
    document
      .slice(from, from + length)
      .split("\n")
      .map((line) => [/^\| `(\w+)`/.exec(line)?.[1], / \| ([^|]*) \|$/.exec(line)?.[1] ?? ""]),
  );
  const lines = rows.map((row) => {
    const cells = [`\`${row.name}\``, ...lists(row).map(quoted), written.get(row.name) ?? ""];
    return `|${cells.map((cell) => (cell === "" ? " |" : ` ${cell} |`)).join("")}\n`;
  });
  return document.slice(0, from) + lines.join("") + document.slice(from + length);
}

function generated({ isDecision, numbers, explainedNumbers, sentence }: DecisionRow): string {
  const also = numbers.length === 0 ? "in explanations" : "; in explanations also";
  const list = `${quoted(numbers)}${explainedNumbers.length === 0 ? "" : `${also} ${quoted(explainedNumbers)}`}`;
  const line = [...(isDecision ? [] : ["In explanations alone."]), ...(list === "" ? [] : [`Numbers: ${list}.`])];
  return [filled(readable(sentence), "> "), ...(line.length === 0 ? [] : [filled(line.join(" "), "")]), ""].join(
    "\n\n",
  );
}

/** The sentence with the names of its numbers in italics. */
function readable(sentence: string): string {
  return sentence
    .replace("{again}", "[ *tries* times since *sinceMs*][, next try in *remainingMs*]")
    .replace(/\{(\w+)(:\w+)?\}/g, (_, name: string, format?: string) => (format === ":s" ? "s" : `*${name}*`));
}

function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

function filled(text: string, prefix: string): string {
  return wrapped(text, prefix).join("\n");
}

function main(): void {
  const rows = readDecisionRows();
  for (const [file, withRows] of [
    [PAGE, pageWithRows],
    [ABI, abiWithRows],
  ] as const) {
    const location = resolve(import.meta.dirname, "..", file);
    writeFileSync(location, withRows(readFileSync(location, "utf8"), rows));
  }
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
