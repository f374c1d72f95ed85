/** Text broken into lines of a width. Pure. */

/** Colours have no width. */
const COLOUR = /\u001b\[\d*m/g;

/** Breaks lines only at separators, and drops the separator there. A part that is too wide gets a separate line. */
export function brokenLines(text: string, width: number, separator = " "): string[] {
  const lines: string[] = [];
  for (const part of text.split(separator)) {
    const last = lines.at(-1);
    if (last === undefined || widthOf(last) + separator.length + widthOf(part) > width) lines.push(part);
    else lines[lines.length - 1] = `${last}${separator}${part}`;
  }
  return lines;
}

/** The width of the text in columns. */
export function widthOf(text: string): number {
  return text.replace(COLOUR, "").length;
}
