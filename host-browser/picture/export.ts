/** The picture as a file: with a title above it and the legend beneath it. */
import { drawBase, drawMoving, type Layers } from "./frame.ts";
import { drawSwatchOn, legendOf } from "./legend.ts";
import type { CanvasLike } from "./canvas-context.ts";
import type { Exported } from "./picture.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import { SvgSurface } from "./svg-surface.ts";

const TITLE = 44;
const LEGEND_LINE = 24;
const SWATCH = { width: 26, height: 13 };
const EDGE = 14;

interface LegendPlace {
  readonly key: string;
  readonly label: string;
  readonly x: number;
  readonly line: number;
}

/** The text of an SVG file. */
export function svgOf({ scene, layers }: Exported, title: string): string {
  const surface = new SvgSurface();
  drawExport(surface, scene, layers, title);
  return surface.file(scene.layout.width, exportHeight(surface, scene), title);
}

/** Draws the same onto a canvas, for PNG, and sets its size. */
export function drawOn(canvas: CanvasLike, { scene, layers, density, surfaceOf }: Exported, title: string): void {
  canvas.width = Math.round(scene.layout.width * density);
  canvas.height = Math.round(exportHeight(surfaceOf(canvas), scene) * density);
  drawExport(surfaceOf(canvas), scene, layers, title);
}

/** Draws everything; `exportHeight` returns the size beforehand. */
function drawExport(surface: Surface, scene: Scene, layers: Layers, title: string): void {
  const { layout, palette, sizes } = scene;
  const type = layout.type;
  surface.rect(0, 0, layout.width, exportHeight(surface, scene), palette.background);
  const shifted = new Shifted(surface, TITLE * type);
  drawBase(shifted, scene, layers);
  drawMoving(shifted, scene, layers);
  surface.text(EDGE * type, (TITLE * type) / 2, title, {
    size: sizes.normal * 1.4,
    colour: palette.text,
    isBold: true,
  });
  const y = TITLE * type + layout.height + 8 * type;
  for (const { key, label, x, line } of legendPlaces(surface, scene)) {
    const lineY = y + line * LEGEND_LINE * type;
    drawSwatchOn(surface, scene, key, x, lineY, SWATCH.width * type, SWATCH.height * type);
    const style = { size: sizes.small, colour: palette.soft };
    surface.text(x + (SWATCH.width + 6) * type, lineY + (SWATCH.height * type) / 2, label, style);
  }
}

function exportHeight(surface: Surface, scene: Scene): number {
  const lines = 1 + (legendPlaces(surface, scene).at(-1)?.line ?? 0);
  return Math.ceil(scene.layout.height + (TITLE + 12 + lines * LEGEND_LINE) * scene.layout.type);
}

function legendPlaces(surface: Surface, scene: Scene): LegendPlace[] {
  const { layout, sizes, palette } = scene;
  const type = layout.type;
  let x = EDGE * type;
  let line = 0;
  return legendOf(scene).map(({ key, label }) => {
    const width = (SWATCH.width + 6 + 18) * type + surface.measure(label, { size: sizes.small, colour: palette.soft });
    if (x + width > layout.width && x > EDGE * type) {
      x = EDGE * type;
      line++;
    }
    const place = { key, label, x, line };
    x += width;
    return place;
  });
}

/** A surface that lies lower on another one. */
class Shifted implements Surface {
  readonly #on: Surface;
  readonly #dy: number;

  constructor(on: Surface, dy: number) {
    this.#on = on;
    this.#dy = dy;
  }

  rect(...[x, y, ...rest]: Parameters<Surface["rect"]>) {
    this.#on.rect(x, y + this.#dy, ...rest);
  }

  pattern(...[x, y, ...rest]: Parameters<Surface["pattern"]>) {
    this.#on.pattern(x, y + this.#dy, ...rest);
  }

  frame(...[x, y, ...rest]: Parameters<Surface["frame"]>) {
    this.#on.frame(x, y + this.#dy, ...rest);
  }

  line(points: ArrayLike<number>, ...rest: [string, number, (readonly number[])?]) {
    this.#on.line(this.#moved(points), ...rest);
  }

  shape(points: ArrayLike<number>, fill: string) {
    this.#on.shape(this.#moved(points), fill);
  }

  text(...[x, y, ...rest]: Parameters<Surface["text"]>) {
    this.#on.text(x, y + this.#dy, ...rest);
  }

  measure(...input: Parameters<Surface["measure"]>): number {
    return this.#on.measure(...input);
  }

  clip(...[x, y, ...rest]: Parameters<Surface["clip"]>) {
    this.#on.clip(x, y + this.#dy, ...rest);
  }

  cells(...[bitmap, from, to]: Parameters<Surface["cells"]>) {
    this.#on.cells(bitmap, from, { ...to, y: to.y + this.#dy });
  }

  #moved(points: ArrayLike<number>): number[] {
    return Array.from(points, (value, i) => (i % 2 === 1 ? value + this.#dy : value));
  }
}
