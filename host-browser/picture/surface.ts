/**
 * What the picture draws on: the few operations that a canvas and an SVG file can both do.
 *
 * Invariant: coordinates are CSS pixels; text is centred vertically on `y`. Leaves out state: each call passes all that
 * it needs.
 */
import type { Bitmap } from "./bitmap.ts";
import type { Pattern } from "./palette.ts";
import type { Box } from "./parts.ts";

export interface TextStyle {
  readonly size: number;
  readonly colour: string;
  readonly align?: "left" | "center" | "right";
  readonly isBold?: boolean;
  readonly isMono?: boolean;
}

export interface Surface {
  /** `radius`: of all corners, or of the left and the right ones. */
  rect(
    x: number,
    y: number,
    width: number,
    height: number,
    fill: string,
    radius?: number | readonly [number, number],
  ): void;
  /** Lines and dots over what is there. */
  pattern(x: number, y: number, width: number, height: number, pattern: Pattern, ink: string): void;
  frame(x: number, y: number, width: number, height: number, stroke: string, radius?: number, lineWidth?: number): void;
  /** Points as x, y, x, y… */
  line(points: ArrayLike<number>, stroke: string, lineWidth: number, dash?: readonly number[]): void;
  shape(points: ArrayLike<number>, fill: string): void;
  text(x: number, y: number, text: string, style: TextStyle): void;
  measure(text: string, style: TextStyle): number;
  /** Draws only within the box. */
  clip(x: number, y: number, width: number, height: number, draw: () => void): void;
  /** Part of a bitmap, stretched without smoothing. */
  cells(bitmap: Bitmap, from: Box, to: Box): void;
}

/** The size of a pattern's tile. */
export const TILE = 8;

/** Lines of a tile as x, y, x, y; a point is a short line. */
export const TILE_LINES: Readonly<Record<Exclude<Pattern, "none">, readonly (readonly number[])[]>> = {
  dots: [
    [1.5, 2, 2.5, 2],
    [5.5, 6, 6.5, 6],
  ],
  rising: [
    [-1, 5, 5, -1],
    [3, 9, 9, 3],
  ],
  falling: [
    [-1, 3, 5, 9],
    [3, -1, 9, 5],
  ],
  dashes: [
    [0, 2, 4, 2],
    [4, 6, 8, 6],
  ],
  upright: [[2, 0, 2, 8]],
  cross: [
    [0, 0, 8, 8],
    [0, 8, 8, 0],
  ],
};

/** The text, or its beginning and `…`, as fits; empty if not even three letters do. */
export function fitted(surface: Surface, text: string, style: TextStyle, width: number): string {
  return cut(surface, text, style, width, "");
}

/** Names of pods and nodes differ in their ends: what is cut is the middle. */
const NAME_END = 6;

/** The name, or its beginning, `…` and its end, as fits. */
export function fittedName(surface: Surface, name: string, style: TextStyle, width: number): string {
  return cut(surface, name, style, width, name.slice(-NAME_END)) || fitted(surface, name, style, width);
}

function cut(surface: Surface, text: string, style: TextStyle, width: number, end: string): string {
  if (surface.measure(text, style) <= width) return text;
  let low = 0;
  let high = text.length - end.length;
  while (low < high) {
    const middle = (low + high + 1) >>> 1;
    if (surface.measure(`${text.slice(0, middle)}…${end}`, style) <= width) low = middle;
    else high = middle - 1;
  }
  return low < 3 ? "" : `${text.slice(0, low)}…${end}`;
}
