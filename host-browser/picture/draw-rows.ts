/**
 * Draws rows with names: each attempt a bar, backoffs as hatched gaps between them, the old branch as thin bars
 * beneath. Up to 60 rows, and the few rows in a lens.
 *
 * Invariant: rows beyond the tracks' boxes are not drawn.
 */
import { NONE } from "../records.ts";
import { drawBar } from "./bars.ts";
import { drawGaps, roomInGap } from "./draw-gaps.ts";
import { gapEndMs } from "./gaps.ts";
import type { TrackBox } from "./track-boxes.ts";
import type { Track } from "./rows.ts";
import { endOf, isTerminal } from "./pod-ends.ts";
import { ghostRow, type Scene, segmentsOf, shortName } from "./scene.ts";
import { fittedName, type Surface } from "./surface.ts";

/** The bar's share of a row; the rest is air, and the ghost. */
const BAR_SHARE = 0.74;
const GHOST_SHARE = 0.16;

export function drawNamedRows(surface: Surface, scene: Scene): void {
  for (const box of scene.layout.tracks) {
    const track = scene.rows.trackOf(box.job);
    if (track === undefined) continue;
    for (let row = box.first; row < box.first + box.count; row++) {
      drawNamedRow(surface, scene, track, row, box.rowsY + (row - box.first) * box.rowHeight, box.rowHeight);
    }
  }
}

/** A row with its name in the gutter. */
export function drawNamedRow(
  surface: Surface,
  scene: Scene,
  track: Track,
  row: number,
  y: number,
  height: number,
): void {
  const { layout, palette } = scene;
  surface.line([layout.plotX, y + height - 0.5, layout.plotEnd, y + height - 0.5], palette.grid, 1);
  drawRowName(surface, scene, track, row, y + height / 2, height);
  surface.clip(layout.plotX, y, layout.plotEnd - layout.plotX, height, () => {
    drawRow(surface, scene, track, row, y, height);
  });
}

function drawRowName(surface: Surface, scene: Scene, track: Track, row: number, middleY: number, height: number): void {
  const { layout, palette, sizes, timeline, rows } = scene;
  const size = Math.min(sizes.small, height * 0.8);
  const pod = row < track.newest.length ? track.newest.at(row) : NONE;
  const name = track.isIndexed ? rows.nameOf(track, row) : pod === NONE ? "" : shortName(timeline, pod);
  const style = { size, colour: palette.soft, align: "right", isMono: !track.isIndexed } as const;
  surface.text(
    layout.plotX - 8 * layout.type,
    middleY,
    fittedName(surface, name, style, layout.plotX - 12) || name,
    style,
  );
}

/** Where in a row its bars are. */
export function barPlace({ ghost }: Scene, y: number, height: number): { y: number; height: number } {
  const barHeight = Math.max(3, Math.floor(height * (ghost === undefined ? BAR_SHARE : BAR_SHARE - GHOST_SHARE)));
  const above = Math.max(1, Math.floor((height - barHeight) * (ghost === undefined ? 0.5 : 0.25)));
  return { y: y + above, height: barHeight };
}

function drawRow(surface: Surface, scene: Scene, track: Track, row: number, y: number, height: number): void {
  const { y: barY, height: barHeight } = barPlace(scene, y, height);
  if (scene.ghost !== undefined) drawGhostRow(surface, scene, track, row, barY + barHeight + 1, height * GHOST_SHARE);
  if (track.isIndexed) drawGaps(surface, scene, scene.gaps.of(track.job, row), barY, barHeight);
  const pods = [...scene.rows.podsOf(track, row)].reverse();
  // Before all bars: a backoff counts from a whole second, which may be before the bar's end.
  for (const pod of pods) {
    const gap = scene.gaps.before(pod);
    if (gap !== NONE) drawGaps(surface, scene, [gap], barY, barHeight);
  }
  for (const [i, pod] of pods.entries()) {
    drawBar(surface, scene, pod, {
      y: barY,
      height: barHeight,
      ...roomAfter(surface, scene, track, row, pod, pods[i + 1]),
    });
  }
}

/** Where the next bar or backoff begins, and where words behind the bar must end: at the backoff's label. */
function roomAfter(
  surface: Surface,
  scene: Scene,
  track: Track,
  row: number,
  pod: number,
  next: number | undefined,
): { roomUntilX: number; nextX: number } {
  const { timeline, time, gaps } = scene;
  const nextX = next === undefined ? Infinity : time.xOf(timeline.pods.createdMs.at(next));
  const end = endOf(timeline, pod);
  if (end === undefined) return { roomUntilX: nextX, nextX };
  // In the row of its index, or that of the whole Job before the index's next pod.
  const jobWide = next === undefined ? NONE : gaps.before(next);
  const ids = jobWide === NONE ? (track.isIndexed ? gaps.of(track.job, row) : []) : [jobWide];
  const position = ids.findIndex((_, i) => gapEndMs(timeline, ids, i) > end.atMs);
  if (position < 0) return { roomUntilX: nextX, nextX };
  const fromMs = timeline.gaps.fromMs.at(ids[position]!);
  const gapX = Math.max(time.xOf(end.atMs), time.xOf(fromMs));
  const room = jobWide === NONE ? roomInGap(surface, scene, fromMs, gapEndMs(timeline, ids, position)) : nextX;
  return { roomUntilX: Math.min(nextX, room), nextX: Math.min(nextX, gapX) };
}

/** The same row before the change of the past: working time in grey, the end in its colour. */
function drawGhostRow(surface: Surface, scene: Scene, track: Track, row: number, y: number, height: number): void {
  const found = ghostRow(scene, track.job, row);
  if (found === undefined || scene.ghost === undefined) return;
  const thickness = Math.max(2, Math.floor(height));
  for (const pod of scene.ghost.rows.podsOf(found.track, found.row)) {
    for (const { state, fromX, untilX } of segmentsOf({ timeline: scene.ghost.timeline, time: scene.time }, pod)) {
      if (!isTerminal(state)) surface.rect(fromX, y, Math.max(untilX - fromX, 1), thickness, scene.palette.ghost);
      else surface.rect(fromX - 3, y, 3, thickness, scene.palette.states[state]!.fill);
    }
  }
}

/** The box of a track under a point. */
export function trackAt(tracks: readonly TrackBox[], y: number): TrackBox | undefined {
  return tracks.find((box) => y >= box.y && y < box.y + box.height);
}

/** The row of a height in a track's rows, or in those of the branch before under them. */
export function rowAt({ first, count, rowsY, rowHeight, ghost }: TrackBox, y: number): number {
  const [top, height] = ghost !== undefined && y >= ghost.y ? [ghost.y, ghost.rowHeight] : [rowsY, rowHeight];
  return first + Math.min(Math.floor((y - top) / height), count - 1);
}
