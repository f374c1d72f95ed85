/**
 * Where the pointer and the keyboard's cursor are, what they are on, and how that looks: a frame, and a lens over thin
 * rows and squares.
 *
 * Invariant: both are places, not objects, so they stay right when the history grows or the picture is zoomed.
 */
import { PodState } from "../records.ts";
import { HEADER, moved, movedInGrid, type Place, STRIP, stripPlace, thingAt } from "./cursor.ts";
import type { Layers } from "./frame.ts";
import { drawFrame } from "./draw-overlay.ts";
import { rowAt } from "./draw-rows.ts";
import { type Grid, rowInGrid } from "./grid.ts";
import { hitAt } from "./hit.ts";
import { cellBox, cellHit, ghostHit } from "./hit-cells.ts";
import type { TrackBox } from "./track-boxes.ts";
import { drawLens, drawLensBeside } from "./lens.ts";
import type { Box, Direction, Hit } from "./parts.ts";
import { rowY, type Scene, segmentsOf } from "./scene.ts";
import type { Surface } from "./surface.ts";

/** The things that the pointer's frame surrounds, beside those that a click zooms into. */
const FRAMED: ReadonlySet<string> = new Set(["pod", "gap", "controller", "node"]);

interface Cell {
  readonly grid: Grid;
  readonly box: TrackBox;
  readonly row: number;
  readonly isGhost: boolean;
}

export class Pointing {
  pointer: { readonly x: number; readonly y: number } | undefined;
  place: Place | undefined;
  /** The pod that the user has selected. */
  marked: number | undefined;

  draw(surface: Surface, scene: Scene, layers: Layers): void {
    const { pointer, marked } = this;
    const markedBox = marked === undefined ? undefined : barBox(scene, marked);
    if (markedBox !== undefined) drawFrame(surface, scene, markedBox, true);
    if (pointer !== undefined) {
      const { scale, tracks } = scene.layout;
      const hit = this.hit(scene, layers, pointer.x, pointer.y);
      const isThinRow = scale === "thin" && hit?.focus !== undefined;
      if (hit !== undefined && !isThinRow && (FRAMED.has(hit.kind) || hit.focus !== undefined)) {
        drawFrame(surface, scene, hit.box, false);
      }
      const box = tracks.find(({ job }) => job === hit?.job);
      if (isThinRow && box !== undefined) drawLens(surface, scene, box, rowAt(box, pointer.y), pointer.y);
      const cell = scale === "heat" ? this.#cell(scene, layers, pointer.x, pointer.y) : undefined;
      if (cell !== undefined && hit !== undefined) drawLensBeside(surface, scene, cell.box, cell.row, hit.box);
    }
    const cursor = this.cursor(scene, layers);
    if (cursor !== undefined) drawFrame(surface, scene, cursor.box, true);
  }

  hit(scene: Scene, layers: Layers | undefined, x: number, y: number): Hit | undefined {
    const cell = this.#cell(scene, layers, x, y);
    if (cell === undefined) return hitAt(scene, x, y);
    const { grid, box, row, isGhost } = cell;
    return isGhost
      ? ghostHit(scene, box, row, scene.playheadMs, cellBox(grid, box, row))
      : cellHit(scene, grid, box, row, layers!.cells);
  }

  /** The square under a point, of this branch or of the one before. */
  #cell(scene: Scene, layers: Layers | undefined, x: number, y: number): Cell | undefined {
    const crowd = layers?.crowd;
    if (crowd === undefined) return undefined;
    for (const isGhost of [false, true]) {
      for (const [job, { grid }] of isGhost ? crowd.ghostHeat : crowd.heat) {
        const box = scene.layout.tracks.find((track) => track.job === job);
        const row = box === undefined ? undefined : rowInGrid(grid, box, x, y);
        if (box !== undefined && row !== undefined) return { grid, box, row, isGhost };
      }
    }
    return undefined;
  }

  select(scene: Scene, pod: number, atMs: number): Hit | undefined {
    const { timeline, rows } = scene;
    const transition = timeline.transitionAt(pod, atMs);
    const ownMs = transition < 0 ? atMs : timeline.transitions.atMs.at(transition);
    this.place = { job: timeline.pods.job.at(pod), row: rows.rowOf.at(pod), ownMs, atMs };
    return thingAt(scene, this.place);
  }

  move(scene: Scene, layers: Layers | undefined, direction: Direction): Hit | undefined {
    if (scene.layout.scale === "heat" && this.place?.job !== STRIP) {
      const box = scene.layout.tracks.find(({ job }) => job === this.place?.job) ?? scene.layout.tracks[0];
      const heat = box === undefined ? undefined : layers?.crowd?.heat.get(box.job);
      if (box === undefined || heat === undefined) return undefined;
      const row = this.place === undefined ? box.first : movedInGrid(heat.grid, box, this.place.row, direction);
      if (direction === "up" && row === this.place?.row && box === scene.layout.tracks[0]) {
        this.place = stripPlace(scene.layout.strip.rows - 1, scene.playheadMs);
        return this.cursor(scene, layers);
      }
      this.place = { job: box.job, row, ownMs: scene.playheadMs, atMs: scene.playheadMs };
    } else this.place = moved(scene, this.place, direction);
    return this.cursor(scene, layers);
  }

  cursor(scene: Scene, layers: Layers | undefined): Hit | undefined {
    if (this.place === undefined) return undefined;
    if (scene.layout.scale !== "heat" || this.place.job === STRIP) return thingAt(scene, this.place);
    const heat = layers?.crowd?.heat.get(this.place.job);
    const box = scene.layout.tracks.find(({ job }) => job === this.place!.job);
    if (heat === undefined || box === undefined || this.place.row === HEADER) return undefined;
    return cellHit(scene, heat.grid, box, this.place.row, layers!.cells);
  }
}

/** Where the bar of a pod is, from its creation to its end; undefined: it is out of sight. */
function barBox(scene: Scene, pod: number): Box | undefined {
  const { layout, rows, timeline } = scene;
  const box = layout.tracks.find(({ job }) => job === timeline.pods.job.at(pod));
  const row = rows.rowOf.at(pod);
  if (layout.scale === "heat" || box === undefined || row < box.first || row >= box.first + box.count) return undefined;
  const all = segmentsOf(scene, pod);
  const atWork = all.filter(({ state }) => state !== PodState.SUCCEEDED && state !== PodState.FAILED);
  const bar = atWork.length > 0 ? atWork : all;
  if (bar.length === 0) return undefined;
  const x = Math.max(bar[0]!.fromX, layout.plotX);
  const width = Math.min(bar.at(-1)!.untilX, layout.plotEnd) - x;
  return { x, y: rowY(box, row), width: Math.max(width, 2), height: Math.max(box.rowHeight, 2) };
}
