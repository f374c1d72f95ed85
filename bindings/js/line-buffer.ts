/**
 * Cuts the bytes of a stream into whole lines. The start of a line waits here for its end.
 *
 * Invariant: a byte is copied a few times at most, however many pieces its line comes in. Leaves out how long a line
 * may be: the caller checks `waiting`.
 */
const NEWLINE = 10;
const NOTHING = new Uint8Array(0);

export class LineBuffer {
  /** The incomplete line, and space for more of it. */
  #bytes: Uint8Array = NOTHING;
  #length = 0;

  /** Bytes of the incomplete line. */
  get waiting(): number {
    return this.#length;
  }

  /** Adds the next piece. @returns the lines that are now complete, each with its newline; empty: none */
  push(piece: Uint8Array): Uint8Array {
    const end = piece.lastIndexOf(NEWLINE) + 1;
    const lines = end === 0 ? NOTHING : this.#finish(piece.subarray(0, end));
    this.#append(piece.subarray(end));
    return lines;
  }

  /** Returns the incomplete line together with its end. The caller may keep it: nothing is written there again. */
  #finish(end: Uint8Array): Uint8Array {
    if (this.#length === 0) return end;
    this.#append(end);
    const lines = this.#bytes.subarray(0, this.#length);
    this.#bytes = NOTHING;
    this.#length = 0;
    return lines;
  }

  #append(piece: Uint8Array): void {
    const length = this.#length + piece.length;
    if (length > this.#bytes.length) {
      const larger = new Uint8Array(2 * length);
      larger.set(this.#bytes.subarray(0, this.#length));
      this.#bytes = larger;
    }
    this.#bytes.set(piece, this.#length);
    this.#length = length;
  }
}
