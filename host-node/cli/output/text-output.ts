/**
 * The run as text for people. On a terminal a status block is redrawn below the logs; elsewhere there are plain lines.
 *
 * Invariant: everything that comes from a container or from the API passes `printable` or a similar function before it
 * is written.
 */
import type { Decision } from "../../../bindings/js/engine.ts";
import { BoundedMap } from "../../../cluster/values/bounded-map.ts";
import { formatDuration } from "../../words/duration.ts";
import { brokenLines } from "../../words/broken-lines.ts";
import { decisionText } from "../../words/explanation.ts";
import { qualifiedName } from "../../words/job-name.ts";
import type { JobView, PodView } from "../../words/job-view.ts";
import { printable } from "../../words/printable.ts";
import { holdText } from "./hold-text.ts";
import { countsText, progressLines, shownJobs } from "./progress.ts";
import type { EventView, LogLine, OutputContext, RunOutput, RunSummary } from "./run-output.ts";
import { StatusBlock } from "./status-block.ts";
import type { Style } from "../../words/style.ts";
import { summaryLines } from "./summary.ts";
import { wrapped } from "./wrapped.ts";

/** Rows of the terminal that the block leaves to the logs. */
const ROWS_FOR_LOGS = 6;
/** Faster redraws would not be visible. */
const REDRAW_INTERVAL_MS = 50;
/** Names of Jobs are padded to at most this width. A longer name pushes the rest of its line to the right. */
const MAX_NAME_WIDTH = 40;
/** A run of a million pods has a million prefixes. Beyond this number the oldest is forgotten. */
const MAX_REMEMBERED_PREFIXES = 1000;

/** Warnings whose number is remembered: those that come again and again are few. */
const MAX_REMEMBERED_WARNINGS = 1000;
const QUOTED = /"[^"]*"/g;

const TIME_WIDTH = 6;
/** On a narrower terminal we leave the breaking of lines to the terminal. */
const MIN_TEXT_WIDTH = 30;

/** Without a terminal, a Job gets a line each time that this share of its completions has ended. */
const SMALLEST_NEWS = 0.01;
const MANY_PODS = 1000;

export interface TextOutputOptions extends OutputContext {
  write(text: string): void;
  /** Writes to standard error: warnings are not part of the output. */
  writeError(text: string): void;
  /** Undefined: no terminal. */
  readonly terminal: (() => { readonly columns: number; readonly rows: number }) | undefined;
  readonly style: Style;
  readonly errorStyle: Style;
}

export class TextOutput implements RunOutput {
  readonly #options: TextOutputOptions;
  readonly #block: StatusBlock;
  readonly #jobs = new Map<string, JobView>();
  /** Without a terminal: the last state of each Job that was printed. */
  readonly #told = new Map<string, JobView>();
  /** The colour number of each prefix. */
  readonly #prefixes = new BoundedMap<string, number>(MAX_REMEMBERED_PREFIXES);
  /** How often each Warning has come; refusals that differ in names are one. */
  readonly #warnings = new BoundedMap<string, number>(MAX_REMEMBERED_WARNINGS);
  #nextColour = 0;
  /** Names of Jobs are padded to this width before a decision, so that the decisions of several Jobs are aligned. */
  #nameWidth = 0;
  /** Why nothing happens with a Job, by its uid, as of the last tick. */
  #holds = new Map<string, string>();
  #lastDrawMs = -Infinity;

  constructor(options: TextOutputOptions) {
    this.#options = options;
    this.#block = new StatusBlock((text) => options.write(text), options.terminal !== undefined);
  }

  warning(_nowMs: number, text: string): void {
    this.#options.writeError(`${this.#options.errorStyle.yellow("Warning:")} ${printable(text)}\n`);
  }

  log(nowMs: number, line: LogLine): void {
    const prefix = `[${this.#prefix(line)}]`;
    this.#block.print([
      `${this.#options.style.numbered(this.#numberOf(prefix), prefix)} ${this.#options.style.containerLine(line.line)}`,
    ]);
    this.#draw(nowMs);
  }

  event(nowMs: number, { kind, namespace, name, type, reason, message }: EventView): void {
    if (type !== "Warning" || reason === "UnsupportedField") return;
    const object = `${kind.toLowerCase()}/${qualifiedName(namespace, name)}`;
    const times = this.#timesOf(`${object} ${reason} ${message.replaceAll(QUOTED, '""')}`);
    // A pod that cannot start says so for ever.
    if ((times & (times - 1)) !== 0) return;
    const again = times === 1 ? "" : ` (${times} times)`;
    this.#status(nowMs, `${object}: ${this.#options.style.yellow(reason)}: ${printable(message)}${again}`);
  }

  #timesOf(warning: string): number {
    const times = (this.#warnings.get(warning) ?? 0) + 1;
    this.#warnings.put(warning, times);
    return times;
  }

  job(nowMs: number, job: JobView): void {
    const told = this.#told.get(job.uid);
    this.#jobs.set(job.uid, job);
    this.#holds.delete(job.uid);
    this.#nameWidth = Math.min(
      MAX_NAME_WIDTH,
      Math.max(this.#nameWidth, qualifiedName(job.namespace, job.name).length),
    );
    if (told === undefined) this.#told.set(job.uid, job);
    // On a terminal the block shows this.
    if (this.#options.terminal === undefined && told !== undefined && isNews(told, job)) {
      this.#told.set(job.uid, job);
      const state = job.state === "Running" ? "" : `${job.state}, `;
      this.#status(nowMs, `${qualifiedName(job.namespace, job.name)}: ${state}${countsText(job)}`);
    }
    this.#draw(nowMs, job.state !== "Running");
  }

  pod(nowMs: number, pod: PodView): void {
    if (pod.phase !== "Failed") return;
    // If a pod was deleted, its end is not a failure.
    const end = pod.isDeleted ? "ended" : this.#options.style.red("failed");
    this.#status(
      nowMs,
      `pod/${qualifiedName(pod.namespace, pod.name)} ${end}${pod.failure === "" ? "" : `: ${printable(pod.failure)}`}`,
    );
  }

  decision(nowMs: number, decision: Decision): void {
    this.#status(nowMs, decisionText(decision, nowMs, this.#nameWidth), this.#options.style.dim);
  }

  note(nowMs: number, text: string): void {
    this.#status(nowMs, printable(text));
  }

  tick(nowMs: number): void {
    if (this.#options.terminal !== undefined) this.#holds = this.#findHolds(this.#rows);
    this.#draw(nowMs, true);
  }

  end(_nowMs: number, summary: RunSummary): void {
    this.#block.show([]);
    const columns = this.#options.terminal?.().columns ?? Infinity;
    this.#block.print(wrapped(summaryLines(summary, this.#options.style, columns).join("\n"), columns).split("\n"));
  }

  #findHolds(rows: number): Map<string, string> {
    const running = shownJobs([...this.#jobs.values()], rows).filter(({ state }) => state === "Running");
    return new Map(
      running.flatMap((job) => {
        const explanation = this.#options.explain(job);
        const text = explanation === undefined ? "" : holdText(explanation, () => this.#options.hold(job));
        return text === "" ? [] : [[job.uid, text] as const];
      }),
    );
  }

  /** The height of the block. */
  get #rows(): number {
    return Math.max(1, (this.#options.terminal?.().rows ?? 0) - ROWS_FOR_LOGS);
  }

  /** @param paint colours each of its lines */
  #status(nowMs: number, text: string, paint = (line: string): string => line): void {
    const time = formatDuration(nowMs - this.#options.startMs).padStart(TIME_WIDTH);
    const lines = brokenLines(
      text,
      Math.max(MIN_TEXT_WIDTH, (this.#options.terminal?.().columns ?? Infinity) - TIME_WIDTH - 2),
    );
    this.#block.print(
      lines.map((line, i) => `${i === 0 ? this.#options.style.dim(time) : " ".repeat(TIME_WIDTH)}  ${paint(line)}`),
    );
    this.#draw(nowMs);
  }

  #draw(nowMs: number, isUrgent = false): void {
    const { terminal, style } = this.#options;
    if (terminal === undefined || (!isUrgent && nowMs - this.#lastDrawMs < REDRAW_INTERVAL_MS)) return;
    this.#lastDrawMs = nowMs;
    // One column is left free: some terminals wrap at the last one.
    this.#block.show(
      progressLines([...this.#jobs.values()], {
        nowMs,
        columns: terminal().columns - 1,
        rows: this.#rows,
        holds: this.#holds,
        style,
      }),
    );
  }

  /**
   * The completion index, or else the part of the name in which the pod differs from its siblings. The Job and the
   * container are added if there are several.
   */
  #prefix({ pod, container, isOneOfSeveral }: LogLine): string {
    const own = pod.job !== "" && pod.name.startsWith(`${pod.job}-`) ? pod.name.slice(pod.job.length + 1) : pod.name;
    const job = this.#options.hasSeveralJobs && pod.job !== "" ? `${qualifiedName(pod.namespace, pod.job)}/` : "";
    return `${job}${pod.completionIndex ?? own}${isOneOfSeveral ? `/${container}` : ""}`;
  }

  #numberOf(prefix: string): number {
    let number = this.#prefixes.get(prefix);
    if (number === undefined) {
      number = this.#nextColour++;
      this.#prefixes.put(prefix, number);
    }
    return number;
  }
}

/**
 * Whether a change of a Job is worth a line. Pods that come and go between two completions are not; their logs and
 * failures are. For a Job with many pods, each hundredth part of its completions is worth a line. Before the first
 * completion, each doubling of the active pods is.
 */
function isNews(told: JobView, job: JobView): boolean {
  if (told.state !== job.state) return true;
  const finished = job.succeeded + job.failed;
  const newlyFinished = Math.abs(finished - told.succeeded - told.failed);
  if (newlyFinished > 0) return newlyFinished >= (job.completions ?? 0) * SMALLEST_NEWS;
  return (
    finished === 0 &&
    job.active > 0 &&
    (told.active === 0 || (job.active >= MANY_PODS && job.active >= 2 * told.active))
  );
}
