/**
 * What `stint wait` shows: on a terminal a line for each Job that is redrawn, and a line that stays for each that is
 * over; elsewhere a line whenever the verdict of a Job changes.
 *
 * Invariant: standard output has what was asked for with --output, and nothing else: with JUnit all lines go to
 * standard error. A change of numbers alone makes no new line.
 */
import type { Clock, Timer } from "../../../bindings/js/host.ts";
import type { Console } from "../console.ts";
import { hungLines } from "../../words/broken-lines.ts";
import { failureLines } from "../../words/failure-lines.ts";
import { formatDuration } from "../../words/duration.ts";
import { printable } from "../../words/printable.ts";
import { StatusBlock } from "../output/status-block.ts";
import { type Style, styleFor } from "../../words/style.ts";
import { wrapped } from "../output/wrapped.ts";
import { head } from "../json/document.ts";
import { type AwaitedJob, holdSentence, sentenceOf } from "./job-watch.ts";
import type { JobWait } from "./document.ts";
import { junitOf } from "./junit.ts";

export type WaitFormat = "text" | "json" | "junit";

/** How often the lines of a terminal are redrawn at most. */
const REDRAW_MS = 200;
/** Rows that are left for the prompt of the shell, and for the number of hidden Jobs. */
const SPARE_ROWS = 3;
const HOLD_INDENT = "  ";

export interface ReportOptions {
  readonly console: Console;
  readonly clock: Clock;
  readonly format: WaitFormat;
  readonly namespace: string;
}

export class Report {
  readonly #options: ReportOptions;
  readonly #beganMs: number;
  readonly #style: Style;
  readonly #block: StatusBlock;
  /** The last printed text about each Job, by UID. */
  readonly #said = new Map<string, string>();
  readonly #open = new Map<string, AwaitedJob>();
  #redraw: Timer | undefined;

  constructor(options: ReportOptions) {
    const { console, clock, format } = options;
    const isTerminal = console.terminal !== undefined && format === "text";
    this.#options = options;
    this.#beganMs = clock.now();
    this.#style = styleFor(isTerminal, console.environment);
    const write = (text: string): void => {
      if (format === "junit") console.writeError(text);
      else console.writeOut(text);
    };
    this.#block = new StatusBlock(write, isTerminal);
  }

  verdict(job: AwaitedJob): void {
    const { verdict, outcome, uid } = job;
    if (outcome === undefined) this.#open.set(uid, job);
    else this.#open.delete(uid);
    const isTerminal = this.#options.console.terminal !== undefined && this.#options.format === "text";
    if (isTerminal) this.#redraw ??= this.#options.clock.setTimer(REDRAW_MS, () => this.#draw());
    const said = [verdict.verdict, verdict.reason, verdict.decided, outcome?.kind].join();
    if (said === this.#said.get(uid) || (isTerminal && outcome === undefined)) return;
    this.#said.set(uid, said);
    this.#print(job);
  }

  /** One sentence about the wait itself. */
  problem(text: string): void {
    this.#options.console.writeError(`stint: ${printable(text)}\n`);
  }

  /** Jobs that are still waited for have timed out, or the wait was interrupted. */
  end(jobs: readonly AwaitedJob[], isTimedOut: boolean): void {
    this.#redraw?.cancel();
    this.#block.show([]);
    const { console, format, namespace } = this.#options;
    if (format === "junit") {
      console.writeOut(junitOf(jobs, namespace, isTimedOut));
      return;
    }
    for (const job of jobs.filter(({ outcome }) => outcome === undefined)) {
      if (format === "json") this.#print(job, isTimedOut ? "timedOut" : "interrupted");
      else this.#block.print(this.#linesOf(job, isTimedOut ? "time-out" : "interrupted"));
    }
  }

  #print(job: AwaitedJob, outcome: JobWait["outcome"] = job.outcome?.kind ?? null): void {
    const { format, namespace } = this.#options;
    const { name, uid, verdict, lastFailure, holds } = job;
    if (format === "json") {
      const sentence = sentenceOf(job);
      const known = { namespace, job: name, uid, outcome, ...verdict, sentence, lastFailure, holds };
      this.#block.print([JSON.stringify({ ...head("JobWait"), ...known } satisfies JobWait)]);
    } else this.#block.print(this.#linesOf(job, job.outcome?.kind === "stuck" ? "given up" : ""));
  }

  /** `12.0s  pi  is running: 1 active, …`. `end`: what ended the wait for it. */
  #linesOf(job: AwaitedJob, end = ""): string[] {
    const { clock, console } = this.#options;
    const elapsed = this.#style.dim(formatDuration(clock.now() - this.#beganMs).padStart(7));
    const name = this.#style.bold(printable(job.name));
    const line = `${elapsed}  ${name}  ${this.#painted(job)}${end === "" ? "" : ` (${end})`}`;
    const columns = console.terminal?.().columns ?? Infinity;
    const failure = job.lastFailure === undefined ? [] : failureLines(job.lastFailure, this.#style, columns);
    const hold = holdSentence(job);
    const held = hold === undefined ? [] : hungLines(printable(hold), columns, { indent: HOLD_INDENT });
    return [...wrapped(line, columns).split("\n"), ...held.map((text) => this.#style.yellow(text)), ...failure];
  }

  #painted(job: AwaitedJob): string {
    const { verdict, outcome } = job;
    const text = textOf(job);
    if (verdict.verdict === "Succeeded") return this.#style.green(text);
    const isBad = verdict.verdict === "Failed" || verdict.verdict === "Stuck" || outcome?.kind === "deleted";
    return isBad ? this.#style.red(text) : text;
  }

  #draw(): void {
    this.#redraw = undefined;
    const { columns, rows } = this.#options.console.terminal!();
    const room = Math.max(1, rows - SPARE_ROWS);
    const open = [...this.#open.values()];
    const lines = open.slice(0, room).map((job) => {
      const line = `${printable(job.name)}  ${textOf(job)}`;
      return line.length < columns ? line : `${line.slice(0, columns - 2)}…`;
    });
    this.#block.show(open.length > room ? [...lines, `and ${open.length - room} more`] : lines);
    if (open.length > 0) this.#redraw = this.#options.clock.setTimer(REDRAW_MS * 5, () => this.#draw());
  }
}

/** The text of a line about a Job, after the Job's name. */
function textOf(job: AwaitedJob): string {
  return printable(
    sentenceOf(job)
      .replace(/^the Job /, "")
      .replaceAll("\n", " "),
  );
}
