/**
 * What the log of a stage says: how many tests passed and failed, and which failed. It knows the last lines of vitest,
 * as-pect, pytest and the parity scenarios.
 */
import { stripVTControlCharacters } from "node:util";

export interface Counts {
  readonly passed: number;
  readonly failed: number;
}

/** A line with counts, and the part with the counts. */
interface Pattern {
  readonly line: RegExp;
  readonly count: RegExp;
}

const PASSED: readonly Pattern[] = [
  { line: /^ +Tests +/, count: /(\d+) passed/ },
  { line: /\[Tests\]:/, count: /: +(\d+)/ },
  { line: /^(\d+ failed, )?\d+ passed.* in /, count: /(\d+) passed/ },
  { line: /^\d+ passed, \d+ failed; /, count: /(\d+) passed/ },
];
const FAILED: readonly Pattern[] = [
  { line: /^ +Tests +/, count: /(\d+) failed/ },
  { line: /^\d+ failed.* in /, count: /(\d+) failed/ },
  { line: /^\d+ passed, \d+ failed; /, count: /(\d+) failed/ },
];
/** A line that names a failure; the next `follows` lines explain it. */
const FAILURES: readonly { readonly line: RegExp; readonly follows: number }[] = [
  { line: /^ +FAIL /, follows: 15 },
  { line: /^(DIFFERS|FAILED|ERROR|--- FAIL)|^ {2}DIFFERS in|breaks/, follows: 0 },
];
const MAX_FAILURE_LINES = 60;
const LAST_LINES = 20;

export function countTests(log: string): Counts {
  const lines = linesOf(log);
  const sum = (patterns: readonly Pattern[]): number =>
    lines
      .flatMap((line) => patterns.filter((pattern) => pattern.line.test(line)).map(({ count }) => count.exec(line)))
      .reduce((all, found) => all + Number(found?.[1] ?? 0), 0);
  return { passed: sum(PASSED), failed: sum(FAILED) };
}

/** The lines about failures, or the last lines when there are none. */
export function failuresIn(log: string): readonly string[] {
  const lines = linesOf(log);
  const isShown = new Set<number>();
  lines.forEach((line, at) => {
    const found = FAILURES.find((failure) => failure.line.test(line));
    for (let next = at; found !== undefined && next <= at + found.follows; next++) isShown.add(next);
  });
  const shown = lines.filter((_line, at) => isShown.has(at)).slice(0, MAX_FAILURE_LINES);
  return shown.length > 0 ? shown : lines.slice(-LAST_LINES);
}

export function lastLine(log: string): string {
  return (linesOf(log).at(-1) ?? "").trim();
}

function linesOf(log: string): readonly string[] {
  const lines = stripVTControlCharacters(log).split("\n");
  while (lines.length > 0 && lines.at(-1)!.trim() === "") lines.pop();
  return lines;
}
