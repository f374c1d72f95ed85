/**
 * A small image of one pixel for each cell: the page stretches it, the SVG file makes rectangles of it.
 *
 * Invariant: what was changed since the last upload lies within the dirty columns. Leaves out what the cells mean.
 */
import type { CanvasLike, Context } from "./canvas-context.ts";

export class Bitmap {
  readonly width: number;
  readonly height: number;
  /** Row by row; 0 is see-through. */
  readonly pixels: Uint32Array;
  #canvas: CanvasLike | undefined;
  #image: { readonly data: Uint8ClampedArray } | undefined;
  #dirtyFrom = 0;
  #dirtyUntil: number;

  constructor(width: number, height: number) {
    this.width = Math.max(1, width);
    this.height = Math.max(1, height);
    this.pixels = new Uint32Array(this.width * this.height);
    this.#dirtyUntil = this.width;
  }

  /** Marks the pixels of columns `from` to `until`, exclusive, as written. */
  touch(from: number, until: number): void {
    this.#dirtyFrom = Math.min(this.#dirtyFrom, from);
    this.#dirtyUntil = Math.max(this.#dirtyUntil, until);
  }

  /** The bitmap as a canvas, updated with what was touched since the last call. */
  canvas(create: () => CanvasLike): CanvasLike {
    if (this.#canvas === undefined) {
      this.#canvas = create();
      this.#canvas.width = this.width;
      this.#canvas.height = this.height;
    }
    const context = this.#canvas.getContext("2d") as Context;
    if (this.#dirtyUntil > this.#dirtyFrom) {
      if (this.#image === undefined) this.#image = context.createImageData(this.width, this.height);
      const target = new Uint32Array(this.#image.data.buffer);
      const width = this.#dirtyUntil - this.#dirtyFrom;
      for (let y = 0; y < this.height; y++) {
        const at = y * this.width + this.#dirtyFrom;
        target.set(this.pixels.subarray(at, at + width), at);
      }
      context.putImageData(this.#image, 0, 0, this.#dirtyFrom, 0, width, this.height);
      this.#dirtyFrom = this.width;
      this.#dirtyUntil = 0;
    }
    return this.#canvas;
  }
}
