/**
 * What a terminal shows of the bytes that a program writes to it: characters with their colours, in lines of its width.
 *
 * Knows the sequences that the command writes. @throws Error for another one, because the picture would be wrong.
 */

/** How a character looks: the number of its colour in SGR, 30 to 37 or 90 to 97, or undefined for the usual one. */
export interface Look {
  readonly colour?: number | undefined;
  readonly isBold?: boolean;
  readonly isDim?: boolean;
}

export interface Run extends Look {
  readonly text: string;
}

export interface Line {
  readonly runs: readonly Run[];
  readonly text: string;
  /** The terminal broke it, because it is full: the next line continues it. */
  readonly isFull: boolean;
}

interface Cell {
  readonly character: string;
  readonly look: Look;
}

interface Row {
  cells: Cell[];
  isFull: boolean;
}

const PLAIN: Look = {};
/** A sequence, a control character, or text. */
const PARTS = /\u001b\[[\d;?]*[A-Za-z]|\u001b.|[\u0000-\u001f\u007f]|[^\u0000-\u001f\u007f]+/gs;
/** The start of a sequence whose end has not come yet. */
const UNFINISHED = /\u001b(?:\[[\d;?]*)?$/;

export class Screen {
  readonly #columns: number;
  readonly #rows: Row[] = [{ cells: [], isFull: false }];
  #row = 0;
  #column = 0;
  #look = PLAIN;
  #unfinished = "";

  constructor(columns: number) {
    this.#columns = columns;
  }

  write(text: string): void {
    const all = this.#unfinished + text;
    this.#unfinished = UNFINISHED.exec(all)?.[0] ?? "";
    for (const [part] of all.slice(0, all.length - this.#unfinished.length).matchAll(PARTS)) {
      if (part.startsWith("\u001b")) this.#sequence(part);
      else if (part < " ") this.#control(part);
      else for (const character of part) this.#put(character);
    }
  }

  /** Its lines, without empty ones at the end. */
  get lines(): Line[] {
    const lines = this.#rows.map(({ cells, isFull }) => {
      const text = cells.map(({ character }) => character).join("");
      return { text: text.trimEnd(), isFull, runs: runsOf(cells) };
    });
    return lines.slice(0, lines.findLastIndex(({ text }) => text !== "") + 1);
  }

  #put(character: string): void {
    if (this.#column === this.#columns) {
      this.#rows[this.#row]!.isFull = true;
      this.#toRow(this.#row + 1);
      this.#column = 0;
    }
    const { cells } = this.#rows[this.#row]!;
    while (cells.length < this.#column) cells.push({ character: " ", look: PLAIN });
    cells[this.#column++] = { character, look: this.#look };
  }

  #control(character: string): void {
    if (character === "\n") this.#toRow(this.#row + 1);
    else if (character === "\r") this.#column = 0;
    else if (character === "\t") this.#column = Math.min(this.#columns - 1, (this.#column & ~7) + 8);
    else throw new Error(`a screen knows no control character ${JSON.stringify(character)}`);
  }

  #sequence(sequence: string): void {
    const [, numbers = "", letter] = /^\u001b\[([\d;]*)([A-Za-z])$/.exec(sequence) ?? [];
    const count = Number(numbers || "1");
    const { cells } = this.#rows[this.#row]!;
    if (letter === "m") this.#look = numbers.split(";").reduce(lookAfter, this.#look);
    else if (letter === "A") this.#row = Math.max(0, this.#row - count);
    else if (letter === "K" && numbers === "2") this.#rows[this.#row] = { cells: [], isFull: false };
    else if (letter === "K" && numbers === "") cells.length = Math.min(cells.length, this.#column);
    else throw new Error(`a screen knows no sequence ${JSON.stringify(sequence)}`);
  }

  #toRow(row: number): void {
    this.#row = row;
    while (this.#rows.length <= row) this.#rows.push({ cells: [], isFull: false });
  }
}

function lookAfter(look: Look, number: string): Look {
  const code = Number(number);
  if (code === 0) return PLAIN;
  if (code === 1) return { ...look, isBold: true };
  if (code === 2) return { ...look, isDim: true };
  if (code === 39) return { ...look, colour: undefined };
  if ((code >= 30 && code <= 37) || (code >= 90 && code <= 97)) return { ...look, colour: code };
  throw new Error(`a screen knows no colour ${number}`);
}

function runsOf(cells: readonly Cell[]): Run[] {
  const runs: (Look & { text: string })[] = [];
  let last: Look | undefined;
  for (const { character, look } of cells) {
    if (look === last) runs.at(-1)!.text += character;
    else runs.push({ ...look, text: character });
    last = look;
  }
  return runs;
}
