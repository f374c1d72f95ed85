/**
 * What a stream sends at one instant, joined to few chunks. Texts are only concatenated lazily here: the reader, which
 * needs them as UTF-8, encodes a chunk at once and straight into its place.
 *
 * Invariant: the chunks concatenated equal the pieces concatenated. A chunk of text ends at the end of a line if the
 * pieces do. Leaves out a limit of the total: the reader takes everything at each instant.
 */

/** A text of this length ends with its line, so that no memory is needed for a copy of all lines of an instant. */
const MAX_TEXT_UNITS = 65_536;

export class ChunkBuffer {
  #chunks: (string | Uint8Array)[] = [];
  #text = "";

  get isEmpty(): boolean {
    return this.#text === "" && this.#chunks.length === 0;
  }

  write(text: string): void {
    this.#text += text;
    if (this.#text.length >= MAX_TEXT_UNITS && text.endsWith("\n")) this.#cut();
  }

  append(bytes: Uint8Array): void {
    this.#cut();
    this.#chunks.push(bytes);
  }

  /** What was written since the last time. */
  take(): (string | Uint8Array)[] {
    this.#cut();
    const taken = this.#chunks;
    this.#chunks = [];
    return taken;
  }

  #cut(): void {
    if (this.#text !== "") this.#chunks.push(this.#text);
    this.#text = "";
  }
}
