/**
 * The keyboard cursor of the picture: a place in a row, moved by arrow keys over the same things that the pointer
 * finds. Up and down change the row, left and right go to the thing before and after.
 *
 * Invariant: the cursor is on something that exists, or on nothing. Row HEADER is a track's header.
 */
import { decisionMarks } from "./draw-tracks.ts";
import { gapEndMs } from "./gaps.ts";
import type { Grid } from "./grid.ts";
import { gapHit, hitAt, podHit, rowHit } from "./hit.ts";
import { stripThing, stripTimes } from "./hit-strip.ts";
import type { TrackBox } from "./track-boxes.ts";
import type { Direction, Hit } from "./parts.ts";
import { rowY, type Scene, segmentsOf } from "./scene.ts";

export const HEADER = -1;
/** Represents a Job in places in the strip; its rows are those of the strip. */
export const STRIP = -2;

export interface Place {
  readonly job: number;
  readonly row: number;
  /** Of the thing that the cursor is on. */
  readonly ownMs: number;
  /** The instant before it went up or down: it stays there as far as the rows allow. */
  readonly atMs: number;
}

/** The things in a row that the cursor visits, in the order of time. */
export function thingsOf(scene: Scene, box: TrackBox, row: number): Hit[] {
  return row === HEADER ? headerThings(scene, box) : rowThings(scene, box, row);
}

function headerThings(scene: Scene, box: TrackBox): Hit[] {
  const middle = box.y + box.headerHeight / 2;
  return decisionMarks({ ...scene, paint: scene.time }, box.job).flatMap(({ x }) => hitAt(scene, x, middle) ?? []);
}

function rowThings(scene: Scene, box: TrackBox, row: number): Hit[] {
  const { rows, gaps, timeline } = scene;
  const track = rows.trackOf(box.job);
  if (track === undefined) return [];
  const y = rowY(box, row);
  const height = Math.max(box.rowHeight, 2);
  const things: Hit[] = [];
  for (const pod of rows.podsOf(track, row)) {
    for (const segment of segmentsOf(scene, pod)) things.push(podHit(scene, segment, y, height, segment.fromMs));
  }
  if (track.isIndexed) {
    const ids = gaps.of(box.job, row);
    for (const [i, id] of ids.entries()) {
      things.push(gapHit(scene, id, gapEndMs(timeline, ids, i), y, height, timeline.gaps.fromMs.at(id)));
    }
  }
  return things.sort((a, b) => a.ownMs - b.ownMs);
}

export function moved(scene: Scene, place: Place | undefined, direction: Direction): Place | undefined {
  const { layout, playheadMs } = scene;
  if (place?.job === STRIP) return movedInStrip(scene, place, direction);
  const first = layout.tracks[0];
  if (first === undefined) return layout.strip.rows === 0 ? undefined : stripPlace(0, playheadMs);
  if (place === undefined) return nearest(scene, first, first.count > 0 ? first.first : HEADER, playheadMs);
  const position = layout.tracks.findIndex(({ job }) => job === place.job);
  const box = layout.tracks[position];
  if (box === undefined) return nearest(scene, first, HEADER, place.ownMs);
  if (direction === "up" || direction === "down") {
    if (isFirst(scene, place) && direction === "up") return stripPlace(layout.strip.rows - 1, place.atMs);
    const next = neighbour(layout.tracks, position, place.row, direction === "up" ? -1 : 1);
    return next === undefined ? place : nearest(scene, next.box, next.row, place.atMs);
  }
  const things = thingsOf(scene, box, place.row);
  const thing =
    direction === "left"
      ? things.findLast(({ ownMs }) => ownMs < place.ownMs)
      : things.find(({ ownMs }) => ownMs > place.ownMs);
  return thing === undefined ? place : { ...place, ownMs: thing.ownMs, atMs: thing.ownMs };
}

/** Whether the place is in the uppermost header, with the strip above it. */
function isFirst({ layout }: Scene, { job, row }: Place): boolean {
  return row === HEADER && layout.tracks[0]?.job === job && layout.strip.rows > 0;
}

export function stripPlace(row: number, atMs: number): Place {
  return { job: STRIP, row, ownMs: atMs, atMs };
}

function movedInStrip(scene: Scene, place: Place, direction: Direction): Place {
  const { tracks, strip, scale } = scene.layout;
  const row = Math.min(place.row, strip.rows - 1);
  if (direction === "up") return stripPlace(Math.max(0, row - 1), place.atMs);
  const first = tracks[0];
  if (direction === "down" && row === strip.rows - 1 && first !== undefined) {
    return nearest(scene, first, scale === "heat" ? first.first : HEADER, place.atMs);
  }
  if (direction === "down") return stripPlace(Math.min(row + 1, strip.rows - 1), place.atMs);
  const times = stripTimes(scene, row);
  const atMs = direction === "left" ? times.findLast((ms) => ms < place.atMs) : times.find((ms) => ms > place.atMs);
  return stripPlace(row, atMs ?? place.atMs);
}

function neighbour(
  tracks: readonly TrackBox[],
  position: number,
  row: number,
  step: number,
): { box: TrackBox; row: number } | undefined {
  const box = tracks[position]!;
  const next = row === HEADER ? (step > 0 ? box.first : undefined) : row + step;
  if (next !== undefined && next >= box.first && next < box.first + box.count) return { box, row: next };
  if (next !== undefined && step < 0) return { box, row: HEADER };
  const other = tracks[position + step];
  if (other === undefined) return undefined;
  if (step > 0 || other.count === 0) return { box: other, row: HEADER };
  return { box: other, row: other.first + other.count - 1 };
}

/** The thing of a row at an instant, or the last one before it, or the first one. */
function nearest(scene: Scene, box: TrackBox, row: number, atMs: number): Place {
  const things = thingsOf(scene, box, row);
  const thing = things.findLast(({ ownMs }) => ownMs <= atMs) ?? things[0];
  return { job: box.job, row, ownMs: thing?.ownMs ?? atMs, atMs };
}

/** The thing under the cursor; an empty row is a thing too. */
export function thingAt(scene: Scene, place: Place): Hit | undefined {
  if (place.job === STRIP) {
    const { rows } = scene.layout.strip;
    return rows === 0 ? undefined : stripThing(scene, Math.min(place.row, rows - 1), place.atMs);
  }
  const box = scene.layout.tracks.find(({ job }) => job === place.job);
  if (box === undefined) return undefined;
  const thing = thingsOf(scene, box, place.row).find(({ ownMs }) => ownMs === place.ownMs);
  if (thing !== undefined) return thing;
  if (place.row === HEADER) return hitAt(scene, scene.layout.plotX + 1, box.y + 1);
  return rowHit(scene, box, place.row, -Infinity, place.ownMs);
}

/** Moves over the squares of a heat map. */
export function movedInGrid(grid: Grid, box: TrackBox, row: number, direction: Direction): number {
  const step = { up: -grid.columns, down: grid.columns, left: -1, right: 1 }[direction];
  const next = row + step;
  return next >= box.first && next < box.first + box.count ? next : row;
}
