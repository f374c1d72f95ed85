/**
 * A Surface that writes SVG: for slides, blogs and printing.
 *
 * Invariant: the text is well-formed whatever names it contains. Widths of text are estimated, since nothing is drawn.
 */
import type { Bitmap } from "./bitmap.ts";
import type { Pattern } from "./palette.ts";
import type { Box } from "./parts.ts";
import { type Surface, type TextStyle, TILE, TILE_LINES } from "./surface.ts";

const FONT = "system-ui, 'Segoe UI', 'Liberation Sans', 'DejaVu Sans', sans-serif";
const MONO_FONT = "ui-monospace, 'Cascadia Mono', 'DejaVu Sans Mono', Menlo, Consolas, monospace";
/** Mean widths of characters for a size of 1. */
const WIDTH = 0.58;
const BOLD_WIDTH = 0.66;
const MONO_WIDTH = 0.61;

export class SvgSurface implements Surface {
  readonly #parts: string[] = [];
  readonly #definitions = new Map<string, string>();
  #clips = 0;

  /** The whole file. */
  file(width: number, height: number, title: string): string {
    const size = `width="${n(width)}" height="${n(height)}" viewBox="0 0 ${n(width)} ${n(height)}"`;
    const head = `<svg xmlns="http://www.w3.org/2000/svg" ${size} role="img" font-family="${FONT}">`;
    const definitions = `<defs>${[...this.#definitions.values()].join("")}</defs>`;
    return [head, `<title>${escaped(title)}</title>`, definitions, ...this.#parts, "</svg>", ""].join("\n");
  }

  rect(x: number, y: number, width: number, height: number, fill: string, radius?: number | readonly [number, number]) {
    if (width <= 0 || height <= 0) return;
    const corner = radius === undefined ? 0 : typeof radius === "number" ? radius : Math.max(...radius);
    const round = corner === 0 ? "" : ` rx="${n(Math.min(corner, width / 2))}"`;
    this.#parts.push(`<rect ${box(x, y, width, height)}${round} ${paint("fill", fill)}/>`);
  }

  pattern(x: number, y: number, width: number, height: number, pattern: Pattern, ink: string) {
    if (pattern === "none" || width <= 0) return;
    const id = `${pattern}-${ink.replace(/[^\w]/g, "")}`;
    if (!this.#definitions.has(id)) {
      const lines = TILE_LINES[pattern]
        .map(([x1, y1, x2, y2]) => `<path d="M${x1} ${y1}L${x2} ${y2}" ${paint("stroke", ink)}/>`)
        .join("");
      const size = `width="${TILE}" height="${TILE}" patternUnits="userSpaceOnUse"`;
      this.#definitions.set(id, `<pattern id="${id}" ${size}>${lines}</pattern>`);
    }
    this.#parts.push(`<rect ${box(x, y, width, height)} fill="url(#${id})"/>`);
  }

  frame(x: number, y: number, width: number, height: number, stroke: string, radius = 0, lineWidth = 1) {
    const round = radius === 0 ? "" : ` rx="${n(radius)}"`;
    const line = `${paint("stroke", stroke)} stroke-width="${n(lineWidth)}"`;
    this.#parts.push(`<rect ${box(x, y, width, height)}${round} fill="none" ${line}/>`);
  }

  line(points: ArrayLike<number>, stroke: string, lineWidth: number, dash?: readonly number[]) {
    const dashes = dash === undefined ? "" : ` stroke-dasharray="${dash.join(" ")}"`;
    const line = `${paint("stroke", stroke)} stroke-width="${n(lineWidth)}"${dashes}`;
    this.#parts.push(`<path d="${path(points)}" fill="none" ${line}/>`);
  }

  shape(points: ArrayLike<number>, fill: string) {
    this.#parts.push(`<path d="${path(points)}Z" ${paint("fill", fill)}/>`);
  }

  text(x: number, y: number, text: string, style: TextStyle) {
    const anchor = style.align === "right" ? "end" : style.align === "center" ? "middle" : "start";
    const weight = style.isBold === true ? ' font-weight="600"' : "";
    const family = style.isMono === true ? ` font-family="${MONO_FONT}"` : "";
    // Not dominant-baseline, which some programs do not support.
    const place = `x="${n(x)}" y="${n(y + style.size * 0.35)}" font-size="${n(style.size)}" text-anchor="${anchor}"`;
    this.#parts.push(`<text ${place}${weight}${family} ${paint("fill", style.colour)}>${escaped(text)}</text>`);
  }

  measure(text: string, { size, isBold, isMono }: TextStyle): number {
    return text.length * size * (isMono === true ? MONO_WIDTH : isBold === true ? BOLD_WIDTH : WIDTH);
  }

  clip(x: number, y: number, width: number, height: number, draw: () => void) {
    const id = `clip-${this.#clips++}`;
    this.#definitions.set(id, `<clipPath id="${id}"><rect ${box(x, y, width, height)}/></clipPath>`);
    this.#parts.push(`<g clip-path="url(#${id})">`);
    draw();
    this.#parts.push("</g>");
  }

  /** A rectangle for each run of equal cells. */
  cells(bitmap: Bitmap, from: Box, to: Box) {
    const scaleX = to.width / from.width;
    const scaleY = to.height / from.height;
    const paths = new Map<number, string[]>();
    for (let line = 0; line < from.height; line++) {
      const start = (from.y + line) * bitmap.width + from.x;
      for (let column = 0; column < from.width;) {
        const pixel = bitmap.pixels[start + column]!;
        let end = column + 1;
        while (end < from.width && bitmap.pixels[start + end] === pixel) end++;
        if (pixel !== 0) {
          const run = `M${n(to.x + column * scaleX)} ${n(to.y + line * scaleY)}h${n((end - column) * scaleX)}v${n(scaleY)}`;
          const runs = paths.get(pixel);
          const closed = `${run}h${n(-(end - column) * scaleX)}z`;
          if (runs === undefined) paths.set(pixel, [closed]);
          else runs.push(closed);
        }
        column = end;
      }
    }
    for (const [pixel, runs] of paths) {
      this.#parts.push(`<path d="${runs.join("")}" fill="${hex(pixel)}" shape-rendering="crispEdges"/>`);
    }
  }
}

function hex(pixel: number): string {
  const bytes = [pixel & 255, (pixel >> 8) & 255, (pixel >> 16) & 255];
  return `#${bytes.map((byte) => byte.toString(16).padStart(2, "0")).join("")}`;
}

/** Two digits after the point are enough for any screen. */
function n(value: number): string {
  return String(Math.round(value * 100) / 100);
}

function box(x: number, y: number, width: number, height: number): string {
  return `x="${n(x)}" y="${n(y)}" width="${n(width)}" height="${n(height)}"`;
}

function path(points: ArrayLike<number>): string {
  let text = `M${n(points[0]!)} ${n(points[1]!)}`;
  for (let i = 2; i < points.length; i += 2) text += `L${n(points[i]!)} ${n(points[i + 1]!)}`;
  return text;
}

/** Older programs know no rgba() in SVG. */
function paint(what: "fill" | "stroke", colour: string): string {
  const found = /^rgba\((\d+),(\d+),(\d+),([\d.]+)\)$/.exec(colour);
  if (found === null) return `${what}="${colour}"`;
  const [, red, green, blue, opacity] = found;
  return `${what}="rgb(${red},${green},${blue})" ${what}-opacity="${opacity}"`;
}

function escaped(text: string): string {
  return (
    text
      .replaceAll("&", "&amp;")
      .replaceAll("<", "&lt;")
      .replaceAll(">", "&gt;")
      .replaceAll('"', "&quot;")
      // Control characters are not allowed in XML at all.
      .replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "�")
  );
}
