/**
 * Puts a frame together: the base, which changes seldom, and what moves over it. Keeps the bitmaps and counts that the
 * base is drawn from.
 *
 * Invariant: layers belong to one key of the stage; with another key they are made anew.
 */
import { Band } from "./band.ts";
import { Bins } from "./bins.ts";
import type { Cells } from "./cells.ts";
import type { Crowd } from "./crowd.ts";
import type { Derived } from "./derived.ts";
import { drawFlags, drawFolds, drawGrid } from "./draw-axis.ts";
import { drawGapLabels } from "./draw-gaps.ts";
import { drawBand, roundTop } from "./draw-band.ts";
import { drawMinimap, drawMinimapWindow } from "./draw-minimap.ts";
import { drawCountdowns, drawPlayhead, drawVeil } from "./draw-overlay.ts";
import { drawNamedRows } from "./draw-rows.ts";
import { drawStrip, drawStripNames } from "./draw-strip.ts";
import { drawTracks } from "./draw-tracks.ts";
import { PodState } from "../records.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";

export class Layers {
  readonly band: Band;
  readonly ghostBand: Band | undefined;
  readonly minimapBand: Band;
  /** Rows at the playhead, for heat maps. */
  readonly cells: Cells;
  /** Undefined: rows with names, or its code is not there yet. */
  readonly crowd: Crowd | undefined;
  readonly #derived: Derived;
  readonly #hasBand: boolean;

  constructor(
    scene: Scene,
    derived: Derived,
    ghost: Derived | undefined,
    density: number,
    makeCrowd: typeof Crowd | undefined,
  ) {
    this.#derived = derived;
    this.cells = derived.cells;
    const { timeline } = derived;
    const bins = new Bins(scene.time, 1 / density);
    this.band = new Band(timeline, bins, PodState.SUCCEEDED);
    this.ghostBand = ghost === undefined ? undefined : new Band(ghost.timeline, bins, PodState.SUCCEEDED);
    this.ghostBand?.update();
    this.minimapBand = new Band(timeline, new Bins(scene.minimap, 1), PodState.SUCCEEDED);
    this.#hasBand = scene.layout.band !== undefined;
    if (scene.layout.scale !== "rows" && makeCrowd !== undefined) {
      this.crowd = new makeCrowd(scene, derived, ghost, density, bins);
    }
  }

  /** Reads what is new; gives what the base depends on beyond the stage's key. */
  update(): string {
    this.crowd?.update();
    if (this.#hasBand) this.band.update();
    this.minimapBand.update();
    const { timeline, phases, nodes } = this.#derived;
    const tops = [this.band.activePeak, this.band.finishedPeak, this.minimapBand.activePeak].map(roundTop);
    // The words of flags and phases reach beyond what is new.
    return [...tops, timeline.flags.length, phases.count, nodes.peak, nodes.changeCount].join(" ");
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
  layers.crowd?.drawRows(surface, scene);
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
  layers.crowd?.drawSquares(surface, scene);
  drawStripNames(surface, scene);
  drawCountdowns(surface, scene);
  drawPlayhead(surface, scene);
  drawMinimapWindow(surface, scene);
}
