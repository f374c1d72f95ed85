/**
 * Where the pointer and the keyboard's cursor are, what they are on, and how that looks: a frame, and a lens over thin
 * rows.
 *
 * Invariant: both are places, not objects, so they stay right when the history grows or the picture is zoomed.
 */
import { type Cells, unpack } from "./cells.ts";
import { HEADER, moved, movedInGrid, type Place, STRIP, stripPlace, thingAt } from "./cursor.ts";
import type { Layers } from "./frame.ts";
import { drawFrame } from "./draw-overlay.ts";
import { type Grid, rowInGrid } from "./grid.ts";
import { focusAround, hitAt } from "./hit.ts";
import type { TrackBox } from "./layout.ts";
import { drawLens } from "./lens.ts";
import type { Direction, Hit } from "./picture.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import { STATE_WORDS } from "./words.ts";

/** What the pointer's frame goes around, beside what a click zooms into. */
const FRAMED: ReadonlySet<string> = new Set(["pod", "gap", "controller", "node"]);

export class Pointing {
  pointer: { readonly x: number; readonly y: number } | undefined;
  place: Place | undefined;

  draw(surface: Surface, scene: Scene, layers: Layers): void {
    const { pointer } = this;
    if (pointer !== undefined) {
      if (scene.layout.scale === "thin") drawLens(surface, scene, pointer.x, pointer.y);
      else {
        const hit = this.hit(scene, layers, pointer.x, pointer.y);
        if (hit !== undefined && (FRAMED.has(hit.kind) || hit.focus !== undefined)) {
          drawFrame(surface, scene, hit.box, false);
        }
      }
    }
    const cursor = this.cursor(scene, layers);
    if (cursor !== undefined) drawFrame(surface, scene, cursor.box, true);
  }

  hit(scene: Scene, layers: Layers | undefined, x: number, y: number): Hit | undefined {
    for (const [job, { grid }] of layers?.heat ?? []) {
      const box = scene.layout.tracks.find((track) => track.job === job);
      const row = box === undefined ? undefined : rowInGrid(grid, box, x, y);
      if (box !== undefined && row !== undefined) return cellHit(scene, grid, box, row, layers!.cells);
    }
    return hitAt(scene, x, y);
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
      const heat = box === undefined ? undefined : layers?.heat.get(box.job);
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
    const heat = layers?.heat.get(this.place.job);
    const box = scene.layout.tracks.find(({ job }) => job === this.place!.job);
    if (heat === undefined || box === undefined || this.place.row === HEADER) return undefined;
    return cellHit(scene, heat.grid, box, this.place.row, layers!.cells);
  }
}

/** A square of the heat map. */
function cellHit(scene: Scene, grid: Grid, box: TrackBox, row: number, cells: Cells): Hit {
  const { rows, timeline, playheadMs } = scene;
  const track = rows.trackOf(box.job)!;
  const value = unpack(cells.valueOf(track, row));
  const offset = row - box.first;
  const pod = [...rows.podsOf(track, row)].find((id) => timeline.pods.createdMs.at(id) <= playheadMs);
  const name = track.isIndexed ? `index ${row}` : rows.nameOf(track, row);
  const state = value === undefined ? "no pod yet" : STATE_WORDS[value.last].toLowerCase();
  const attempts = value === undefined || value.attempts < 2 ? "" : `, attempt ${value.attempts}`;
  const worst =
    value === undefined || value.worst === value.last ? "" : `; at worst ${STATE_WORDS[value.worst].toLowerCase()}`;
  const transition = pod === undefined ? -1 : timeline.transitionAt(pod, playheadMs);
  return {
    kind: "index",
    text: `${name}: ${state}${attempts}${worst}`,
    atMs: playheadMs,
    ownMs: transition < 0 ? playheadMs : timeline.transitions.atMs.at(transition),
    box: {
      x: grid.x + (offset % grid.columns) * grid.side,
      y: grid.y + Math.floor(offset / grid.columns) * grid.side,
      width: grid.side,
      height: grid.side,
    },
    job: box.job,
    ...(track.isIndexed ? { index: row } : {}),
    ...(pod === undefined ? {} : { pod, cause: { of: "transition", id: transition } as const }),
    focus: focusAround(box, row, track.size),
  };
}
