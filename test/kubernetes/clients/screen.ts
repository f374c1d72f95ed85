/**
 * What a program that draws on a terminal shows: cells of text, written where the cursor is. As much of a terminal as
 * full-screen programs use: moves of the cursor and clearing. Colours and everything else are dropped.
 */
export class Screen {
  readonly #columns: number;
  readonly #lines: string[][];
  #row = 0;
  #column = 0;
  #rest = "";

  constructor(rows: number, columns: number) {
    this.#columns = columns;
    this.#lines = Array.from({ length: rows }, () => this.#blank());
  }

  /** What the program wrote; a sequence may end in the next call. */
  write(text: string): void {
    const all = this.#rest + text;
    const parts = /\x1b\[([0-9;?>=]*)([@-~])|\x1b[()].|\x1b\][^\x07\x1b]*(?:\x07|\x1b\\)|\x1b[^[\]()]|([^\x1b])/gsuy;
    let end = 0;
    for (let part = parts.exec(all); part !== null; part = parts.exec(all)) {
      end = parts.lastIndex;
      if (part[3] !== undefined) this.#character(part[3]);
      else if (part[2] !== undefined) this.#control(part[2], part[1]!.split(";").map(Number));
    }
    this.#rest = all.slice(end);
  }

  /** Its lines, without the blanks at their ends. */
  text(): string {
    return this.#lines.map((cells) => cells.join("").trimEnd()).join("\n");
  }

  #character(character: string): void {
    if (character === "\r") this.#column = 0;
    else if (character === "\n") this.#row = Math.min(this.#row + 1, this.#lines.length - 1);
    else if (character === "\b") this.#column = Math.max(this.#column - 1, 0);
    else if (character >= " ") {
      if (this.#column < this.#columns) this.#lines[this.#row]![this.#column] = character;
      this.#column++;
    }
  }

  #control(final: string, [first = 0, second = 0]: readonly number[]): void {
    const count = Math.max(first, 1);
    if (final === "H") [this.#row, this.#column] = [Math.min(count, this.#lines.length) - 1, Math.max(second, 1) - 1];
    else if (final === "A") this.#row = Math.max(this.#row - count, 0);
    else if (final === "B") this.#row = Math.min(this.#row + count, this.#lines.length - 1);
    else if (final === "C") this.#column += count;
    else if (final === "D") this.#column = Math.max(this.#column - count, 0);
    else if (final === "G") this.#column = count - 1;
    else if (final === "d") this.#row = Math.min(count, this.#lines.length) - 1;
    else if (final === "J" && first === 2) this.#lines.forEach((_, row) => (this.#lines[row] = this.#blank()));
    else if (final === "K") this.#lines[this.#row]!.fill(" ", first === 0 ? this.#column : 0);
  }

  #blank(): string[] {
    return Array.from({ length: this.#columns }, () => " ");
  }
}
