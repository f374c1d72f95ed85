/**
 * Puts a frame together: the base, which rarely changes, and what moves over it. Keeps the bitmaps and counts that the
 * base is drawn from.
 *
 * Invariant: layers belong to one key of the stage; with another key they are recreated.
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
import type { Box } from "./parts.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";

/** A part of the base with a scale of counts: when its top changes, only this part is redrawn. */
export type Scaled = "strip" | "band" | "foot";

/** What the base depends on beyond the stage's key: the tops of its scales, and how many words it has. */
export type Tops = Readonly<Record<Scaled | "words", string>>;

export class Layers {
  readonly band: Band;
  readonly ghostBand: Band | undefined;
  readonly minimapBand: Band;
  /** Rows at the playhead, for heat maps. */
  readonly cells: Cells;
  /** Undefined: rows have names, or the crowd's code is not loaded yet. */
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

  /** Reads what is new. */
  update(): Tops {
    this.crowd?.update();
    if (this.#hasBand) this.band.update();
    this.minimapBand.update();
    const { timeline, phases, nodes } = this.#derived;
    const { activePeak, finishedPeak } = this.band;
    return {
      strip: `${nodes.peak}`,
      band: `${roundTop(activePeak)} ${roundTop(finishedPeak)}`,
      foot: `${roundTop(this.minimapBand.activePeak)}`,
      // The words of flags and phases extend beyond the new part.
      words: `${timeline.flags.length} ${phases.count} ${nodes.changeCount}`,
    };
  }
}

/** Where a part is, over the whole width. */
export function partBox({ layout }: Scene, part: Scaled): Box {
  const { width, height, strip, band } = layout;
  if (part === "strip") return { x: 0, y: strip.y, width, height: strip.height };
  if (part === "foot") return { x: 0, y: footY({ layout }), width, height: height - footY({ layout }) };
  // Its lines are half a pixel outside.
  return { x: 0, y: (band?.y ?? 0) - 1, width, height: band === undefined ? 0 : band.height + 2 };
}

export function drawBase(surface: Surface, scene: Scene, layers: Layers): void {
  drawBody(surface, scene, layers);
  drawFoot(surface, scene, layers);
}

/** Draws all but the minimap. @param only a part, where nothing else is visible: marks outside of it are skipped */
export function drawBody(surface: Surface, scene: Scene, layers: Layers, only?: Scaled): void {
  const { layout, palette } = scene;
  surface.rect(0, 0, layout.width, footY(scene), palette.background);
  drawGrid(surface, scene);
  if (only !== "band") drawStrip(surface, scene);
  if (only === undefined) {
    if (layout.scale === "rows") drawNamedRows(surface, scene);
    layers.crowd?.drawRows(surface, scene);
  }
  if (only !== "strip" && layout.band !== undefined)
    drawBand(surface, scene, layers.band, layout.band, layers.ghostBand);
  drawFolds(surface, scene);
  if (only === undefined) {
    drawTracks(surface, scene);
    drawGapLabels(surface, scene);
  }
  if (layout.flagsHeight > 0) drawFlags(surface, scene);
}

/** The minimap, whose time has its own scale. */
export function drawFoot(surface: Surface, scene: Scene, layers: Layers): void {
  const { layout, palette } = scene;
  surface.rect(0, footY(scene), layout.width, layout.height - footY(scene), palette.background);
  drawMinimap(surface, scene, layers.minimapBand);
}

/** Where the minimap's part of the canvas begins. */
export function footY({ layout }: Pick<Scene, "layout">): number {
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
