/** A pod's answer as lines for people. A pure function; everything that comes from the API passes `printable`. */
import { counted } from "../../words/counted.ts";
import { remedyLines, timeText } from "../../words/explanation.ts";
import { qualifiedName } from "../../words/job-name.ts";
import { printable } from "../../words/printable.ts";
import { shellWord } from "../../words/shell-word.ts";
import type { Style } from "../../words/style.ts";
import { warningLines } from "../output/warning-events.ts";
import type { PodAccount } from "./pod.ts";
import type { TextContext } from "./told.ts";

const COUNT_SEPARATOR = "   ";

export function podLines(
  answer: PodAccount,
  { nowMs, style, columns, clusterOptions, kubectlOptions, indented }: TextContext,
): string[] {
  const { namespace, name, state, sentence, ofJob, holds, log, remedies, remarks, events } = answer;
  const warnings = warningLines(events, nowMs, style, columns);
  return [
    `${style.bold(`pod ${qualifiedName(namespace, name)}`)}  ${paintOf(state, style)(printable(state))}`,
    ...indented(printable(sentence)),
    ...holds.flatMap((hold) => indented(printable(hold.sentence)).map(style.yellow)),
    ...othersText(answer).flatMap((line) => indented(line)),
    ...(ofJob?.sentence === undefined ? [] : indented(printable(jobSentence(ofJob.name, ofJob.sentence)))),
    ...indented(timesText(answer, nowMs), COUNT_SEPARATOR),
    ...log.map((line) => `  ${style.dim("│")} ${style.containerLine(line)}`),
    ...remedyLines(remedies, clusterOptions, style),
    ...remarks.flatMap((remark) => indented(printable(remark)).map(style.dim)),
    ...(ofJob === null ? [] : [style.dim(`  more: stint why ${shellWord(printable(ofJob.name))}${kubectlOptions}`)]),
    ...(warnings.length === 0 ? [] : ["", ...warnings]),
  ];
}

function paintOf(state: string, style: Style): (text: string) => string {
  if (state === "Failed") return style.red;
  return state === "Succeeded" || state === "Running" ? style.green : style.yellow;
}

/** `its Job pi is running: 3 active, 0 of 3 succeeded`. */
function jobSentence(name: string, sentence: string): string {
  const rest = /^the Job (.*)$/s.exec(sentence)?.[1];
  return rest === undefined ? `its Job ${name}: ${sentence}` : `its Job ${name} ${rest}`;
}

/** Of which holds other pods of the Job are a part, too. */
function othersText({ holds, ofJob }: PodAccount): string[] {
  return holds.flatMap(({ code }) => {
    const others = (ofJob?.held[code] ?? 1) - 1;
    return others === 0 ? [] : [`the same (${code}) holds ${counted(others, "other pod")} of its Job`];
  });
}

function timesText({ attempt }: PodAccount, nowMs: number): string {
  if (attempt === undefined) return "";
  const { node, startMs, endMs, restarts, exitCode, index } = attempt;
  return [
    ...(index === null ? [] : [`index ${index}`]),
    ...(node === "" ? [] : [`node ${printable(node)}`]),
    ...(startMs === null ? [] : [`${node === "" ? "created" : "started"} ${timeText(startMs, nowMs)}`]),
    ...(endMs === null ? [] : [`ended ${timeText(endMs, nowMs)}`]),
    ...(restarts === 0 ? [] : [`restarts ${restarts}`]),
    ...(exitCode === null ? [] : [`exit code ${exitCode}`]),
  ].join(COUNT_SEPARATOR);
}
