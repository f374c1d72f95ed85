/**
 * Text from containers and from the API made harmless for a terminal.
 *
 * Invariant: the result has no control character but the tab, no C1 control, and no character that changes the
 * direction of text. So no text can move the cursor, change the title, or hide a part of itself or of the text around
 * it. A line of a container may have colours (`ESC [ … m`). They end with the line, and no other sequence is passed on.
 * Only in a line of a container does a carriage return drop what a terminal would have overwritten; in a sentence,
 * which may quote such text, nothing is dropped but line breaks at its end.
 */

// Written as escapes, because the characters themselves would be invisible here.
const HARMFUL = /[\u0000-\u0008\u000a-\u001f\u007f-\u009f\u061c\u200e\u200f\u2028-\u202e\u2066-\u2069]/g;

const COLOURS = /\u001b\[([\d;:]{0,64})m/;
const RESET = "\u001b[0m";
/**
 * Bold, dim, italic, underlined, inverse, struck out, and the code that ends each. Blinking and hidden text are left
 * out.
 */
const ATTRIBUTES = new Set([0, 1, 2, 3, 4, 7, 9, 22, 23, 24, 27, 29]);
/** Colours of text and background from a palette of 256, or any colour. */
const EXTENDED = new Set([38, 48]);
const EXTENDED_LENGTHS: Readonly<Record<string, number>> = { "5": 3, "2": 5 };

/**
 * A sentence or a name, as one line. A line break inside it, CRLF too, is `^J`; any other carriage return is `^M`. Line
 * breaks at its end are left out.
 */
export function printable(text: string): string {
  return withoutEnd(text).replaceAll("\r\n", "\n").replace(HARMFUL, escaped);
}

/** Text of several lines, such as a message with advice below it. Its line breaks stay. */
export function printableLines(text: string): string {
  return text.split("\n").map(printable).join("\n");
}

/**
 * A line of a container, for a terminal with colours. A carriage return makes a terminal overwrite the line: only the
 * part after the last one is kept.
 */
export function colouredLine(line: string): string {
  const parts = partsOf(line);
  if (parts.length === 1) return printable(lastDrawn(line));
  const safe = parts.map((part, i) => (i % 2 === 0 ? part.replace(HARMFUL, escaped) : colourSequence(part)));
  return `${safe.join("")}${RESET}`;
}

/** The same without colours, if there is no terminal or the user wants none. */
export function uncolouredLine(line: string): string {
  return partsOf(line)
    .map((part, i) => (i % 2 === 0 ? part.replace(HARMFUL, escaped) : ""))
    .join("");
}

function lastDrawn(line: string): string {
  const whole = withoutEnd(line);
  return whole.slice(whole.lastIndexOf("\r") + 1);
}

function withoutEnd(text: string): string {
  return text.replace(/[\r\n]+$/, "");
}

/** Text and the parameters of a sequence in turn. */
function partsOf(line: string): string[] {
  return lastDrawn(line).split(COLOURS);
}

function colourSequence(parameters: string): string {
  const kept: string[] = [];
  const given = parameters.split(";");
  for (let i = 0; i < given.length; i++) {
    const code = Number(given[i]!.split(":", 1)[0]);
    // `38;5;N` and `38;2;R;G;B` go together; `38:5:N` is one parameter.
    const length = EXTENDED.has(code) && !given[i]!.includes(":") ? EXTENDED_LENGTHS[given[i + 1] ?? ""] : 1;
    if (length === undefined || !(isColour(code) || ATTRIBUTES.has(code))) continue;
    kept.push(...given.slice(i, i + length));
    i += length - 1;
  }
  return kept.length === 0 ? "" : `\u001b[${kept.join(";")}m`;
}

function isColour(code: number): boolean {
  return (code >= 30 && code <= 49) || (code >= 90 && code <= 107);
}

/** Caret notation for what a keyboard makes (`^[` is escape), the code for the rest. */
function escaped(character: string): string {
  const code = character.charCodeAt(0);
  if (code < 0x20) return `^${String.fromCharCode(code + 64)}`;
  return code === 0x7f ? "^?" : `\\u${code.toString(16).padStart(4, "0")}`;
}
