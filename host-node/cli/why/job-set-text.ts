/** A JobSet's answer as lines for people. A pure function; everything that comes from the API passes `printable`. */
import { remedyLines } from "../../words/explanation.ts";
import { failureLines } from "../../words/failure-lines.ts";
import { qualifiedName } from "../../words/job-name.ts";
import { printable } from "../../words/printable.ts";
import { warningLines } from "../output/warning-events.ts";
import type { JobSetAccount } from "./job-set.ts";
import { runLines } from "./run.ts";
import type { TextContext } from "./told.ts";

export function jobSetLines(
  answer: JobSetAccount,
  { nowMs, style, columns, clusterOptions, indented }: TextContext,
): string[] {
  const { namespace, name, state, sentence, restarts, runs, toldJob, lastFailure, holds, remedies, remarks, events } =
    answer;
  const isGood = state === "Completed" || state === "Running";
  const paint = isGood ? style.green : state === "Failed" ? style.red : style.yellow;
  const table = runLines(runs, nowMs, style);
  const warnings = warningLines(events, nowMs, style, columns);
  return [
    `${style.bold(`jobset ${qualifiedName(namespace, name)}`)}  ${paint(state)}`,
    ...indented(printable(sentence)),
    ...holds.flatMap((hold) => indented(printable(`Job ${toldJob}: ${hold.sentence}`)).map(style.yellow)),
    ...(restarts === null || restarts === 0 ? [] : [`  restarts ${restarts}`]),
    ...(lastFailure === undefined ? [] : failureLines(lastFailure, style, columns)),
    ...remedyLines(remedies, clusterOptions, style),
    ...remarks.flatMap((remark) => indented(printable(remark)).map(style.dim)),
    ...(table.length === 0 ? [] : ["", ...table]),
    ...(warnings.length === 0 ? [] : ["", ...warnings]),
  ];
}
