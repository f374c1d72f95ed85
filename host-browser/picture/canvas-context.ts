/**
 * What the picture uses of a canvas and of its context, so that tests and OffscreenCanvas fit as well as the DOM's.
 *
 * Invariant: types only.
 */

/** An HTMLCanvasElement or OffscreenCanvas. */
export interface CanvasLike {
  width: number;
  height: number;
  getContext(kind: "2d"): unknown;
}

/** What is used of CanvasRenderingContext2D. */
export interface Context {
  fillStyle: unknown;
  strokeStyle: unknown;
  lineWidth: number;
  font: string;
  textAlign: string;
  textBaseline: string;
  lineJoin: string;
  imageSmoothingEnabled: boolean;
  save(): void;
  restore(): void;
  setTransform(a: number, b: number, c: number, d: number, e: number, f: number): void;
  beginPath(): void;
  closePath(): void;
  moveTo(x: number, y: number): void;
  lineTo(x: number, y: number): void;
  rect(x: number, y: number, width: number, height: number): void;
  roundRect(x: number, y: number, width: number, height: number, radii: readonly number[]): void;
  clip(): void;
  fill(): void;
  stroke(): void;
  fillRect(x: number, y: number, width: number, height: number): void;
  strokeRect(x: number, y: number, width: number, height: number): void;
  clearRect(x: number, y: number, width: number, height: number): void;
  setLineDash(dash: readonly number[]): void;
  fillText(text: string, x: number, y: number): void;
  measureText(text: string): { readonly width: number };
  createPattern(image: CanvasLike, repetition: string): { setTransform(matrix: { a: number; d: number }): void } | null;
  createImageData(width: number, height: number): { readonly data: Uint8ClampedArray };
  putImageData(...image: readonly unknown[]): void;
  drawImage(image: CanvasLike, ...places: readonly number[]): void;
}
