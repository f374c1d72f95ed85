/**
 * A square for each row of a Job, in the order of indexes, line by line: what thousands of indexes are at the playhead.
 *
 * Invariant: the bitmap has one pixel for each square, so a frame costs at most that many. Leaves out hit-testing of
 * what is inside a square: a click zooms in.
 */
import { PodState } from "../records.ts";
import { Bitmap } from "./bitmap.ts";
import type { Cells } from "./cells.ts";
import { differenceOf } from "./difference.ts";
import { GHOST_LABEL, type TrackBox } from "./track-boxes.ts";
import { type Palette, pixelOf } from "./palette.ts";
import type { Grid } from "./grid.ts";
import type { HeatMode } from "./parts.ts";
import type { Track } from "./rows.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import { countText } from "./words.ts";

/** Squares of at least this side have air between them. */
const AIRY = 4;

export class HeatMap {
  readonly grid: Grid;
  readonly bitmap: Bitmap;
  readonly #box: TrackBox;
  readonly #pixels: Uint32Array;
  readonly #mode: HeatMode;
  /** Of the branch before. */
  readonly #isGhost: boolean;

  constructor(grid: Grid, box: TrackBox, palette: Palette, mode: HeatMode, isGhost = false) {
    this.grid = grid;
    this.#isGhost = isGhost;
    this.#box = box;
    this.#mode = mode;
    this.bitmap = new Bitmap(grid.columns, grid.lines);
    this.#pixels = pixelsOf(palette, mode);
  }

  update(track: Track, cells: Cells): void {
    const { pixels, width } = this.bitmap;
    const { first, count } = this.#box;
    const shift = this.#mode === "last" ? 0 : this.#mode === "worst" ? 4 : 8;
    const mask = this.#mode === "attempts" ? 0xff_ff : 15;
    const most = this.#pixels.length - 1;
    for (let i = 0; i < count; i++) {
      pixels[i] = this.#pixels[Math.min((cells.valueOf(track, first + i) >> shift) & mask, most)]!;
    }
    this.bitmap.touch(0, width);
  }

  /** In the mode `difference`: compares with the same rows of the branch before. */
  compare(track: Track, cells: Cells, other: Track | undefined, before: Cells): void {
    const { first, count } = this.#box;
    for (let row = first; row < first + count; row++) {
      const value = other === undefined ? 0 : before.valueOf(other, row);
      this.bitmap.pixels[row - first] = this.#pixels[differenceOf(cells.valueOf(track, row), value)]!;
    }
    this.bitmap.touch(0, this.bitmap.width);
  }

  draw(surface: Surface, scene: Scene): void {
    const { grid, bitmap } = this;
    const { palette, layout, sizes } = scene;
    const width = grid.columns * grid.side;
    const height = grid.lines * grid.height;
    surface.cells(
      bitmap,
      { x: 0, y: 0, width: bitmap.width, height: bitmap.height },
      { x: grid.x, y: grid.y, width, height },
    );
    if (grid.side >= AIRY) {
      for (let i = 1; i <= grid.columns; i++) {
        surface.rect(grid.x + i * grid.side - 1, grid.y, 1, height, palette.background);
      }
      for (let i = 1; i <= grid.lines; i++)
        surface.rect(grid.x, grid.y + i * grid.height - 1, width, 1, palette.background);
    }
    if (this.#isGhost) drawGhostWords(surface, scene, grid.y);
    const style = { size: sizes.small, colour: palette.soft, align: "right" } as const;
    const step = Math.max(1, Math.ceil((sizes.small * 2.2) / grid.height));
    for (let line = 0; line < grid.lines; line += step) {
      const row = this.#box.first + line * grid.columns;
      const y = grid.y + Math.max((line + 0.5) * grid.height, sizes.small * 0.6);
      surface.text(layout.plotX - 8 * layout.type, y, countText(row), style);
    }
  }
}

/** Draws the words above the branch before: rows or squares. */
export function drawGhostWords(surface: Surface, { layout, palette, sizes }: Scene, y: number): void {
  const style = { size: sizes.small, colour: palette.soft, isBold: true } as const;
  surface.text(layout.plotX, y - (GHOST_LABEL * layout.type) / 2, "Before the change", style);
}

/** The colour of each difference from the branch before. */
export function differenceColours({ grid, edge, states }: Palette): readonly string[] {
  const fill = (state: PodState): string => states[state]!.fill;
  return [
    ...[grid, edge, fill(PodState.SUCCEEDED), fill(PodState.FAILED), fill(PodState.WAITING)],
    ...[fill(PodState.READY), fill(PodState.TERMINATING)],
  ];
}

function pixelsOf(palette: Palette, mode: HeatMode): Uint32Array {
  if (mode === "difference") return Uint32Array.from(differenceColours(palette), pixelOf);
  if (mode === "attempts") return Uint32Array.from(palette.attempts, pixelOf);
  const pixels = new Uint32Array(PodState.GONE + 2);
  pixels[0] = pixelOf(palette.grid);
  for (let state = 0; state <= PodState.GONE; state++) pixels[state + 1] = pixelOf(palette.states[state]!.fill);
  pixels[PodState.GONE + 1] = pixelOf(palette.edge);
  return pixels;
}
