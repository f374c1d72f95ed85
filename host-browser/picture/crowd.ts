/**
 * Rows that are too many for names: thin ones and squares, of the shown branch and of the one before. A separate file,
 * because the first picture has few rows.
 *
 * Invariant: `update` reads only what is new, and squares are repainted only when the playhead or the history has
 * moved.
 */
import type { Bins } from "./bins.ts";
import type { Derived } from "./derived.ts";
import { drawGhostRows, drawRowNumbers, drawThinRows } from "./draw-thin.ts";
import { HeatMap } from "./heat-map.ts";
import { fadedPalette } from "./palette.ts";
import type { HeatMode } from "./parts.ts";
import { ghostTrack, sameJob, type Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import { ThinRows } from "./thin-rows.ts";
import type { TrackBox } from "./track-boxes.ts";

export class Crowd {
  /** By Job. */
  readonly heat = new Map<number, HeatMap>();
  /** Of the branch before, by the Jobs of this one. */
  readonly ghostHeat = new Map<number, HeatMap>();
  readonly #thin = new Map<number, ThinRows>();
  readonly #ghostThin = new Map<number, ThinRows>();
  readonly #derived: Derived;
  readonly #ghost: Derived | undefined;
  readonly #mode: HeatMode;
  #heatMs = NaN;
  #heatRevision = -1;

  constructor(scene: Scene, derived: Derived, ghost: Derived | undefined, density: number, bins: Bins) {
    const mode = scene.heatMode;
    this.#derived = derived;
    this.#ghost = ghost;
    this.#mode = mode;
    for (const box of scene.layout.tracks) {
      const track = derived.rows.trackOf(box.job);
      if (track === undefined || box.count === 0) continue;
      if (scene.layout.scale === "thin") {
        const part = partOf(box, box.rowHeight, density);
        this.#thin.set(box.job, new ThinRows(derived, track, part, bins, scene.palette));
        this.#addGhost(scene, box, bins, density);
      } else if (box.grid !== undefined) {
        this.heat.set(box.job, new HeatMap(box.grid, box, scene.palette, mode));
        const shadow = box.ghost?.grid;
        if (shadow !== undefined) this.ghostHeat.set(box.job, new HeatMap(shadow, box, scene.palette, mode, true));
      }
    }
  }

  update(): void {
    for (const thin of this.#thin.values()) thin.update();
  }

  drawRows(surface: Surface, scene: Scene): void {
    for (const box of scene.layout.tracks) {
      const thin = this.#thin.get(box.job);
      if (thin === undefined) continue;
      drawThinRows(surface, scene, box, thin);
      const before = this.#ghostThin.get(box.job);
      if (before !== undefined) drawGhostRows(surface, scene, box, before);
      drawRowNumbers(surface, scene, box);
    }
  }

  drawSquares(surface: Surface, scene: Scene): void {
    this.#seek(scene.playheadMs);
    for (const heat of [...this.heat.values(), ...this.ghostHeat.values()]) heat.draw(surface, scene);
  }

  #addGhost(scene: Scene, box: TrackBox, bins: Bins, density: number): void {
    const track = ghostTrack(scene, box.job);
    if (this.#ghost === undefined || track === undefined) return;
    const part = partOf(box, box.ghost?.rowHeight ?? Infinity, density);
    const rows = new ThinRows(this.#ghost, track, part, bins, fadedPalette(scene.palette));
    rows.update();
    this.#ghostThin.set(box.job, rows);
  }

  #seek(playheadMs: number): void {
    const { timeline, cells, rows } = this.#derived;
    if (this.heat.size === 0 || (playheadMs === this.#heatMs && timeline.revision === this.#heatRevision)) return;
    this.#heatMs = playheadMs;
    this.#heatRevision = timeline.revision;
    cells.seek(playheadMs);
    const before = this.#ghost;
    before?.cells.seek(playheadMs);
    for (const [job, heat] of this.heat) {
      const track = rows.trackOf(job)!;
      const same = before === undefined ? undefined : sameJob(timeline, job, before.timeline);
      const other = same === undefined ? undefined : before!.rows.trackOf(same);
      if (this.#mode === "difference" && before !== undefined) heat.compare(track, cells, other, before.cells);
      else heat.update(track, cells);
      if (other !== undefined) this.ghostHeat.get(job)?.update(other, before!.cells);
    }
  }
}

/** CSS pixels from which a lane alone is high enough to be seen. */
const CLEAR = 3;

/** A lane for each row or, where rows are less high than a pixel of the screen, one for several. */
function partOf({ first, count }: TrackBox, rowHeight: number, density: number) {
  const pixels = Math.max(1, Math.floor(count * rowHeight * density));
  const lanes = Math.min(count, pixels);
  return { first, count, lanes, beside: pixels < lanes * CLEAR * density ? 1 : 0 };
}
