/**
 * The output of one attempt of one container: a bounded buffer of lines with their times, readable and followable.
 *
 * Invariant: at most MAX_LOG_BYTES are kept. The oldest lines are dropped first, and the log counts them. Followers get
 * every line after they subscribed, then one end. A log without writes and followers holds no buffers.
 */
import { byteLength } from "../values/text.ts";
import { formatMicroTime } from "../values/kube-time.ts";
import { LineSplitter } from "../values/line-splitter.ts";

/**
 * Limit for the log of one attempt, as UTF-8 with the overhead of its lines: the size at which a kubelet rotates a log
 * file.
 */
export const MAX_LOG_BYTES = 10 * 1024 * 1024;
/**
 * What a container runtime writes with each line: `2026-01-02T03:04:05.678901234Z stdout F ` and the end of the line.
 */
export const LOG_LINE_OVERHEAD_BYTES = 41;
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

/** The lines dropped from the beginning of a log. */
export interface GoneLines {
  readonly lines: number;
  /** The time of the newest of them. */
  readonly untilMs: number;
}

export interface LogFollower {
  line(line: LogLine): void;
  end(): void;
}

/** Shared by all logs that are still empty; never written to. */
const NO_LINES: LogLine[] = [];

/** The log of one attempt. */
export class ContainerLog {
  /** Undefined when the container has ended, so that a log that is only read keeps nothing else in memory. */
  #onLine: ((stream: OutputStream, line: LogLine) => void) | undefined;
  #texts: LogLine[] = NO_LINES;
  /** Index of the oldest line that is kept. */
  #head = 0;
  #keptBytes = 0;
  #goneLines: GoneLines | undefined;
  #onChange: ((bytes: number) => void) | undefined;
  #ended = false;
  #splitters: Partial<Record<OutputStream, LineSplitter>> | undefined;
  #followers: Set<LogFollower> | undefined;
  #nowMs = 0;

  /**
   * @param onLine is called for every new line
   * @param onChange is called after a new line with the number of bytes by which the log has grown or shrunk
   */
  constructor(onLine: (stream: OutputStream, line: LogLine) => void, onChange?: (bytes: number) => void) {
    this.#onLine = onLine;
    this.#onChange = onChange;
  }

  /** The size of the kept lines, with their overhead. */
  get bytes(): number {
    return this.#keptBytes;
  }

  /** How many are kept. */
  get lines(): number {
    return this.#texts.length - this.#head;
  }

  /** Undefined: nothing. */
  get gone(): GoneLines | undefined {
    return this.#goneLines;
  }

  /** The container has ended, and had printed nothing. */
  get isSilent(): boolean {
    return this.#ended && this.#texts === NO_LINES;
  }

  append(stream: OutputStream, chunk: Uint8Array | string, nowMs: number): void {
    this.#nowMs = nowMs;
    const splitters = (this.#splitters ??= {});
    splitters[stream] ??= new LineSplitter((text) => this.#addLine(stream, text), {
      maxLineLength: MAX_LOG_LINE_LENGTH,
      cutLongLines: true,
    });
    splitters[stream].push(chunk);
  }

  /** The container has ended. A last line without newline counts as a line. */
  end(nowMs: number): void {
    this.#nowMs = nowMs;
    for (const splitter of Object.values(this.#splitters ?? {})) splitter.flush();
    this.#splitters = undefined;
    this.#onLine = undefined;
    this.#onChange = undefined;
    this.#ended = true;
    const followers = this.#followers ?? [];
    this.#followers = undefined;
    for (const follower of followers) follower.end();
  }

  /** The kept lines, oldest first. */
  kept(): readonly LogLine[] {
    return this.#texts.slice(this.#head);
  }

  /**
   * Calls back for each new line, and once at the end; the end comes at once if the container has ended.
   * @returns ends the subscription; undefined if there are MAX_LOG_FOLLOWERS already.
   */
  follow(follower: LogFollower): (() => void) | undefined {
    if (this.#ended) {
      follower.end();
      return () => {};
    }
    const followers = (this.#followers ??= new Set());
    if (followers.size >= MAX_LOG_FOLLOWERS) return undefined;
    followers.add(follower);
    return () => followers.delete(follower);
  }

  /** Drops the oldest lines until at most `maxBytes` are kept. @returns the number of dropped bytes */
  trim(maxBytes: number): number {
    const before = this.#keptBytes;
    while (this.#keptBytes > maxBytes) {
      const oldest = this.#texts[this.#head++]!;
      this.#keptBytes -= sizeOf(oldest);
      this.#goneLines = { lines: (this.#goneLines?.lines ?? 0) + 1, untilMs: oldest.timeMs };
    }
    // Shorten the arrays rarely, so that dropping a line costs O(1) on average.
    if (this.#head > 1024 && this.#head * 2 > this.#texts.length) {
      this.#texts = this.#texts.slice(this.#head);
      this.#head = 0;
    }
    return before - this.#keptBytes;
  }

  #addLine(stream: OutputStream, text: string): void {
    const line = { timeMs: this.#nowMs, text };
    if (this.#texts === NO_LINES) this.#texts = [];
    this.#texts.push(line);
    const size = sizeOf(line);
    this.#keptBytes += size;
    const dropped = this.trim(MAX_LOG_BYTES);
    this.#onChange?.(size - dropped);
    this.#onLine?.(stream, line);
    for (const follower of this.#followers ?? []) follower.line(line);
  }
}

function sizeOf({ text }: LogLine): number {
  return byteLength(text) + LOG_LINE_OVERHEAD_BYTES;
}

/** A line as `kubectl logs` shows it; `timestamps` puts the time with nine fractional digits before it. */
export function renderLine(line: LogLine, timestamps: boolean): string {
  return timestamps ? `${formatMicroTime(line.timeMs).slice(0, -1)}000Z ${line.text}\n` : `${line.text}\n`;
}
