/** How a run ended, as lines: each Job with its counters and its conditions, and the exit status. A pure function. */
import { formatDuration, formatSeconds } from "../duration.ts";
import { qualifiedName } from "./job-name.ts";
import type { ConditionView, JobView } from "./job-view.ts";
import { printable } from "./printable.ts";
import { completionsText } from "./progress.ts";
import type { RunSummary } from "./run-output.ts";
import type { Style } from "./style.ts";

const HEADERS = ["CONDITION", "STATUS", "REASON", "MESSAGE"];

export function summaryLines({ jobs, exitStatus, reason, durationMs, isSimulated }: RunSummary, style: Style): string[] {
  const time = isSimulated ? `${formatDuration(durationMs)} of simulated time` : formatDuration(durationMs);
  return [
    ...jobs.flatMap((job) => ["", ...jobLines(job, style)]),
    "",
    `${reason === undefined ? "" : `${reason}; `}exit status ${exitStatus} after ${time}`,
  ];
}

function jobLines(job: JobView, style: Style): string[] {
  const { name, namespace, state, startTimeMs, endTimeMs } = job;
  const paint = { Complete: style.green, Failed: style.red, Running: style.yellow }[state];
  const duration = startTimeMs !== undefined && endTimeMs !== undefined ? ` in ${formatSeconds(endTimeMs - startTimeMs)}` : "";
  const counters = [`succeeded ${completionsText(job)}`, `failed ${job.failed}`, ...(["active", "terminating"] as const).filter((field) => job[field] > 0).map((field) => `${field} ${job[field]}`)];
  return [
    `${style.bold(`job ${qualifiedName(namespace, name)}`)}  ${paint(state === "Running" ? "not finished" : state)}${duration}`,
    `  ${[...counters, ...indexTexts(job)].join("   ")}`,
    ...conditionLines(job.conditions, style),
  ];
}

/** Of an Indexed Job; failed indexes where there are any. */
function indexTexts({ completedIndexes, failedIndexes = "" }: JobView): string[] {
  const completed = completedIndexes === undefined ? [] : [`completed indexes ${completedIndexes === "" ? "none" : completedIndexes}`];
  return failedIndexes === "" ? completed : [...completed, `failed indexes ${failedIndexes}`];
}

function conditionLines(conditions: readonly ConditionView[], style: Style): string[] {
  if (conditions.length === 0) return [];
  const rows = conditions.map(({ type, status, reason, message }) => [type, status, reason, printable(message)]);
  const widths = HEADERS.slice(0, -1).map((header, column) => Math.max(header.length, ...rows.map((row) => row[column]!.length)));
  const lineOf = (cells: readonly string[]): string => `  ${cells.map((cell, column) => cell.padEnd(widths[column] ?? 0)).join("  ")}`.trimEnd();
  return [style.dim(lineOf(HEADERS)), ...rows.map(lineOf)];
}
