/**
 * A lens over thin rows: the rows around the pointer, high enough to read, at their places in time.
 *
 * Invariant: it lies over the plot and never hides the axis; the row under the pointer is in its middle where that is
 * possible.
 */
import { drawLabels } from "./draw-gaps.ts";
import { drawNamedRow, trackAt } from "./draw-rows.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";

const ROWS = 9;
const ROW = 17;
/** The row under the pointer is higher. */
const MIDDLE_ROW = 24;

export function drawLens(surface: Surface, scene: Scene, pointerX: number, pointerY: number): void {
  const { layout, palette, rows } = scene;
  const box = trackAt(layout.tracks, pointerY);
  if (box === undefined || pointerY < box.rowsY || pointerX < layout.plotX || pointerX > layout.plotEnd) return;
  const track = rows.trackOf(box.job);
  if (track === undefined || box.count === 0) return;
  const middle = Math.min(box.first + Math.floor((pointerY - box.rowsY) / box.rowHeight), box.first + box.count - 1);
  const first = Math.max(box.first, Math.min(middle - Math.floor(ROWS / 2), box.first + box.count - ROWS));
  const shown = Math.min(ROWS, box.count);
  const heightOf = (row: number) => (row === middle ? MIDDLE_ROW : ROW) * layout.type;
  const height = (shown - 1) * ROW * layout.type + MIDDLE_ROW * layout.type;
  const above = (middle - first) * ROW * layout.type + (MIDDLE_ROW * layout.type) / 2;
  const top = Math.max(box.rowsY, Math.min(pointerY - above, layout.height - height));
  surface.rect(0, top - 5, layout.width, height + 10, "rgba(0,0,0,0.16)");
  surface.rect(0, top - 4, layout.width, height + 8, palette.background);
  surface.line([0, top - 4, layout.width, top - 4], palette.soft, 1);
  surface.line([0, top + height + 4, layout.width, top + height + 4], palette.soft, 1);
  let y = top;
  for (let row = first; row < first + shown; row++) {
    if (row === middle) surface.rect(0, y, layout.width, heightOf(row), palette.panel);
    drawNamedRow(surface, scene, track, row, y, heightOf(row));
    if (track.isIndexed) drawLabels(surface, scene, scene.gaps.of(box.job, row), y, heightOf(row), "right");
    y += heightOf(row);
  }
}
