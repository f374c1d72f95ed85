/** The pod of a Job that failed last, and what it printed last, as lines for people. A pure function. */
import { hungLines } from "./broken-lines.ts";
import type { LastFailure } from "./job-view.ts";
import { printable } from "./printable.ts";
import type { Style } from "./style.ts";

/** On a narrower terminal the terminal wraps the lines. */
const MIN_COLUMNS = 32;

/** Each line of the log stays one line, whatever its length, so that people recognize it. */
export function failureLines({ pod, failure, log }: LastFailure, style: Style, columns = Infinity): string[] {
  const sentence = printable(`last failure: pod ${pod}${failure === "" ? "" : `: ${failure}`}`);
  return [
    ...hungLines(sentence, Math.max(MIN_COLUMNS, columns), { indent: "  " }),
    ...log.map((line) => `  ${style.dim("│")} ${style.containerLine(line)}`),
  ];
}
