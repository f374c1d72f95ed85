/**
 * The outline of an area between two lines that go from left to right, as the points of a shape. Invariant: the next
 * area reuses its memory, because areas are drawn many times a second: the result of `points` is valid until then.
 */
const FIRST_POINTS = 1024;

export class Outline {
  /** The upper line from the front on, the lower one from the end back. */
  #numbers = new Float64Array(2 * FIRST_POINTS);
  #front = 0;
  #back = this.#numbers.length;

  clear(): void {
    this.#front = 0;
    this.#back = this.#numbers.length;
  }

  /** A point of each line, at the same x. */
  add(x: number, upperY: number, lowerY: number): void {
    if (this.#back - this.#front < 4) this.#grow();
    this.#numbers[this.#front++] = x;
    this.#numbers[this.#front++] = upperY;
    this.#numbers[--this.#back] = lowerY;
    this.#numbers[--this.#back] = x;
  }

  /** Along the upper line and back along the lower one. */
  points(): Float64Array {
    this.#numbers.copyWithin(this.#front, this.#back);
    return this.#numbers.subarray(0, 2 * this.#front);
  }

  #grow(): void {
    const { length } = this.#numbers;
    const larger = new Float64Array(2 * length);
    larger.set(this.#numbers.subarray(0, this.#front));
    larger.set(this.#numbers.subarray(this.#back), length + this.#back);
    this.#back += length;
    this.#numbers = larger;
  }
}
