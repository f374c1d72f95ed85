/** Colours, or none: with NO_COLOR, or without a terminal, text is plain. Source: https://no-color.org. */
import { colouredLine, uncolouredLine } from "./printable.ts";

type Paint = (text: string) => string;

export interface Style {
  readonly bold: Paint;
  readonly dim: Paint;
  readonly red: Paint;
  readonly green: Paint;
  readonly yellow: Paint;
  /** One of a few colours, the same for the same number. */
  readonly numbered: (number: number, text: string) => string;
  /** A line of a container without harmful sequences, with its own colours or without. */
  readonly containerLine: Paint;
  /** A completion index that is complete, complete after retries, failed, or not complete. */
  readonly cells: Readonly<Record<"complete" | "retried" | "failed" | "open", string>>;
}

const CELLS = { complete: "■", retried: "▣", failed: "✗", open: "·" };
const ASCII_CELLS = { complete: "#", retried: "+", failed: "X", open: "." };

const plain: Paint = (text) => text;
const PLAIN: Style = {
  bold: plain,
  dim: plain,
  red: plain,
  green: plain,
  yellow: plain,
  numbered: (_number, text) => text,
  containerLine: uncolouredLine,
  cells: CELLS,
};

const paint =
  (code: number): Paint =>
  (text) =>
    text === "" ? "" : `\u001b[${code}m${text}\u001b[0m`;
/** Cyan, magenta, blue, and their bright versions. Red, yellow and green are left out, because they have a meaning. */
const NUMBERED = [36, 35, 34, 96, 95, 94];
const COLOURED: Style = {
  bold: paint(1),
  dim: paint(2),
  red: paint(31),
  green: paint(32),
  yellow: paint(33),
  numbered: (number, text) => paint(NUMBERED[number % NUMBERED.length]!)(text),
  containerLine: colouredLine,
  cells: CELLS,
};

export function styleFor(isTerminal: boolean, environment: Readonly<Record<string, string | undefined>>): Style {
  const isColoured = isTerminal && !environment.NO_COLOR && environment.TERM !== "dumb";
  return { ...(isColoured ? COLOURED : PLAIN), cells: isUnicode(environment) ? CELLS : ASCII_CELLS };
}

/** Whether the locale has UTF-8. Source: setlocale(3). */
function isUnicode(environment: Readonly<Record<string, string | undefined>>): boolean {
  return /utf-?8/i.test(environment.LC_ALL || environment.LC_CTYPE || environment.LANG || "");
}
