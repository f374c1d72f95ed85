/**
 * A CronJob's answer as lines for people. A pure function; everything that comes from the API passes `printable`.
 */
import { counted } from "../../words/counted.ts";
import { nextText, remedyLines, timeText } from "../../words/explanation.ts";
import { failureLines } from "../../words/failure-lines.ts";
import { qualifiedName } from "../../words/job-name.ts";
import { printable } from "../../words/printable.ts";
import { warningLines } from "../output/warning-events.ts";
import type { CronJobAccount } from "./cron-job.ts";
import type { StartTime } from "./cron-job-starts.ts";
import { runLines } from "./run.ts";
import type { TextContext } from "./told.ts";

const COUNT_SEPARATOR = "   ";
const GOOD: ReadonlySet<string> = new Set(["Waiting", "Running"]);

export function cronJobLines(
  answer: CronJobAccount,
  { nowMs, style, columns, clusterOptions, indented }: TextContext,
): string[] {
  const { namespace, name, state, sentence, missed, lastFailure, runs, remedies, remarks, events } = answer;
  const paint = GOOD.has(state) ? style.green : state === "Frozen" || state === "Late" ? style.red : style.yellow;
  const table = runLines(runs, nowMs, style);
  const warnings = warningLines(events, nowMs, style, columns);
  return [
    `${style.bold(`cronjob ${qualifiedName(namespace, name)}`)}  ${paint(state)}`,
    ...indented(printable(sentence)),
    ...holdLines(answer).flatMap((line) => indented(printable(line)).map(style.yellow)),
    ...(missed?.sentence === undefined ? [] : indented(printable(missed.sentence)).map(style.yellow)),
    ...indented(settingsText(answer, nowMs), COUNT_SEPARATOR),
    ...nextLines(answer, nowMs).flatMap((line) => indented(line)),
    ...(lastFailure === undefined ? [] : failureLines(lastFailure, style, columns)),
    ...remedyLines(remedies, clusterOptions, style),
    ...remarks.flatMap((remark) => indented(printable(remark)).map(style.dim)),
    ...(table.length === 0 ? [] : ["", ...table]),
    ...(warnings.length === 0 ? [] : ["", ...warnings]),
  ];
}

function holdLines({ heldJob, holds = [] }: CronJobAccount): string[] {
  return heldJob === undefined ? [] : holds.map(({ sentence }) => `Job ${heldJob}: ${sentence}`);
}

function settingsText(answer: CronJobAccount, nowMs: number): string {
  const { schedule, timeZone, concurrencyPolicy, open, lastScheduleMs, lastSuccessMs } = answer;
  return [
    ...(schedule === undefined
      ? []
      : [`schedule ${printable(schedule)}${timeZone === undefined ? "" : ` (${printable(timeZone)})`}`]),
    ...(concurrencyPolicy === undefined ? [] : [`concurrencyPolicy ${printable(concurrencyPolicy)}`]),
    ...(open === null ? [] : [counted(open, "unfinished Job")]),
    ...(lastScheduleMs === null ? [] : [`last start ${timeText(lastScheduleMs, nowMs)}`]),
    ...(lastSuccessMs === null ? [] : [`last success ${timeText(lastSuccessMs, nowMs)}`]),
  ].join(COUNT_SEPARATOR);
}

/** What comes next; then the times of the schedule, in both clocks. */
function nextLines({ next, times, timeZone }: CronJobAccount, nowMs: number): string[] {
  const [first, ...others] = times.map((time) => clockText(time, timeZone, nowMs));
  if (first === undefined) return next === undefined ? [] : [`next: ${next}`];
  const [{ atMs }] = times as readonly [StartTime, ...StartTime[]];
  const then = others.length === 0 ? "" : `; then at ${others.join(", and at ")}`;
  const schedule = `${nextText(atMs, nowMs)}, at ${first}${then}`;
  return next === undefined ? [`next: ${schedule}`] : [`next: ${next}`, `by its schedule: ${schedule}`];
}

/** `12:05:00 Europe/Berlin (10:05:00 UTC)`; `10:05:00 UTC` if there is no other clock. */
function clockText({ atMs, local }: StartTime, timeZone: string | undefined, nowMs: number): string {
  const utc = `${timeText(atMs, nowMs)} UTC`;
  if (timeZone === undefined || local.endsWith("Z")) return utc;
  const [date = "", time = ""] = local.slice(0, "2026-01-01T00:00:00".length).split("T");
  const isOtherDay = !new Date(nowMs).toISOString().startsWith(date);
  return `${isOtherDay ? `${date} ` : ""}${time} ${printable(timeZone)} (${utc})`;
}
