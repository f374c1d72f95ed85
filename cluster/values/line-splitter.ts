/**
 * Splits the chunks of a stream, text or UTF-8 bytes, into lines.
 *
 * Invariant: it returns every line exactly once, wherever the chunks were cut, even in the middle of a character. It
 * keeps one partial line of bounded length and nothing else.
 */

interface Decoder {
  decode(bytes?: Uint8Array, options?: { stream: boolean }): string;
}
/**
 * Part of the Encoding standard, in every JavaScript host; declared here because the pure folders see neither Node nor
 * DOM types.
 */
declare const TextDecoder: { new (): Decoder };

/** Longest line of a watch stream in UTF-16 units. A real API server refuses objects above 3 MiB. */
export const MAX_LINE_LENGTH = 16 * 1024 * 1024;

export interface LineSplitterOptions {
  /** Longest line in UTF-16 units; MAX_LINE_LENGTH unless given. */
  readonly maxLineLength?: number;
  /** Cut a longer line in pieces of that length instead of throwing. */
  readonly cutLongLines?: boolean;
}

/** Cuts the chunks of one stream into lines. */
export class LineSplitter {
  readonly #onLine: (line: string) => void;
  readonly #maxLineLength: number;
  readonly #cutLongLines: boolean;
  #decoder: Decoder | undefined;
  #partial = "";

  /** @param onLine gets each line without its newline. */
  constructor(onLine: (line: string) => void, options: LineSplitterOptions = {}) {
    this.#onLine = onLine;
    this.#maxLineLength = options.maxLineLength ?? MAX_LINE_LENGTH;
    this.#cutLongLines = options.cutLongLines ?? false;
  }

  /** @throws RangeError when a line is longer than allowed and long lines are not cut. */
  push(chunk: Uint8Array | string): void {
    // Each stream has its own decoder, which keeps the first bytes of a character until the next chunk completes it.
    const text =
      typeof chunk === "string" ? chunk : (this.#decoder ??= new TextDecoder()).decode(chunk, { stream: true });
    let start = 0;
    for (let end = text.indexOf("\n"); end >= 0; end = text.indexOf("\n", start)) {
      const line = this.#partial + text.slice(start, end);
      this.#partial = "";
      this.#onLine(this.#cut(line));
      start = end + 1;
    }
    if (start < text.length) this.#partial = this.#cut(this.#partial + text.slice(start));
  }

  /** Returns the text after the last newline, if there is any. */
  flush(): void {
    const rest = this.#partial + (this.#decoder?.decode() ?? "");
    this.#partial = "";
    if (rest !== "") this.#onLine(this.#cut(rest));
  }

  /** Passes full pieces of a line that is too long to `onLine`; returns the rest. */
  #cut(line: string): string {
    while (line.length > this.#maxLineLength) {
      if (!this.#cutLongLines)
        throw new RangeError(`a line of the stream is longer than ${this.#maxLineLength} characters`);
      this.#onLine(line.slice(0, this.#maxLineLength));
      line = line.slice(this.#maxLineLength);
    }
    return line;
  }
}
