/**
 * The first half of `npm run abi`: puts what the engine's rows say of each decision into docs/decisions.md, and both
 * into the tables of bindings/ABI.md. `test/tidy/` checks that the two documents are current.
 *
 * In the page a decision is a heading `### Name`; the quotation and the line `Numbers:` below it are the row's, and the
 * rest is written by hand. The page must have a heading for a new row already, since a person decides where it goes.
 * Nothing is written by hand in the tables of ABI.md: the meaning is the first sentence of the page. The bindings take
 * it from there (scripts/abi-words.ts).
 */
import { readFileSync, writeFileSync } from "node:fs";
import { resolve } from "node:path";
import { wrapped } from "./abi-words/prose.ts";
import { type DecisionRow, readDecisionRows } from "./decision-rows.ts";

export const PAGE = "docs/decisions.md";
export const ABI = "bindings/ABI.md";

/** A heading of the page with what follows, up to the next heading of any kind. */
const SECTION = /^### (.+)\n([\s\S]*?)(?=^#|(?![\s\S]))/gm;
/** The generated part of a section. */
const GENERATED = /^(> .*\n)+\n?|^(Numbers|In explanations alone|Severity)[^\n]*\n(?:[^\n]+\n)*\n?/gm;

/**
 * The page with the content of the rows.
 *
 * @throws Error naming the decisions that have no section, and the sections that have no decision
 */
export function pageWithRows(page: string, rows: readonly DecisionRow[]): string {
  return pageWithSections(page, { file: PAGE, of: "decision" }, new Map(rows.map((row) => [row.name, generated(row)])));
}

/**
 * A page whose sections begin with these texts, by their headings.
 *
 * @throws Error naming the texts that have no section, and the sections that have none
 */
export function pageWithSections(
  page: string,
  { file, of }: { readonly file: string; readonly of: string },
  texts: ReadonlyMap<string, string>,
): string {
  const left = new Map(texts);
  const unknown: string[] = [];
  const text = page.replace(SECTION, (_, heading: string, body: string) => {
    if (!left.has(heading)) unknown.push(heading);
    const generated = left.get(heading) ?? "";
    left.delete(heading);
    const prose = body.replace(GENERATED, "").trim();
    return `### ${heading}\n\n${generated}${prose}\n\n`;
  });
  if (unknown.length > 0) throw new Error(`${file} has sections of no ${of}, or two of one: ${unknown.join(", ")}`);
  if (left.size > 0) throw new Error(`${file} has no section (### Name) of ${[...left.keys()].join(", ")}`);
  return `${text.trimEnd()}\n`;
}

/** The handwritten text about each decision, by its name. */
export function meanings(page: string): Map<string, string> {
  return new Map(
    [...page.matchAll(SECTION)].map(([, heading, body]) => [heading!, body!.replace(GENERATED, "").trim()]),
  );
}

/**
 * ABI.md with its two tables regenerated: what the rows say, and the first sentence that the page says of each.
 *
 * @throws Error naming a decision whose first sentence does not fit in a table
 */
export function abiWithRows(document: string, rows: readonly DecisionRow[], page: string): string {
  const written = meanings(page);
  const line = (row: DecisionRow, ...lists: (readonly string[])[]): string => {
    return tableLine([
      `\`${row.name}\``,
      ...lists.map(quoted),
      firstSentence(PAGE, row.name, written.get(row.name) ?? ""),
    ]);
  };
  const decisions = rows
    .filter(({ isDecision }) => isDecision)
    .map((row) => line(row, row.numbers, row.explainedNumbers));
  const states = rows.filter(({ isDecision }) => !isDecision).map((row) => line(row, row.numbers));
  return withTable(
    withTable(document, "| code | numbers | meaning |\n|---|---|---|\n", states),
    "| code | numbers | more in `explain` | meaning |\n|---|---|---|---|\n",
    decisions,
  );
}

/** A line of a table of Markdown. */
export function tableLine(cells: readonly string[]): string {
  return `|${cells.map((cell) => (cell === "" ? " |" : ` ${cell} |`)).join("")}\n`;
}

/** The first sentence of a page's text, without its full stop and without links. */
export function firstSentence(file: string, name: string, prose: string): string {
  const text = prose.split("\n\n")[0]!.replace(/\s+/g, " ");
  const sentence = /^(.+?)\.(?= |$)/.exec(text)?.[1]?.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
  if (sentence === undefined || /[*|]/.test(sentence))
    throw new Error(
      `${file}: the first sentence of "${name}" is also in ${ABI}, so it must end with a full stop and have no * and no |`,
    );
  return sentence;
}

/** The document with new lines below the head of a table. */
export function withTable(document: string, head: string, lines: readonly string[]): string {
  const begin = document.indexOf(head);
  if (begin < 0) throw new Error(`${ABI} has no table that begins with ${JSON.stringify(head)}`);
  const from = begin + head.length;
  const length = /^(?:\|.*\n)*/.exec(document.slice(from))![0].length;
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
export function readable(sentence: string): string {
  return sentence
    .replace("{again}", "[ *tries* times since *sinceMs*][, next try in *remainingMs*]")
    .replace(/\{(\w+)(:\w+)?\}/g, (_, name: string, format?: string) => (format === ":s" ? "s" : `*${name}*`));
}

export function quoted(names: readonly string[]): string {
  return names.map((name) => `\`${name}\``).join(", ");
}

export function filled(text: string, prefix: string): string {
  return wrapped(text, prefix).join("\n");
}

function main(): void {
  const rows = readDecisionRows();
  const [pageFile, abiFile] = [PAGE, ABI].map((file) => resolve(import.meta.dirname, "..", file)) as [string, string];
  const page = pageWithRows(readFileSync(pageFile, "utf8"), rows);
  const abi = abiWithRows(readFileSync(abiFile, "utf8"), rows, page);
  writeFileSync(pageFile, page);
  writeFileSync(abiFile, abi);
}

if (import.meta.main) {
  try {
    main();
  } catch (error) {
    console.error((error as Error).message);
    process.exitCode = 1;
  }
}
