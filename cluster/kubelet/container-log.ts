/**
 * The output of one attempt of one container: a bounded buffer of lines with their times, readable and followable.
 *
 * Invariant: at most MAX_LOG_CHARACTERS characters and MAX_LOG_LINES lines are kept; the oldest go first. Followers get every
 * line that comes after they subscribed, then one end. A log that nobody writes to or follows holds no buffers.
 */
import { formatMicroTime } from "../kube-time.ts";
import { LineSplitter } from "../line-splitter.ts";

/** Characters kept of one attempt. */
export const MAX_LOG_CHARACTERS = 256 * 1024;
/** Lines kept of one attempt. */
export const MAX_LOG_LINES = 10_000;
/** Longer lines are cut in pieces, as a container runtime does (CRI: 16 KiB). */
export const MAX_LOG_LINE_LENGTH = 16 * 1024;
/** Followers of one attempt at a time. */
export const MAX_LOG_FOLLOWERS = 100;

export type OutputStream = "stdout" | "stderr";

export interface LogLine {
  /** Milliseconds since 1970. */
  readonly timeMs: number;
  /** Without its newline. */
  readonly text: string;
}

export interface LogFollower {
  line(line: LogLine): void;
  end(): void;
}

/** Shared by all logs that are still empty; never written to. */
const NO_LINES: LogLine[] = [];

export class ContainerLog {
  /** Undefined once the container is over: nothing is held alive by a log that is only kept to be read. */
  private onLine: ((stream: OutputStream, line: LogLine) => void) | undefined;
  private lines: LogLine[] = NO_LINES;
  /** Index of the oldest line that is kept. */
  private head = 0;
  private characters = 0;
  private ended = false;
  private splitters: Partial<Record<OutputStream, LineSplitter>> | undefined;
  private followers: Set<LogFollower> | undefined;
  private nowMs = 0;

  /** @param onLine is told of every line as it comes. */
  constructor(onLine: (stream: OutputStream, line: LogLine) => void) {
    this.onLine = onLine;
  }

  append(stream: OutputStream, chunk: Uint8Array | string, nowMs: number): void {
    this.nowMs = nowMs;
    const splitters = (this.splitters ??= {});
    splitters[stream] ??= new LineSplitter((text) => this.addLine(stream, text), { maxLineLength: MAX_LOG_LINE_LENGTH, cutLongLines: true });
    splitters[stream].push(chunk);
  }

  /** The container is over: a last line without newline counts as a line. */
  end(nowMs: number): void {
    this.nowMs = nowMs;
    for (const splitter of Object.values(this.splitters ?? {})) splitter.flush();
    this.splitters = undefined;
    this.onLine = undefined;
    this.ended = true;
    const followers = this.followers ?? [];
    this.followers = undefined;
    for (const follower of followers) follower.end();
  }

  /** The kept lines, oldest first. */
  kept(): readonly LogLine[] {
    return this.lines.slice(this.head);
  }

  /**
   * Calls back for each line from now on and once at the end; at once if the container is over.
   * @returns ends the subscription; undefined if there are MAX_LOG_FOLLOWERS already.
   */
  follow(follower: LogFollower): (() => void) | undefined {
    if (this.ended) {
      follower.end();
      return () => {};
    }
    const followers = (this.followers ??= new Set());
    if (followers.size >= MAX_LOG_FOLLOWERS) return undefined;
    followers.add(follower);
    return () => followers.delete(follower);
  }

  private addLine(stream: OutputStream, text: string): void {
    const line = { timeMs: this.nowMs, text };
    if (this.lines === NO_LINES) this.lines = [];
    this.lines.push(line);
    this.characters += text.length;
    while (this.characters > MAX_LOG_CHARACTERS || this.lines.length - this.head > MAX_LOG_LINES) {
      this.characters -= this.lines[this.head]!.text.length;
      this.head++;
    }
    // Cut seldom, so that dropping a line costs O(1) on average.
    if (this.head > 1024 && this.head * 2 > this.lines.length) {
      this.lines = this.lines.slice(this.head);
      this.head = 0;
    }
    this.onLine?.(stream, line);
    for (const follower of this.followers ?? []) follower.line(line);
  }
}

/** A line as `kubectl logs` shows it; `timestamps` puts the time with nine fractional digits before it. */
export function renderLine(line: LogLine, timestamps: boolean): string {
  return timestamps ? `${formatMicroTime(line.timeMs).slice(0, -1)}000Z ${line.text}\n` : `${line.text}\n`;
}
