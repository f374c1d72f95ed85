/** The lines that show the progress of Jobs. Pure functions. */
import { formatDuration } from "../../words/duration.ts";
import { qualifiedName } from "../../words/job-name.ts";
import type { JobView } from "../../words/job-view.ts";
import type { Style } from "../../words/style.ts";

const MAX_BAR_WIDTH = 20;
const MIN_BAR_WIDTH = 5;
const NAME_WIDTH = 24;
/** A reason cut below this width would mean nothing. */
const MIN_HOLD_WIDTH = 14;
/**
 * The width that this reason may take from the bars, enough for `next pod in 10 min (back-off 10 min)`. A longer
 * sentence is cut.
 */
const MAX_HOLD_CLAIM = 40;

/** `2/4`; for a work queue, which has no number to reach, how many succeeded. */
export function completionsText({ completions, succeeded }: JobView): string {
  return completions === null ? String(succeeded) : `${succeeded}/${completions}`;
}

/** `2/4 complete, 2 active, 1 failed`. */
export function countsText(job: JobView): string {
  const parts = [
    `${completionsText(job)} complete`,
    ...(["active", "terminating", "failed"] as const)
      .filter((field) => job[field] > 0)
      .map((field) => `${job[field]} ${field}`),
  ];
  return parts.join(", ");
}

/** What `progressLines` needs to know about the terminal and the moment. */
export interface ProgressFrame {
  readonly nowMs: number;
  readonly columns: number;
  readonly rows: number;
  /** Why nothing happens, by the uid of the Job. */
  readonly holds?: ReadonlyMap<string, string>;
  readonly style: Style;
}

/**
 * The Jobs that fit on the screen, in the order in which they are shown. Running Jobs come first, because people wait
 * for them.
 */
export function shownJobs(jobs: readonly JobView[], rows: number): JobView[] {
  const ordered = [...jobs].sort((a, b) => Number(a.state !== "Running") - Number(b.state !== "Running"));
  return ordered.length <= rows ? ordered : ordered.slice(0, Math.max(0, rows - 1));
}

/** One line a Job, at most `rows` lines of at most `columns` characters. The parts of the lines are aligned. */
export function progressLines(jobs: readonly JobView[], frame: ProgressFrame): string[] {
  const { columns, rows, style } = frame;
  const shown = shownJobs(jobs, rows).map((job) => partsOf(job, frame));
  const nameWidth = Math.min(NAME_WIDTH, Math.max(1, ...shown.map(({ name }) => name.length)));
  const completionsWidth = Math.max(0, ...shown.map(({ completions }) => completions.length));
  const room = columns - nameWidth - completionsWidth - 4;
  const barWidth = Math.min(
    MAX_BAR_WIDTH,
    room -
      Math.max(
        0,
        ...shown.map(
          ({ counts, elapsed, hold }) => counts.length + elapsed.length + Math.min(MAX_HOLD_CLAIM, hold.length),
        ),
      ),
  );
  // A bar that is too short is of no use, and a work queue has no end that a bar could show.
  const hasBars = barWidth >= MIN_BAR_WIDTH && shown.some(({ share }) => share !== undefined);
  const lines = shown.map(({ name, share, completions, counts, elapsed, hold, paint }) => {
    const filled = Math.floor((share ?? 0) * barWidth);
    const bar: Part[] = !hasBars
      ? []
      : share === undefined
        ? [[" ".repeat(barWidth + 2)]]
        : [["█".repeat(filled), paint], ["░".repeat(barWidth - filled), style.dim], ["  "]];
    const known: Part[] = [
      [fitted(name, nameWidth), style.bold],
      ["  "],
      ...bar,
      [completions.padEnd(completionsWidth)],
      [counts],
    ];
    const left = columns - known.reduce((sum, [text]) => sum + text.length, 0);
    // If only one of the two fits, the reason why nothing happens is worth more than the time.
    const time = hold === "" || left - elapsed.length >= MIN_HOLD_WIDTH ? elapsed : "";
    return painted([...known, [time, style.dim], [shortened(hold, left - time.length), style.yellow]], columns);
  });
  return lines.length < jobs.length
    ? [...lines, style.dim(`… and ${jobs.length - lines.length} more Jobs`.slice(0, columns))]
    : lines;
}

/** The parts of a line, each with the spaces before it. */
interface LineParts {
  readonly name: string;
  /** From 0 to 1; undefined for a work queue. */
  readonly share: number | undefined;
  readonly completions: string;
  readonly counts: string;
  readonly elapsed: string;
  readonly hold: string;
  /** The colour of the finished share. */
  readonly paint: (text: string) => string;
}

function partsOf(job: JobView, { nowMs, holds, style }: ProgressFrame): LineParts {
  const { state, completions, succeeded, failed, startTimeMs, endTimeMs } = job;
  const hold = holds?.get(job.uid) ?? "";
  // The reason why no pod is active makes "0 active" unnecessary.
  const activity = state !== "Running" ? state : job.active === 0 && hold !== "" ? "" : `${job.active} active`;
  const elapsed = startTimeMs === undefined ? "" : formatDuration((endTimeMs ?? nowMs) - startTimeMs);
  return {
    name: qualifiedName(job.namespace, job.name),
    share: completions === null ? undefined : completions === 0 ? 1 : Math.min(succeeded, completions) / completions,
    completions: completionsText(job),
    counts: spaced(activity) + spaced(failed > 0 ? `${failed} failed` : ""),
    elapsed: spaced(elapsed),
    hold: spaced(hold),
    paint: state === "Failed" ? style.red : style.green,
  };
}

function spaced(text: string): string {
  return text === "" ? "" : `  ${text}`;
}

function fitted(name: string, width: number): string {
  return name.length > width ? `${name.slice(0, width - 1)}…` : name.padEnd(width);
}

type Part = readonly [text: string, paint?: (text: string) => string];

/** The parts one after another, as many as fit. */
function painted(parts: readonly Part[], columns: number): string {
  let room = columns;
  return parts
    .map(([text, paint = (plain) => plain]) => {
      const shown = text.slice(0, Math.max(0, room));
      room -= shown.length;
      return shown === "" ? "" : paint(shown);
    })
    .join("")
    .trimEnd();
}

/** The text with … at its end if it was cut; empty if not even a word fits. */
function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < MIN_HOLD_WIDTH ? "" : `${text.slice(0, width - 1)}…`;
}
