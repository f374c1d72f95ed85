/** Text broken into lines of a width, never between a number and its unit. Pure. */

/** Colours have no width. */
const COLOUR = /\u001b\[\d*m/g;
/** Between a number and its unit: `back-off 10 s`. */
const BEFORE_UNIT = /(?<=\d) (?=(?:ms|s|min|h|d|days?|[KMGT]iB|MB)(?![\w/-]))/g;
/** A space at which text is not broken. Texts never contain it, because it is no character. */
const HELD_SPACE = "\uffff";
/** Of the further lines, relative to the first one. */
const HANG = "  ";

/** The text, which is not broken at its spaces; `brokenLines` and `hungLines` give them back. */
export function held(text: string): string {
  return text.replaceAll(" ", HELD_SPACE);
}

/** Breaks lines only at separators, and drops the separator there. A part that is too wide gets a separate line. */
export function brokenLines(text: string, width: number, separator = " "): string[] {
  return released(broken(text, width, separator));
}

/** Lines behind an indent, in which the further ones hang to the right of the first: so each text begins visibly. */
export function hungLines(
  text: string,
  columns: number,
  { indent = "", hang, separator = " " }: { indent?: string; hang?: string; separator?: string | undefined } = {},
): string[] {
  const further = hang ?? indent + HANG;
  const [first = "", ...others] = broken(text, columns - indent.length, separator);
  const rest = others.length === 0 ? [] : broken(others.join(separator), columns - further.length, separator);
  return released([`${indent}${first}`, ...rest.map((line) => `${further}${line}`)]);
}

/** The width of the text in columns. */
export function widthOf(text: string): number {
  return text.replace(COLOUR, "").length;
}

function broken(text: string, width: number, separator: string): string[] {
  const lines: string[] = [];
  for (const part of text.replace(BEFORE_UNIT, HELD_SPACE).split(separator)) {
    const last = lines.at(-1);
    if (last === undefined || widthOf(last) + separator.length + widthOf(part) > width) lines.push(part);
    else lines[lines.length - 1] = `${last}${separator}${part}`;
  }
  return lines;
}

function released(lines: readonly string[]): string[] {
  return lines.map((line) => line.replaceAll(HELD_SPACE, " "));
}
