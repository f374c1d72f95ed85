/**
 * Text for people, wrapped between words at the width of a terminal: all such text passes here before it is written.
 *
 * Invariant: only line breaks and the indents behind them are added. A word, a command and text in backquotes are never
 * broken, so each can be copied. Leaves out text for programs, logs of containers, and the lines that a terminal
 * redraws, which are cut and not wrapped.
 */
import type { Console } from "../console.ts";
import { held, hungLines, widthOf } from "../../words/broken-lines.ts";

/** On a narrower terminal the terminal breaks the lines. */
const MIN_COLUMNS = 20;
/** The indent of the text behind a break, relative to the line. */
const INDENT = "  ";
/** Columns of standard error, where standard output is no terminal. */
const USUAL_COLUMNS = 80;
/** The part of a line that is a command, up to its end. */
const COMMAND = /(^|: )((?:(?:kubectl|stint) -{0,2}[a-z][a-z-]*|export) .*)$/;
const UNBROKEN = /`[^`]*`/g;
/** The gap between the columns of a table, at least. */
const COLUMN_GAP = /^(\s*\S(?:.*?\S)?\s{2,})\S/;
const COLOUR = /\u001b\[\d*m/g;
/** A drawn line: with the frame of a source line, bars or dots. */
const DRAWN = /[│█■▣·]{1}/;
/** Moves the cursor: a block is redrawn. */
const REDRAW = /\u001b\[\d*[A-KST]/;

/** @param columns width of the terminal; Infinity: there is none, and nothing is changed */
export function wrapped(text: string, columns: number): string {
  if (columns < MIN_COLUMNS || columns === Infinity || REDRAW.test(text)) return text;
  return text
    .split("\n")
    .flatMap((line) => (widthOf(line) <= columns || isDrawn(line) ? [line] : wrappedLine(line, columns)))
    .join("\n");
}

/** Writes text for people to standard output. @returns as `writeOut` */
export function writeText(console: Console, text: string): boolean {
  return console.writeOut(wrapped(text, console.terminal?.().columns ?? Infinity));
}

/** A console whose standard error is wrapped. It has text for people; a line of JSON, a log, stays whole. */
export function withWrappedErrors(console: Console): Console {
  const columns = (): number => (console.isErrorTerminal ? (console.terminal?.().columns ?? USUAL_COLUMNS) : Infinity);
  const write = (text: string): void => console.writeError(text.startsWith("{") ? text : wrapped(text, columns()));
  return new Proxy(console, {
    get: (target, name) => {
      if (name === "writeError") return write;
      const value: unknown = Reflect.get(target, name, target);
      return typeof value === "function" ? (value.bind(target) as unknown) : value;
    },
  });
}

function isDrawn(line: string): boolean {
  return DRAWN.test(line);
}

function wrappedLine(line: string, columns: number): string[] {
  const plain = line.replace(COLOUR, "");
  const hang = " ".repeat(hangOf(plain, columns));
  const indent = /^\s*/.exec(line)![0];
  const text = line
    .slice(indent.length)
    .replace(UNBROKEN, held)
    .replace(COMMAND, (_all, before: string, command: string) => `${before}${held(command)}`);
  return hungLines(text, columns, { indent, hang });
}

/** Below the last column of a table, if that leaves half of the width; else a little to the right of the line. */
function hangOf(plain: string, columns: number): number {
  const own = /^\s*/.exec(plain)![0].length + INDENT.length;
  let at = 0;
  for (let gap = COLUMN_GAP.exec(plain); gap !== null; gap = COLUMN_GAP.exec(plain.slice(at))) {
    if (at + gap[1]!.length > columns / 2) break;
    at += gap[1]!.length;
  }
  return Math.max(at, own);
}
