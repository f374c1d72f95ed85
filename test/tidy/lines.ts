/**
 * The rule that lines end at column 120. It counts characters, and leaves alone what is worth more whole than broken: a
 * row of a Markdown table, output and code in a fence, a link, and a line whose excess is the text of one literal,
 * which people search for. It does not format: oxfmt does that.
 */
import { CODE, type PartMap, partsOf } from "./scanner.ts";

export const MAX_COLUMNS = 120;

/** Files that people neither write nor read by the line: locks, recordings, vectors and pictures. */
const EXCEPTIONS: readonly RegExp[] = [
  /(^|\/)(package-lock\.json|[^/]+\.sum|go\.mod)$/,
  /^test\/vectors\/.*\.(json|jsonl)$/,
  /\/recorded-answers\.jsonl$/,
  /^test\/host-node\/cli\/(usage|transcripts)\/.*\.txt$/,
  /\.png$/,
  /^docs\/pictures\/.*\.svg$/,
];

/** `file:line` of every line that is too long. */
export function longLinesOf(file: string, text: string): string[] {
  if (EXCEPTIONS.some((exception) => exception.test(file))) return [];
  if (!text.split("\n").some(isLong)) return [];
  const isAllowed = file.endsWith(".md") ? markdownRule(text) : sourceRule(file, text);
  return text
    .split("\n")
    .flatMap((line, i) =>
      isLong(line) && !isAllowed(line, i) ? [`${file}:${i + 1} has ${lengthOf(line)} columns`] : [],
    );
}

type LineRule = (line: string, index: number) => boolean;

function isLong(line: string): boolean {
  return line.length > MAX_COLUMNS && lengthOf(line) > MAX_COLUMNS;
}

function lengthOf(line: string): number {
  return [...line].length;
}

/** A code span or a link may be longer than a line, and neither survives a line break well. */
const UNBREAKABLE = /^(\s|[-*+>] |\d+\. )*(`[^`]*`|<?https?:\S*|!?\[[^\]]*\]\(\S*\))[\s.,;:)]*$/;

function markdownRule(text: string): LineRule {
  let fence: string | undefined;
  const fenced = text.split("\n").map((line) => {
    const mark = /^\s*(```+|~~~+)/.exec(line)?.[1];
    const isInside = fence !== undefined;
    if (fence === undefined) fence = mark;
    else if (mark !== undefined && mark.startsWith(fence)) fence = undefined;
    return isInside;
  });
  return (line, i) => fenced[i]! || /^\s*\|.*\|\s*$/.test(line) || UNBREAKABLE.test(line);
}

function sourceRule(file: string, text: string): LineRule {
  // Other languages have no line that needs this.
  if (!/\.(ts|tsx|mjs|js|json)$/.test(file)) return () => false;
  const parts = partsOf(text);
  const starts = [0];
  for (let at = text.indexOf("\n"); at >= 0; at = text.indexOf("\n", at + 1)) starts.push(at + 1);
  return (line, i) => isExcessOneLiteral(parts, starts[i]!, line);
}

function isExcessOneLiteral(parts: PartMap, start: number, line: string): boolean {
  const lengths = new Map<number, number>();
  for (const part of parts.subarray(start, start + line.length)) {
    if (part > CODE) lengths.set(part, (lengths.get(part) ?? 0) + 1);
  }
  return lengthOf(line) - Math.max(0, ...lengths.values()) <= MAX_COLUMNS;
}
