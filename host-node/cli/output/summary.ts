/**
 * How a run ended, as lines: each Job that needs attention, a table if there are several Jobs, the notes, and the exit
 * status. A pure function.
 */
import { formatDuration } from "../../words/duration.ts";
import { hungLines } from "../../words/broken-lines.ts";
import { failureLines } from "../../words/failure-lines.ts";
import { gridLines } from "./index-grid.ts";
import { qualifiedName } from "../../words/job-name.ts";
import type { ConditionView, JobView } from "../../words/job-view.ts";
import { printable } from "../../words/printable.ts";
import { completionsText } from "./progress.ts";
import type { EndedJob, RunSummary } from "./run-output.ts";
import type { Style } from "../../words/style.ts";

const INDENT = "  ";
const HEADERS = ["JOB", "STATE", "SUCCEEDED", "FAILED", "TIME", "REASON"];
/** If there are several Jobs, this many that failed last are shown in detail, and as many that have not ended. */
const MAX_DETAILED_JOBS = 5;
/** This many more Jobs that have not ended are shown only with what they wait for. */
const MAX_BRIEF_JOBS = 15;
/** Names in the total. */
const MAX_NAMES = 10;
/** Interim conditions with the final condition that repeats what they say. */
const INTERIM: Readonly<Record<string, string>> = { SuccessCriteriaMet: "Complete", FailureTarget: "Failed" };
const STATES = ["Complete", "Running", "Failed"] as const;
const STATE_WORDS = { Complete: "Complete", Running: "not finished", Failed: "Failed" } as const;
const TOTAL_WORDS = { Complete: "complete", Running: "not finished", Failed: "failed" } as const;

/** @param columns width of the terminal; Infinity where there is none */
export function summaryLines(
  { jobs, exitStatus, reason, durationMs, isSimulated, notes }: RunSummary,
  style: Style,
  columns = Infinity,
): string[] {
  const time = isSimulated ? `${formatDuration(durationMs)} of simulated time` : formatDuration(durationMs);
  const noteLines = notes.flatMap((note) => hungLines(printable(`note: ${note}`), columns).map(style.dim));
  const end = ["", ...noteLines, `${reason === undefined ? "" : `${reason}; `}exit status ${exitStatus} after ${time}`];
  if (jobs.length <= 1) return [...jobs.flatMap((job) => ["", ...jobLines(job, style, columns)]), ...end];
  return [
    ...unfinishedLines(
      jobs.filter(({ state }) => state === "Running"),
      style,
      columns,
    ),
    ...failedLines(
      jobs.filter(({ state }) => state === "Failed"),
      style,
      columns,
    ),
    "",
    ...tableLines(jobs, style),
    "",
    ...hungLines(totalText(jobs), columns),
    ...end,
  ];
}

/** The first Jobs in detail, each as if it were the only one. The next ones only with what they wait for. */
function unfinishedLines(unfinished: readonly EndedJob[], style: Style, columns: number): string[] {
  const brief = unfinished.slice(MAX_DETAILED_JOBS, MAX_DETAILED_JOBS + MAX_BRIEF_JOBS);
  const more = unfinished.length - MAX_DETAILED_JOBS - brief.length;
  return [
    ...unfinished.slice(0, MAX_DETAILED_JOBS).flatMap((job) => ["", ...jobLines(job, style, columns)]),
    ...(brief.length === 0 ? [] : [""]),
    ...brief.flatMap((job) => [headingOf(job, style), ...sentenceLines(job, columns)]),
    ...(more > 0 ? ["", `… and ${more} more ${more === 1 ? "Job that has" : "Jobs that have"} not ended`] : []),
  ];
}

function failedLines(failed: readonly EndedJob[], style: Style, columns: number): string[] {
  const detailed = failed.toSorted((a, b) => (a.endTimeMs ?? 0) - (b.endTimeMs ?? 0)).slice(-MAX_DETAILED_JOBS);
  const left =
    detailed.length < failed.length
      ? ["", `Of ${failed.length} failed Jobs the ${detailed.length} that failed last:`]
      : [];
  return [...left, ...detailed.flatMap((job) => ["", ...jobLines(job, style, columns)])];
}

function jobLines(job: EndedJob, style: Style, columns: number): string[] {
  const { startTimeMs, endTimeMs, lastFailure } = job;
  const duration =
    startTimeMs !== undefined && endTimeMs !== undefined ? ` in ${formatDuration(endTimeMs - startTimeMs)}` : "";
  const counters = [
    `succeeded ${completionsText(job)}`,
    `failed ${job.failed}`,
    ...(["active", "terminating"] as const).filter((field) => job[field] > 0).map((field) => `${field} ${job[field]}`),
  ];
  return [
    `${headingOf(job, style)}${duration}`,
    ...hungLines([...counters, ...indexTexts(job)].join("   "), columns, { indent: INDENT, separator: "   " }),
    ...gridLines(job, style, columns - INDENT.length).map((line) => INDENT + line),
    ...sentenceLines(job, columns),
    ...withoutPodsLines(job, columns),
    ...conditionTexts(job).flatMap((text) => hungLines(text, columns, { indent: INDENT })),
    ...(lastFailure === undefined ? [] : failureLines(lastFailure, style, columns)),
  ];
}

function headingOf({ namespace, name, state }: EndedJob, style: Style): string {
  return `${style.bold(`job ${qualifiedName(namespace, name)}`)}  ${paintOf(state, style)(STATE_WORDS[state])}`;
}

function sentenceLines({ sentence }: EndedJob, columns: number): string[] {
  return sentence === undefined ? [] : hungLines(printable(sentence), columns, { indent: INDENT });
}

/** The text about what a Job waits for contains the refusal already. */
function withoutPodsLines({ withoutPods, sentence }: EndedJob, columns: number): string[] {
  if (withoutPods === undefined) return [];
  const text = sentence === undefined ? withoutPods : withoutPods.replace(/; .*/s, "");
  return hungLines(printable(text), columns, { indent: INDENT });
}

function paintOf(state: JobView["state"], style: Style): (text: string) => string {
  return { Complete: style.green, Failed: style.red, Running: style.yellow }[state];
}

/** The indexes of an Indexed Job; failed indexes only if there are any. */
function indexTexts({ completedIndexes, failedIndexes = "" }: JobView): string[] {
  const completed =
    completedIndexes === undefined ? [] : [`completed indexes ${completedIndexes === "" ? "none" : completedIndexes}`];
  return failedIndexes === "" ? completed : [...completed, `failed indexes ${failedIndexes}`];
}

/**
 * `CompletionsReached: Reached expected number of succeeded pods`; other conditions than the final one also have their
 * type.
 */
function conditionTexts({ conditions, state }: JobView): string[] {
  const isSaid = ({ type, reason, message }: ConditionView): boolean =>
    conditions.some((other) => other.type === INTERIM[type] && other.reason === reason && other.message === message);
  return conditions
    .filter((condition) => !isSaid(condition))
    .map(({ type, status, reason, message }) =>
      printable(
        [
          ...(type === state ? [] : [status === "True" ? type : `${type} ${status}`]),
          reason,
          ...(message === "" ? [] : [message]),
        ].join(": "),
      ),
    );
}

/** Failed Jobs come last, where people see them. */
function tableLines(jobs: readonly JobView[], style: Style): string[] {
  const rows = STATES.flatMap((state) => jobs.filter((job) => job.state === state)).map((job) => ({
    state: job.state,
    cells: [
      qualifiedName(job.namespace, job.name),
      STATE_WORDS[job.state],
      completionsText(job),
      String(job.failed),
      job.startTimeMs === undefined || job.endTimeMs === undefined
        ? ""
        : formatDuration(job.endTimeMs - job.startTimeMs),
      job.state === "Failed" ? printable(job.conditions.find(({ type }) => type === "Failed")?.reason ?? "") : "",
    ],
  }));
  const widths = HEADERS.map((header, column) =>
    Math.max(header.length, ...rows.map(({ cells }) => cells[column]!.length)),
  );
  const lineOf = (cells: readonly string[]): string =>
    cells
      .map((cell, column) => cell.padEnd(widths[column]!))
      .join("  ")
      .trimEnd();
  return [style.dim(lineOf(HEADERS)), ...rows.map(({ state, cells }) => paintOf(state, style)(lineOf(cells)))];
}

/** `3 Jobs: 1 complete, 2 failed: a, b` */
function totalText(jobs: readonly JobView[]): string {
  const counts = STATES.map((state) => [state, jobs.filter((job) => job.state === state).length] as const).filter(
    ([, count]) => count > 0,
  );
  const failed = jobs
    .filter(({ state }) => state === "Failed")
    .map(({ namespace, name }) => qualifiedName(namespace, name));
  const names =
    failed.length <= MAX_NAMES ? failed : [...failed.slice(0, MAX_NAMES), `and ${failed.length - MAX_NAMES} more`];
  const countText = counts.map(([state, count]) => `${count} ${TOTAL_WORDS[state]}`).join(", ");
  return `${jobs.length} Jobs: ${countText}${names.length === 0 ? "" : `: ${names.join(", ")}`}`;
}
