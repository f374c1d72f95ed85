/**
 * A few lines at the bottom of a terminal that are drawn anew while other lines scroll by above them.
 *
 * Invariant: the block is always last and never wraps, so going up by its height and clearing removes it exactly. On
 * what is no terminal there is no block: only the lines are written.
 */

/** Line by line: some terminals keep a copy in their history of what is cleared as a whole. */
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

  /** What the block shows from now on; nothing is written when it shows that already. */
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
