/**
 * The run for GitHub Actions: what people see without a terminal, the progress in a group that can be folded; an
 * annotation for each Job that is not complete; and a table for the page of the workflow run.
 *
 * Invariant: GitHub never reads text of a container or of the API as a workflow command: commands are stopped while
 * such text is written. Source: docs.github.com, "Workflow commands for GitHub Actions".
 */
import type { Decision } from "../../../bindings/js/engine.ts";
import type { Position } from "../../../cluster/manifests/diagnostic.ts";
import { formatDuration } from "../../words/duration.ts";
import { githubCommand } from "./github-command.ts";
import { qualifiedName } from "../../words/job-name.ts";
import type { JobView, PodView } from "../../words/job-view.ts";
import { printable, uncolouredLine } from "../../words/printable.ts";
import { completionsText } from "./progress.ts";
import type { EndedJob, EventView, LogLine, RunOutput, RunSummary } from "./run-output.ts";

/** Annotations: GitHub shows ten a step. */
const MAX_ANNOTATIONS = 10;
/** Jobs in the table. A page has at most 1 MiB. */
const MAX_ROWS = 1000;
const MAX_DETAILS = 50;
const STANDARD_INPUT = "<stdin>";

export interface GithubOutputOptions {
  /** Writes the lines that people see. */
  readonly text: RunOutput;
  write(text: string): void;
  /** A word that cannot be guessed: it ends the text that is no command. */
  readonly token: string;
  /** The position of a Job's manifest. */
  placeOf(job: JobView): Position | undefined;
  /** Appends Markdown to the page of the workflow run. Undefined: there is none. */
  readonly appendSummary: ((markdown: string) => void) | undefined;
}

export class GithubOutput implements RunOutput {
  readonly #options: GithubOutputOptions;

  constructor(options: GithubOutputOptions) {
    this.#options = options;
    options.write(`::group::stint run\n${this.#stopCommands}`);
  }

  warning(nowMs: number, text: string): void {
    this.#options.text.warning(nowMs, text);
  }

  log(nowMs: number, line: LogLine): void {
    this.#options.text.log(nowMs, line);
  }

  event(nowMs: number, event: EventView): void {
    this.#options.text.event(nowMs, event);
  }

  job(nowMs: number, job: JobView): void {
    this.#options.text.job(nowMs, job);
  }

  pod(nowMs: number, pod: PodView): void {
    this.#options.text.pod(nowMs, pod);
  }

  decision(nowMs: number, decision: Decision): void {
    this.#options.text.decision(nowMs, decision);
  }

  note(nowMs: number, text: string): void {
    this.#options.text.note(nowMs, text);
  }

  tick(): void {}

  end(nowMs: number, summary: RunSummary): void {
    const { text, write, token, appendSummary } = this.#options;
    write(`::${token}::\n::endgroup::\n${this.#stopCommands}`);
    text.end(nowMs, summary);
    const bad = summary.jobs.filter(({ state }) => state !== "Complete");
    write(
      `::${token}::\n${bad
        .slice(0, MAX_ANNOTATIONS)
        .map((job) => this.#annotation(job))
        .join("")}`,
    );
    appendSummary?.(markdownOf(summary));
  }

  get #stopCommands(): string {
    return `::stop-commands::${this.#options.token}\n`;
  }

  #annotation(job: EndedJob): string {
    const place = this.#options.placeOf(job);
    const where = place === undefined || place.file === STANDARD_INPUT ? {} : { file: place.file, line: place.line };
    const title = `Job ${qualifiedName(job.namespace, job.name)} ${job.state === "Failed" ? "failed" : "has not finished"}`;
    return githubCommand("error", { ...where, title }, [reasonOf(job), ...failureLinesOf(job)].join("\n"));
  }
}

function markdownOf({ jobs, exitStatus, reason, durationMs, isSimulated }: RunSummary): string {
  const shown = jobs.toSorted((a, b) => Number(a.state === "Complete") - Number(b.state === "Complete"));
  const failed = shown.filter(({ lastFailure }) => lastFailure !== undefined).slice(0, MAX_DETAILS);
  const time = `${formatDuration(durationMs)}${isSimulated ? " of simulated time" : ""}`;
  return [
    "### stint run",
    "",
    "| Job | State | Succeeded | Failed | Time | Reason |",
    "|---|---|---|---|---|---|",
    ...shown.slice(0, MAX_ROWS).map(rowOf),
    ...(shown.length > MAX_ROWS ? [`| … and ${shown.length - MAX_ROWS} more | | | | | |`] : []),
    "",
    `${reason === undefined ? "" : `${cell(reason)}; `}exit status ${exitStatus} after ${time}`,
    "",
    ...failed.flatMap((job) => [
      `**${cell(qualifiedName(job.namespace, job.name))}**`,
      "",
      ...fenced(failureLinesOf(job)),
      "",
    ]),
  ].join("\n");
}

function rowOf(job: EndedJob): string {
  const { state, startTimeMs, endTimeMs } = job;
  const mark = { Complete: "✅ Complete", Failed: "❌ Failed", Running: "⏳ not finished" }[state];
  const time = startTimeMs === undefined || endTimeMs === undefined ? "" : formatDuration(endTimeMs - startTimeMs);
  const cells = [
    cell(qualifiedName(job.namespace, job.name)),
    ...[mark, completionsText(job), String(job.failed), time],
    state === "Complete" ? "" : cell(reasonOf(job)),
  ];
  return `| ${cells.join(" | ")} |`;
}

/** `BackoffLimitExceeded: Job has reached …`; of a Job that has not ended, what it waits for. */
function reasonOf({ state, conditions, sentence }: EndedJob): string {
  if (state === "Running") return printable(sentence ?? "");
  const failed = conditions.find(({ type }) => type === "Failed");
  return printable(failed === undefined ? "" : `${failed.reason}: ${failed.message}`);
}

function failureLinesOf({ lastFailure, withoutPods }: EndedJob): string[] {
  if (lastFailure === undefined) return withoutPods === undefined ? [] : [printable(withoutPods)];
  const { pod, failure, log } = lastFailure;
  return [printable(`last failure: pod ${pod}${failure === "" ? "" : `: ${failure}`}`), ...log.map(uncolouredLine)];
}

/** Text in a table of Markdown. */
function cell(text: string): string {
  return text.replace(/[\\`*_{}[\]<>|~]/g, (character) => `&#${character.charCodeAt(0)};`);
}

/** Lines in a fenced block that no line can end. */
function fenced(lines: readonly string[]): string[] {
  const longest = Math.max(0, ...lines.flatMap((line) => (line.match(/`+/g) ?? []).map(({ length }) => length)));
  const fence = "`".repeat(Math.max(3, longest + 1));
  return [fence, ...lines, fence];
}
