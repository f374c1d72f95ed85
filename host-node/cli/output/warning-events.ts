/**
 * Warnings about a Job and its pod as lines for people. A pure function; everything that comes from the API passes
 * `printable`.
 */
import { ageText } from "../../../cluster/values/time-span.ts";
import { brokenLines } from "../../words/broken-lines.ts";
import { printable } from "../../words/printable.ts";
import type { Style } from "../../words/style.ts";

/** The part of an Event that is kept. */
export interface WarningEvent {
  /** `job/pi`, `pod/pi-x2k9f` */
  readonly object: string;
  readonly reason: string;
  readonly message: string;
  readonly count: number;
  /** In ms since 1970; null: not known. */
  readonly lastMs: number | null;
}

const MIN_TEXT_WIDTH = 40;

/**
 * Two columns: when and how often, and what happened. `columns`: width of the terminal; Infinity where there is none.
 */
export function warningLines(
  events: readonly WarningEvent[],
  nowMs: number,
  style: Style,
  columns = Infinity,
): string[] {
  if (events.length === 0) return [];
  const rows = events.map(({ object, reason, message, count, lastMs }) => {
    const ago = lastMs === null ? "" : `${ageText(nowMs - lastMs)} ago`;
    return [
      `${ago}${count > 1 ? `, ${count} times` : ""}`,
      `${printable(object)} ${printable(reason)}: ${printable(message)}`,
    ] as const;
  });
  const width = Math.max("LAST SEEN".length, ...rows.map(([when]) => when.length));
  const indent = " ".repeat(2 + width + 2);
  return [
    style.dim(`  ${"LAST SEEN".padEnd(width)}  WARNING`),
    ...rows.flatMap(([when, text]) =>
      brokenLines(text, Math.max(MIN_TEXT_WIDTH, columns - indent.length)).map((line, i) =>
        i === 0 ? `  ${when.padEnd(width)}  ${style.yellow(line)}` : `${indent}${style.yellow(line)}`,
      ),
    ),
  ];
}
