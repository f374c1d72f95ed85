/**
 * Draws thin rows: their bitmap, piece by piece of the time scale, numbers of rows at the side, and air between rows
 * that are high enough for it.
 */
import type { Bins } from "./bins.ts";
import type { TrackBox } from "./track-boxes.ts";
import { drawGhostWords } from "./heat-map.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import type { ThinRows } from "./thin-rows.ts";
import type { TimeScale } from "./time-scale.ts";
import { countText } from "./words.ts";

/** Rows of at least this height have air between them. */
const AIRY = 4;

export function drawThinRows(surface: Surface, scene: Scene, box: TrackBox, thin: ThinRows): void {
  const { layout, palette } = scene;
  drawLanes(surface, scene, thin, 0, thin.bitmap.height, box.rowsY, box.count * box.rowHeight);
  if (box.rowHeight >= AIRY) {
    for (let row = 1; row <= box.count; row++) {
      const y = box.rowsY + row * box.rowHeight;
      surface.rect(layout.plotX, y - 1, layout.plotEnd - layout.plotX, 1, palette.background);
    }
  }
}

/** Draws the branch before: in the lower part of each row, or all its rows under these. */
export function drawGhostRows(surface: Surface, scene: Scene, box: TrackBox, thin: ThinRows): void {
  const { layout, palette } = scene;
  if (box.ghost !== undefined) {
    drawLanes(surface, scene, thin, 0, thin.bitmap.height, box.ghost.y, box.count * box.ghost.rowHeight);
    drawGhostWords(surface, scene, box.ghost.y);
    return;
  }
  for (let row = 0; row < box.count; row++) {
    const y = box.rowsY + (row + 1) * box.rowHeight - 1 - box.ghostPart;
    surface.rect(layout.plotX, y - 1, layout.plotEnd - layout.plotX, box.ghostPart + 1, palette.background);
    drawLanes(surface, scene, thin, row, 1, y, box.ghostPart);
  }
}

/** Lanes of the bitmap, stretched to a height. */
function drawLanes(
  surface: Surface,
  scene: Scene,
  { bitmap, bins }: ThinRows,
  lane: number,
  lanes: number,
  y: number,
  height: number,
): void {
  const wantedFrom = bins.at(scene.paint.fromMs);
  const wantedUntil = bins.at(scene.paint.untilMs) + 1;
  for (const [from, until] of evenRuns(bins, scene.time)) {
    if (until <= wantedFrom || from >= wantedUntil) continue;
    const x = scene.time.xOf(bins.edges[from]!);
    const untilX = scene.time.xOf(bins.edges[until]!);
    surface.cells(
      bitmap,
      { x: from, y: lane, width: until - from, height: lanes },
      { x, y, width: untilX - x, height },
    );
  }
}

/** Draws row numbers at round distances, where they hide no bar. */
export function drawRowNumbers(surface: Surface, scene: Scene, box: TrackBox): void {
  const { layout, palette, sizes } = scene;
  const step = roundStep((sizes.small * 2.4) / box.rowHeight);
  const style = { size: sizes.small, colour: palette.soft, align: "right" } as const;
  for (let row = Math.ceil(box.first / step) * step; row < box.first + box.count; row += step) {
    const y = box.rowsY + Math.max((row - box.first + 0.5) * box.rowHeight, sizes.small * 0.7);
    surface.text(layout.plotX - 8 * layout.type, y, countText(row), style);
    surface.line([layout.plotX - 5 * layout.type, y, layout.plotX - 1, y], palette.edge, 1);
  }
}

/** 1, 2, 5, 10, 20, 50…: the least that is at least the wanted step. */
export function roundStep(wanted: number): number {
  const power = 10 ** Math.floor(Math.log10(Math.max(wanted, 1)));
  return [1, 2, 5, 10].map((factor) => factor * power).find((step) => step >= wanted)!;
}

/** Runs of bins of one width: the cut ones at the ends of a piece are separate runs. */
function evenRuns(bins: Bins, time: TimeScale): (readonly [from: number, until: number])[] {
  const runs: (readonly [number, number])[] = [];
  for (const piece of time.pieces) {
    const from = bins.at(piece.fromMs);
    const until = piece.untilMs >= time.untilMs ? bins.count : bins.at(piece.untilMs);
    if (piece.isFold || until - from < 3) runs.push([from, until]);
    else runs.push([from, from + 1], [from + 1, until - 1], [until - 1, until]);
  }
  return runs;
}
