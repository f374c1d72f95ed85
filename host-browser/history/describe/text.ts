/**
 * Text in the form of `kubectl describe`: cells that are separated by tabs, in columns as wide as their widest cell.
 * Source: Go's text/tabwriter as kubectl sets it up (padding 2). Invariant: a column spans the lines without a break
 * that have such a cell with a tab behind it, so a line without tabs ends all columns.
 */

const PADDING = 2;

/** Collects lines, and lays them out. */
export class DescribedText {
  #text = "";

  /** Adds a line, or ends the present one. Each level is two spaces. */
  line(level: number, text: string): void {
    this.#text += `${"  ".repeat(level)}${text}\n`;
  }

  /** Adds text to the present line, or begins one. */
  part(text: string): void {
    this.#text += text;
  }

  toString(): string {
    const lines = this.#text.split("\n").map((line) => line.split("\t"));
    const laidOut: string[] = [];
    format(lines, 0, lines.length, [], laidOut);
    return laidOut.join("\n");
  }
}

type Lines = readonly (readonly string[])[];

function format(lines: Lines, from: number, to: number, widths: readonly number[], out: string[]): void {
  const column = widths.length;
  const hasCell = (line: number): boolean => column < lines[line]!.length - 1;
  let begin = from;
  for (let line = from; line < to; line++) {
    if (!hasCell(line)) continue;
    put(lines, begin, line, widths, out);
    begin = line;
    let width = 0;
    for (; line < to && hasCell(line); line++) width = Math.max(width, lines[line]![column]!.length + PADDING);
    format(lines, begin, line, [...widths, width], out);
    begin = line;
  }
  put(lines, begin, to, widths, out);
}

function put(lines: Lines, from: number, to: number, widths: readonly number[], out: string[]): void {
  for (const cells of lines.slice(from, to)) out.push(cells.map((cell, i) => cell.padEnd(widths[i] ?? 0)).join(""));
}

/** `Sun, 22 Nov 2026 16:43:56 +0000` */
export function longTime(time: string): string {
  return new Date(time).toUTCString().replace("GMT", "+0000");
}
