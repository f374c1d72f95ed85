/**
 * Reads the words of the ABI from the tables of bindings/ABI.md: codes, kinds, methods, settings, decisions. The
 * document is the one place where they are written for hosts; test/bindings/js/abi.test.ts compares it with the engine.
 *
 * Invariant: a table that is not as expected is an error, never an empty list. Leaves out how each language writes
 * them.
 */

/** A word with a number: a code or a kind of input. */
export interface NumberedWord {
  readonly name: string;
  readonly number: number;
  readonly meaning: string;
}

/** A word that is a code: of a decision, or of an advice of lint. */
export interface NamedWord {
  readonly name: string;
  readonly meaning: string;
  /** The names of its numbers. */
  readonly numbers: readonly string[];
}

export type MemberType = "string" | "boolean" | "number" | "sources" | "constants" | readonly string[];

/** A member of a JSON object. */
export interface Member {
  readonly name: string;
  /** A list: one of these strings. */
  readonly type: MemberType;
  readonly isOptional: boolean;
  /** Left out, it is neither false nor empty. */
  readonly hasDefault: boolean;
  readonly meaning: string;
}

/** One of upstream's constants. */
export interface Constant {
  readonly name: string;
  readonly meaning: string;
}

export interface AbiWords {
  readonly majorVersion: number;
  readonly maxInputBytes: number;
  readonly maxReviewBytes: number;
  readonly maxRequestsPerPoll: number;
  readonly errorCodes: readonly NumberedWord[];
  readonly ingestKinds: readonly NumberedWord[];
  /** By number; 0 is none. */
  readonly methods: readonly string[];
  readonly configuration: readonly Member[];
  readonly source: readonly Member[];
  readonly constants: readonly Constant[];
  readonly decisionCodes: readonly NamedWord[];
  readonly explainCodes: readonly NamedWord[];
  readonly verdicts: readonly NamedWord[];
  /** The reasons of verdicts that come from no condition and no pod. */
  readonly verdictReasons: readonly NamedWord[];
  /** Who ended an attempt. */
  readonly endCodes: readonly NamedWord[];
  /** What holds a Job. */
  readonly holdCodes: readonly NamedWord[];
  readonly lintCodes: readonly NamedWord[];
}

type Row = Readonly<Record<string, string>>;

const MEBIBYTE = 1024 * 1024;

/** @throws Error that names the table which is not as expected */
export function readAbiWords(document: string): AbiWords {
  const members = table(document, "configure", "member");
  const isOfSource = (row: Row): boolean => unquoted(row["member"]!).startsWith("sources[].");
  const errorCodes = table(document, "Codes", "code").map((row) => numbered(row, "code", sentence(row["meaning"]!)));
  if (errorCodes.some(({ number }, i) => number !== i))
    throw new Error('bindings/ABI.md, "Codes": they count up from 0');
  const source = members.filter(isOfSource).map(member);
  if (source.length === 0) throw new Error('bindings/ABI.md, "configure": no member begins with `sources[].`');
  return {
    majorVersion: Number(match(document, /^ABI version: \*\*(\d+)\.\d+\*\*$/m)),
    maxInputBytes: limit(document, "input of one call", " MiB") * MEBIBYTE,
    maxReviewBytes: limit(document, "one review", " MiB") * MEBIBYTE,
    maxRequestsPerPoll: limit(document, "requests of one poll"),
    errorCodes,
    ingestKinds: table(document, "ingest", "kind").map((row) =>
      numbered(row, "kind", `${sentence(row["when"]!)} Input: ${plain(row["input"]!)}.`),
    ),
    methods: methods(document),
    configuration: members.filter((row) => !isOfSource(row)).map(member),
    source,
    constants: table(document, "configure", "constant").map(constant),
    decisionCodes: table(document, "Decision codes", "code").map((row) => named(row)),
    explainCodes: table(document, "explain", "code").map((row) => named(row)),
    verdicts: table(document, "verdict", "verdict").map((row) => named(row, "verdict")),
    verdictReasons: table(document, "verdict", "reason").map((row) => named(row, "reason")),
    endCodes: table(document, "account", "code").map((row) => named(row)),
    holdCodes: table(document, "account", "hold").map((row) => named(row, "hold")),
    lintCodes: table(document, "lint", "code").map((row) => named(row)),
  };
}

/** The rows of the table of a section whose first column has this heading, by the headings of their columns. */
function table(document: string, section: string, firstHeading: string): readonly Row[] {
  const lines = (document.split(`\n## ${section}\n`)[1] ?? "").split("\n## ")[0]!.split("\n");
  const start = lines.findIndex((line) => line.startsWith(`| ${firstHeading} |`));
  const end = lines.findIndex((line, i) => i > start && !line.startsWith("|"));
  if (start < 0 || end < start + 3)
    throw new Error(`bindings/ABI.md, "${section}": there is no table whose first column is "${firstHeading}"`);
  const headings = cells(lines[start]!);
  return lines
    .slice(start + 2, end)
    .map((line) => Object.fromEntries(cells(line).map((cell, i) => [headings[i]!, cell])));
}

function cells(line: string): string[] {
  return line
    .slice(1, -1)
    .split("|")
    .map((cell) => cell.trim());
}

function match(text: string, pattern: RegExp): string {
  const found = pattern.exec(text)?.[1];
  if (found === undefined) throw new Error(`bindings/ABI.md: nothing matches ${pattern}`);
  return found;
}

function limit(document: string, what: string, unit = ""): number {
  const row = table(document, "Limits", "what").find((candidate) => candidate["what"] === what);
  return Number(match(row?.["limit"] ?? "", new RegExp(`^(\\d+)${unit}$`)));
}

function methods(document: string): string[] {
  const names = match(document, /^\| 8 \| u32 \| method: (.+) \|$/m).split(", ");
  names.forEach((name, i) => match(name, new RegExp(`^${i + 1} ([A-Z]+)$`)));
  return ["", ...names.map((name) => name.split(" ")[1]!)];
}

function numbered(row: Row, numberColumn: string, meaning: string): NumberedWord {
  return { name: row["name"]!, number: Number(match(row[numberColumn]!, /^(\d+)$/)), meaning };
}

function named(row: Row, column = "code"): NamedWord {
  const cell = row["numbers"] ?? "";
  const numbers = cell === "" ? [] : cell.split(", ").map(unquoted);
  return { name: unquoted(row[column]!), meaning: sentence(row["meaning"]!), numbers };
}

function member(row: Row): Member {
  const name = unquoted(row["member"]!).replace("sources[].", "");
  const [type, ...limits] = row["type"]!.split(", ").filter((part) => part !== "optional" && part !== "since 1.1");
  const allowed = limits.length === 0 ? "" : ` (${limits.join(", ")})`;
  const meaning = row["meaning"]!;
  return {
    name,
    type: memberType(name, type!),
    isOptional: row["type"]!.includes("optional"),
    hasDefault: meaning.includes("absent:"),
    meaning: sentence(`${meaning}${allowed}`),
  };
}

function memberType(name: string, type: string): MemberType {
  if (type === "array" && name === "sources") return "sources";
  if (type === "object" && name === "constants") return "constants";
  if (type === "whole number") return "number";
  if (type === "string" || type === "boolean") return type;
  const strings = [...type.matchAll(/`"([^"]+)"`/g)].map((found) => found[1]!);
  if (strings.length === 0)
    throw new Error(`bindings/ABI.md, "configure": ${name} has the type "${type}", which is none`);
  return strings;
}

function constant(row: Row): Constant {
  const unit = row["unit"] === "ms" ? "milliseconds" : row["unit"]!;
  return {
    name: unquoted(row["constant"]!),
    meaning: `${sentence(row["meaning"]!)} Default: ${row["default"]} ${unit}.`,
  };
}

function unquoted(cell: string): string {
  return match(cell, /^`([^`]+)`$/);
}

/** Without the marks of links. */
function plain(cell: string): string {
  return cell.replace(/\[([^\]]*)\]\([^)]*\)/g, "$1");
}

function sentence(cell: string): string {
  const text = plain(cell);
  if (text === "") throw new Error("bindings/ABI.md: a row of a table says no meaning");
  return `${text[0]!.toUpperCase()}${text.slice(1)}${text.endsWith(".") ? "" : "."}`;
}
