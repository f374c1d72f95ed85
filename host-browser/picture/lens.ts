/**
 * A lens over thin rows and squares: the rows around the one under the pointer, high enough to read, at their places in
 * time.
 *
 * Invariant: over thin rows it never hides the axis, and the row under the pointer is in its middle where that is
 * possible; over squares it lies beside what the pointer is on, with its own axis.
 */
import { drawLabels } from "./draw-gaps.ts";
import { drawNamedRow } from "./draw-rows.ts";
import type { Box } from "./parts.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import { ticksOf } from "./time-scale.ts";
import type { TrackBox } from "./track-boxes.ts";
import { tickText } from "./words.ts";

const ROWS = 9;
const ROWS_BESIDE = 5;
const ROW = 17;
/** The row under the pointer is higher. */
const MIDDLE_ROW = 24;
const AXIS = 16;
/** Space for the words under the pointer. */
const BESIDE = 40;
const TICKS_APART = 90;

export function drawLens(surface: Surface, scene: Scene, box: TrackBox, middle: number, pointerY: number): void {
  const { type, height: most } = scene.layout;
  const { first, height } = rowsAround(scene, box, middle, ROWS);
  const above = (middle - first) * ROW * type + (MIDDLE_ROW * type) / 2;
  const top = Math.max(box.rowsY, Math.min(pointerY - above, most - height));
  drawPanel(surface, scene, top, height);
  drawRows(surface, scene, box, middle, ROWS, top);
}

/** Under the square, or above it where it does not fit. */
export function drawLensBeside(surface: Surface, scene: Scene, box: TrackBox, middle: number, square: Box): void {
  const { layout, palette, time, sizes } = scene;
  const rows = rowsAround(scene, box, middle, ROWS_BESIDE).height;
  const height = rows + AXIS * layout.type;
  const below = square.y + square.height + BESIDE * layout.type;
  const top = below + height < layout.minimap.y ? below : Math.max(layout.axisY, square.y - height - 14);
  drawPanel(surface, scene, top, height);
  const { timesMs, stepMs } = ticksOf(time, TICKS_APART * layout.type);
  const style = { size: sizes.small, colour: palette.soft, align: "center" } as const;
  for (const ms of timesMs) {
    const x = time.xOf(ms);
    surface.line([x, top + AXIS * layout.type, x, top + height], palette.edge, 1);
    surface.text(x, top + (AXIS * layout.type) / 2, tickText(ms, stepMs), style);
  }
  drawRows(surface, scene, box, middle, ROWS_BESIDE, top + AXIS * layout.type);
}

function rowsAround(scene: Scene, { first, count }: TrackBox, middle: number, most: number) {
  const shown = Math.min(most, count);
  const from = Math.max(first, Math.min(middle - Math.floor(most / 2), first + count - shown));
  return { first: from, shown, height: ((shown - 1) * ROW + MIDDLE_ROW) * scene.layout.type };
}

function drawPanel(surface: Surface, { layout, palette }: Scene, top: number, height: number): void {
  surface.rect(0, top - 5, layout.width, height + 10, "rgba(0,0,0,0.16)");
  surface.rect(0, top - 4, layout.width, height + 8, palette.background);
  surface.line([0, top - 4, layout.width, top - 4], palette.soft, 1);
  surface.line([0, top + height + 4, layout.width, top + height + 4], palette.soft, 1);
}

function drawRows(surface: Surface, scene: Scene, box: TrackBox, middle: number, most: number, top: number): void {
  const { layout, palette, rows } = scene;
  const track = rows.trackOf(box.job);
  if (track === undefined) return;
  const { first, shown } = rowsAround(scene, box, middle, most);
  let y = top;
  for (let row = first; row < first + shown; row++) {
    const height = (row === middle ? MIDDLE_ROW : ROW) * layout.type;
    if (row === middle) surface.rect(0, y, layout.width, height, palette.panel);
    drawNamedRow(surface, scene, track, row, y, height);
    if (track.isIndexed)
      drawLabels(surface, scene, scene.gaps.of(box.job, row), { y, height, align: "right", taken: [] });
    y += height;
  }
}
