/**
 * A Surface on a canvas. Coordinates are scaled to the canvas's own pixels, so lines are sharp on every screen.
 *
 * Invariant: each call restores the context, but for fill, stroke and font, which every call sets.
 */
import type { Bitmap } from "./bitmap.ts";
import type { Pattern } from "./palette.ts";
import type { CanvasLike, Context } from "./canvas-context.ts";
import type { Box } from "./parts.ts";
import { type Surface, type TextStyle, TILE, TILE_LINES } from "./surface.ts";

/** The most text widths to cache. */
const MAX_WIDTHS = 4_000;

export interface Fonts {
  readonly font: string;
  readonly monoFont: string;
}

export class CanvasSurface implements Surface {
  readonly context: Context;
  readonly #density: number;
  readonly #fonts: Fonts;
  readonly #createCanvas: () => CanvasLike;
  readonly #patterns = new Map<string, unknown>();
  readonly #widths: Map<string, number>;
  /** The context's font: to read it costs as much as to set it. */
  #font = "";

  /** @param widths a cache of text widths, shared with other surfaces */
  constructor(
    canvas: CanvasLike,
    density: number,
    fonts: Fonts,
    createCanvas: () => CanvasLike,
    widths = new Map<string, number>(),
  ) {
    this.#widths = widths;
    this.context = canvas.getContext("2d") as Context;
    this.#density = density;
    this.#fonts = fonts;
    this.#createCanvas = createCanvas;
    this.context.setTransform(density, 0, 0, density, 0, 0);
  }

  rect(x: number, y: number, width: number, height: number, fill: string, radius?: number | readonly [number, number]) {
    if (width <= 0 || height <= 0) return;
    const { context } = this;
    context.fillStyle = fill;
    if (radius === undefined) {
      context.fillRect(x, y, width, height);
      return;
    }
    const [left, right] = typeof radius === "number" ? [radius, radius] : radius;
    context.beginPath();
    context.roundRect(x, y, width, height, [left, right, right, left]);
    context.fill();
  }

  pattern(x: number, y: number, width: number, height: number, pattern: Pattern, ink: string) {
    if (pattern === "none" || width <= 0) return;
    this.context.fillStyle = this.#patternOf(pattern, ink);
    this.context.fillRect(x, y, width, height);
  }

  frame(x: number, y: number, width: number, height: number, stroke: string, radius = 0, lineWidth = 1) {
    const { context } = this;
    context.strokeStyle = stroke;
    context.lineWidth = lineWidth;
    context.beginPath();
    context.roundRect(x, y, width, height, [radius]);
    context.stroke();
  }

  line(points: ArrayLike<number>, stroke: string, lineWidth: number, dash?: readonly number[]) {
    const { context } = this;
    context.strokeStyle = stroke;
    context.lineWidth = lineWidth;
    context.lineJoin = "round";
    if (dash !== undefined) context.setLineDash(dash);
    this.#path(points);
    context.stroke();
    if (dash !== undefined) context.setLineDash([]);
  }

  shape(points: ArrayLike<number>, fill: string) {
    this.context.fillStyle = fill;
    this.#path(points);
    this.context.closePath();
    this.context.fill();
  }

  text(x: number, y: number, text: string, style: TextStyle) {
    const { context } = this;
    this.#setFont(style);
    context.fillStyle = style.colour;
    context.textAlign = style.align ?? "left";
    context.textBaseline = "middle";
    context.fillText(text, x, y);
  }

  measure(text: string, style: TextStyle): number {
    const key = `${style.size} ${style.isBold === true} ${style.isMono === true} ${text}`;
    const known = this.#widths.get(key);
    if (known !== undefined) return known;
    if (this.#widths.size >= MAX_WIDTHS) this.#widths.clear();
    this.#setFont(style);
    const { width } = this.context.measureText(text);
    this.#widths.set(key, width);
    return width;
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void) {
    const { context } = this;
    const font = this.#font;
    context.save();
    context.beginPath();
    context.rect(x, y, width, height);
    context.clip();
    draw();
    context.restore();
    this.#font = font;
  }

  cells(bitmap: Bitmap, from: Box, to: Box) {
    const { context } = this;
    const image = bitmap.canvas(this.#createCanvas);
    context.imageSmoothingEnabled = false;
    context.drawImage(image, from.x, from.y, from.width, from.height, to.x, to.y, to.width, to.height);
  }

  #path(points: ArrayLike<number>) {
    const { context } = this;
    context.beginPath();
    context.moveTo(points[0]!, points[1]!);
    for (let i = 2; i < points.length; i += 2) context.lineTo(points[i]!, points[i + 1]!);
  }

  #setFont({ size, isBold, isMono }: TextStyle) {
    const family = isMono === true ? this.#fonts.monoFont : this.#fonts.font;
    const font = `${isBold === true ? "600 " : ""}${size}px ${family}`;
    if (this.#font === font) return;
    this.#font = font;
    this.context.font = font;
  }

  #patternOf(pattern: Exclude<Pattern, "none">, ink: string): unknown {
    const key = `${pattern} ${ink}`;
    const known = this.#patterns.get(key);
    if (known !== undefined) return known;
    const tile = this.#createCanvas();
    const pixels = Math.max(1, Math.round(TILE * this.#density));
    tile.width = pixels;
    tile.height = pixels;
    const context = tile.getContext("2d") as Context;
    context.setTransform(pixels / TILE, 0, 0, pixels / TILE, 0, 0);
    context.strokeStyle = ink;
    context.lineWidth = 1;
    for (const [x1, y1, x2, y2] of TILE_LINES[pattern]) {
      context.beginPath();
      context.moveTo(x1!, y1!);
      context.lineTo(x2!, y2!);
      context.stroke();
    }
    const made = this.context.createPattern(tile, "repeat");
    made?.setTransform({ a: TILE / pixels, d: TILE / pixels });
    this.#patterns.set(key, made);
    return made;
  }
}
