/** The lines that show how far Jobs are: pure functions over what is known of them. */
import { formatDuration, formatSeconds } from "../duration.ts";
import { qualifiedName } from "./job-name.ts";
import type { JobView } from "./job-view.ts";
import type { Style } from "./style.ts";

const MAX_BAR_WIDTH = 20;
/** A shorter bar says nothing; then there is none. */
const MIN_BAR_WIDTH = 5;
const NAME_WIDTH = 24;
/** Of why nothing happens, less says nothing. */
const MIN_HOLD_WIDTH = 14;

/** `2/4`; of a work queue, which has no number to reach, what has succeeded. */
export function completionsText({ completions, succeeded }: JobView): string {
  return completions === null ? String(succeeded) : `${succeeded}/${completions}`;
}

/** `2/4 complete, 2 active, 1 failed`. */
export function countsText(job: JobView): string {
  const parts = [`${completionsText(job)} complete`, ...(["active", "terminating", "failed"] as const).filter((field) => job[field] > 0).map((field) => `${job[field]} ${field}`)];
  return parts.join(", ");
}

/** What progressLines needs to know of the place where they are shown, and of the run. */
export interface ProgressFrame {
  readonly nowMs: number;
  /** When the run began. Jobs keep their start in whole seconds, which may lie before it. */
  readonly startMs: number;
  readonly columns: number;
  readonly rows: number;
  /** Why nothing happens, by the uid of the Job. */
  readonly holds?: ReadonlyMap<string, string>;
  readonly style: Style;
}

/** Those that there is room for, in the order in which they are shown. Those that still run come first: they are what one waits for. */
export function shownJobs(jobs: readonly JobView[], rows: number): JobView[] {
  const ordered = [...jobs].sort((a, b) => Number(a.state !== "Running") - Number(b.state !== "Running"));
  return ordered.length <= rows ? ordered : ordered.slice(0, Math.max(0, rows - 1));
}

/** One line a Job, at most `rows` lines of at most `columns` characters. */
export function progressLines(jobs: readonly JobView[], frame: ProgressFrame): string[] {
  const { columns, rows, style } = frame;
  const shown = shownJobs(jobs, rows);
  const width = Math.min(NAME_WIDTH, Math.max(...shown.map(({ namespace, name }) => qualifiedName(namespace, name).length), 1));
  const lines = shown.map((job) => progressLine(job, width, frame));
  return shown.length < jobs.length ? [...lines, style.dim(`… and ${jobs.length - shown.length} more Jobs`.slice(0, columns))] : lines;
}

function progressLine(job: JobView, nameWidth: number, { nowMs, startMs, columns, holds, style }: ProgressFrame): string {
  const { state, completions, succeeded, failed, startTimeMs, endTimeMs } = job;
  const name = qualifiedName(job.namespace, job.name);
  const shownName = name.length > nameWidth ? `${name.slice(0, nameWidth - 1)}…` : name.padEnd(nameWidth);
  const hold = holds?.get(job.uid) ?? "";
  // Why there is none says enough of that there is none.
  const activity = state !== "Running" ? state : job.active === 0 && hold !== "" ? "" : `${job.active} active`;
  const counts = [completionsText(job), activity, failed > 0 ? `${failed} failed` : ""].filter((part) => part !== "").join("  ");
  const elapsed = startTimeMs === undefined ? "" : `  ${endTimeMs === undefined ? formatDuration(nowMs - Math.max(startTimeMs, startMs)) : formatSeconds(endTimeMs - startTimeMs)}`;
  const room = columns - nameWidth - counts.length - elapsed.length - 4;
  const shownHold = hold === "" ? "" : shortened(`  ${hold}`, room + 2);
  const barWidth = Math.min(MAX_BAR_WIDTH, room - shownHold.length);
  const paint = state === "Failed" ? style.red : style.green;
  if (completions === null || barWidth < MIN_BAR_WIDTH) return painted([[shownName, style.bold], [`  ${counts}`], [elapsed, style.dim], [shownHold, style.yellow]], columns);
  const filled = completions === 0 ? barWidth : Math.floor((Math.min(succeeded, completions) / completions) * barWidth);
  return `${style.bold(shownName)}  ${paint("█".repeat(filled))}${style.dim("░".repeat(barWidth - filled))}  ${counts}${style.dim(elapsed)}${style.yellow(shownHold)}`;
}

/** The parts one after another, as far as there is room. */
function painted(parts: readonly (readonly [text: string, paint?: (text: string) => string])[], columns: number): string {
  let room = columns;
  return parts
    .map(([text, paint = (plain) => plain]) => {
      const shown = text.slice(0, Math.max(0, room));
      room -= shown.length;
      return shown === "" ? "" : paint(shown);
    })
    .join("");
}

/** With … at its end where something is left out; nothing where there is room for less than a word. */
function shortened(text: string, width: number): string {
  if (text.length <= width) return text;
  return width < MIN_HOLD_WIDTH ? "" : `${text.slice(0, width - 1)}…`;
}
