/**
 * Puts a frame together: the base, which changes seldom, and what moves over it. Keeps the bitmaps and counts that the
 * base is drawn from.
 *
 * Invariant: layers belong to one key of the stage; with another key they are made anew.
 */
import { Band } from "./band.ts";
import { Bins } from "./bins.ts";
import type { Cells } from "./cells.ts";
import type { Derived } from "./derived.ts";
import { drawFlags, drawFolds, drawGrid } from "./draw-axis.ts";
import { drawGapLabels } from "./draw-gaps.ts";
import { drawBand, roundTop } from "./draw-band.ts";
import { drawMinimap, drawMinimapWindow } from "./draw-minimap.ts";
import { drawCountdowns, drawPlayhead, drawVeil } from "./draw-overlay.ts";
import { drawNamedRows } from "./draw-rows.ts";
import { drawStrip, drawStripNames } from "./draw-strip.ts";
import { drawGhostRows, drawRowNumbers, drawThinRows } from "./draw-thin.ts";
import { drawTracks } from "./draw-tracks.ts";
import { HeatMap } from "./heat-map.ts";
import type { HeatMode } from "./picture.ts";
import { PodState } from "../records.ts";
import { fadedPalette } from "./palette.ts";
import { ghostTrack, sameJob, type Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import type { TrackBox } from "./track-boxes.ts";
import { ThinRows } from "./thin-rows.ts";

export class Layers {
  readonly thin = new Map<number, ThinRows>();
  readonly heat = new Map<number, HeatMap>();
  /** The same of the branch before, by the Jobs of this one. */
  readonly ghostThin = new Map<number, ThinRows>();
  readonly ghostHeat = new Map<number, HeatMap>();
  readonly band: Band;
  readonly ghostBand: Band | undefined;
  readonly minimapBand: Band;
  /** Rows at the playhead, for heat maps. */
  readonly cells: Cells;
  readonly #derived: Derived;
  #heatMs = NaN;
  #heatRevision = -1;

  readonly #ghost: Derived | undefined;
  readonly #mode: HeatMode;

  constructor(scene: Scene, derived: Derived, ghost: Derived | undefined, density: number) {
    const mode = scene.heatMode;
    this.#derived = derived;
    this.#ghost = ghost;
    this.#mode = mode;
    this.cells = derived.cells;
    const { timeline } = derived;
    const bins = new Bins(scene.time, 1 / density);
    this.band = new Band(timeline, bins, PodState.SUCCEEDED);
    this.ghostBand = ghost === undefined ? undefined : new Band(ghost.timeline, bins, PodState.SUCCEEDED);
    this.ghostBand?.update();
    this.minimapBand = new Band(timeline, new Bins(scene.minimap, 1), PodState.SUCCEEDED);
    for (const box of scene.layout.tracks) {
      const track = derived.rows.trackOf(box.job);
      if (track === undefined || box.count === 0) continue;
      if (scene.layout.scale === "thin") {
        const pixels = Math.max(1, Math.floor(box.count * box.rowHeight * density));
        const part = { first: box.first, count: box.count, lanes: Math.min(box.count, pixels) };
        this.thin.set(box.job, new ThinRows(derived, track, part, bins, scene.palette));
        this.#addGhost(scene, box, bins, density);
      } else if (box.grid !== undefined) {
        this.heat.set(box.job, new HeatMap(box.grid, box, scene.palette, mode));
        const shadow = box.ghost?.grid;
        if (shadow !== undefined) this.ghostHeat.set(box.job, new HeatMap(shadow, box, scene.palette, mode, true));
      }
    }
  }

  #addGhost(scene: Scene, box: TrackBox, bins: Bins, density: number): void {
    const track = ghostTrack(scene, box.job);
    if (this.#ghost === undefined || track === undefined) return;
    const { first, count } = box;
    const pixels = Math.max(1, Math.floor(count * (box.ghost?.rowHeight ?? Infinity) * density));
    const part = { first, count, lanes: Math.min(count, pixels) };
    const rows = new ThinRows(this.#ghost, track, part, bins, fadedPalette(scene.palette));
    rows.update();
    this.ghostThin.set(box.job, rows);
  }

  /** Reads what is new; gives what the base depends on beyond the stage's key. */
  update(): string {
    for (const thin of this.thin.values()) thin.update();
    if (this.heat.size > 0 || this.thin.size > 0) this.band.update();
    this.minimapBand.update();
    const { timeline, phases, nodes } = this.#derived;
    const tops = [this.band.activePeak, this.band.finishedPeak, this.minimapBand.activePeak].map(roundTop);
    // The words of flags and phases reach beyond what is new.
    return [...tops, timeline.flags.length, phases.count, nodes.peak, nodes.changeCount].join(" ");
  }

  updateHeat(playheadMs: number): void {
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

export function drawBase(surface: Surface, scene: Scene, layers: Layers): void {
  drawBody(surface, scene, layers);
  drawFoot(surface, scene, layers);
}

/** All but the minimap. */
export function drawBody(surface: Surface, scene: Scene, layers: Layers): void {
  const { layout, palette } = scene;
  surface.rect(0, 0, layout.width, footY(scene), palette.background);
  drawGrid(surface, scene);
  drawStrip(surface, scene);
  if (layout.scale === "rows") drawNamedRows(surface, scene);
  for (const box of layout.tracks) {
    const thin = layers.thin.get(box.job);
    if (thin === undefined) continue;
    drawThinRows(surface, scene, box, thin);
    const before = layers.ghostThin.get(box.job);
    if (before !== undefined) drawGhostRows(surface, scene, box, before);
    drawRowNumbers(surface, scene, box);
  }
  if (layout.band !== undefined) drawBand(surface, scene, layers.band, layout.band, layers.ghostBand);
  drawFolds(surface, scene);
  drawTracks(surface, scene);
  drawGapLabels(surface, scene);
  if (layout.flagsHeight > 0) drawFlags(surface, scene);
}

/** The minimap, whose time has a scale of its own. */
export function drawFoot(surface: Surface, scene: Scene, layers: Layers): void {
  const { layout, palette } = scene;
  surface.rect(0, footY(scene), layout.width, layout.height - footY(scene), palette.background);
  drawMinimap(surface, scene, layers.minimapBand);
}

/** Where the minimap's part of the canvas begins. */
export function footY({ layout }: Scene): number {
  return layout.minimap.y - 4;
}

/** What is drawn in each frame, over the base. */
export function drawMoving(surface: Surface, scene: Scene, layers: Layers): void {
  drawVeil(surface, scene);
  layers.updateHeat(scene.playheadMs);
  for (const heat of [...layers.heat.values(), ...layers.ghostHeat.values()]) heat.draw(surface, scene);
  drawStripNames(surface, scene);
  drawCountdowns(surface, scene);
  drawPlayhead(surface, scene);
  drawMinimapWindow(surface, scene);
}
