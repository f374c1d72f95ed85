/**
 * A few lines at the bottom of a terminal that are redrawn while other lines scroll by above them.
 *
 * Invariant: the block is always last and never wraps, so moving up by its height and clearing removes exactly the
 * block. If the output is not a terminal there is no block, and only the lines are written.
 */

/** Clears line by line: some terminals keep a copy in their history when everything is cleared at once. */
const UP_AND_CLEAR = "\u001b[1A\u001b[2K";

export class StatusBlock {
  readonly #write: (text: string) => void;
  readonly #isTerminal: boolean;
  #shown: readonly string[] = [];

  constructor(write: (text: string) => void, isTerminal: boolean) {
    this.#write = write;
    this.#isTerminal = isTerminal;
  }

  /** Lines that stay, above the block. */
  print(lines: readonly string[]): void {
    if (lines.length === 0) return;
    this.#write(`${this.#erase()}${[...lines, ...this.#shown].map((line) => `${line}\n`).join("")}`);
  }

  /** Sets the lines of the block. Nothing is written if it shows them already. */
  show(lines: readonly string[]): void {
    if (!this.#isTerminal || (lines.length === this.#shown.length && lines.every((line, i) => line === this.#shown[i])))
      return;
    const erase = this.#erase();
    this.#shown = lines;
    this.#write(`${erase}${lines.map((line) => `${line}\n`).join("")}`);
  }

  #erase(): string {
    return UP_AND_CLEAR.repeat(this.#shown.length);
  }
}
