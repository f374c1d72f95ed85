/**
 * The picture's interface for the page: one canvas that shows a Timeline at three scales, what is under a point, and
 * the same in words. The page owns the playhead, the pointer and the keys, and passes them to the picture.
 *
 * Invariant: nothing draws before `draw()`; everything else is cheap, and may be called many times between two frames.
 * Coordinates are CSS pixels from the canvas's upper left corner; times are whole milliseconds of the run.
 */
import type { CanvasLike } from "./canvas-context.ts";
import type { Layers } from "./frame.ts";
import type {
  Direction,
  Focus,
  HeatMode,
  Hit,
  LegendEntry,
  Scale,
  TableModel,
  Theme,
  ThingRow,
  TimeWindow,
} from "./parts.ts";
import type { Reading } from "./reading.ts";
import type { Scene } from "./scene.ts";
import type { Surface } from "./surface.ts";
import type { Timeline } from "./timeline.ts";

export type { CanvasLike } from "./canvas-context.ts";
export type * from "./parts.ts";

export interface PictureOptions {
  readonly canvas: CanvasLike;
  /** Makes an offscreen canvas for what rarely changes: `() => document.createElement("canvas")`. */
  readonly createCanvas: () => CanvasLike;
  /** CSS font families. */
  readonly font?: string;
  readonly monoFont?: string;
}

/** The picture as it is now, at another width. */
export interface Exported {
  readonly scene: Scene;
  readonly layers: Layers;
  readonly density: number;
  surfaceOf(canvas: CanvasLike): Surface;
}

export interface Picture {
  /** CSS pixels, and device pixels for one of them. */
  resize(width: number, height: number, density: number): void;
  /** The height at which everything is readable at this width. @param most - rows get closer, if that is enough */
  preferredHeight(width: number, most?: number): number;
  /** Enables pointing and reading. Before this call, the page must not ask for places, tables or another window. */
  setReading(reading: Reading): void;
  setTheme(theme: Theme): void;
  /** Size of type and marks: 1, or about 1.5 for a projector. */
  setTypeScale(scale: number): void;
  /** `ghost`: the branch before a change of the past. The picture notices rows appended to a Timeline later. */
  setTimeline(timeline: Timeline, ghost?: Timeline): void;
  /** `isLive`: the axis leaves space for what comes. */
  setPlayhead(atMs: number, isLive?: boolean): void;
  /** Folds idle stretches (the default) or shows true time. */
  setFolded(isFolded: boolean): void;
  setHeatMode(mode: HeatMode): void;
  /** Shows rows for the nodes (the default), or the controller's alone. */
  setStripOpen(isOpen: boolean): void;
  /** Shows only these rows; absent: all. */
  setFocus(focus?: Focus): void;
  /** Where the pointer is; absent: elsewhere. */
  setPointer(x?: number, y?: number): void;
  /** Draws a frame around the bar of this pod; absent: of none. */
  setMarked(pod?: number): void;

  readonly scale: Scale;
  /** Something of the branch before is drawn: it has a Job of the same name, and about as many indexes. */
  readonly hasShadow: boolean;
  readonly isFolded: boolean;
  readonly isStripOpen: boolean;
  readonly focus: Focus | undefined;
  /** What of time is visible. */
  readonly window: TimeWindow;
  /** Absent: all of it, as it grows. */
  setWindow(window?: TimeWindow): void;
  /** More than 1: nearer. `x` stays where it is. */
  zoom(factor: number, x: number): void;
  /** CSS pixels to the right. */
  pan(dx: number): void;
  /** The instant at this place, within the run. */
  timeAt(x: number): number;
  /** The instant at a point of the minimap; undefined: the point is outside of it. */
  minimapTimeAt(x: number, y: number): number | undefined;

  /** Draws what changed since the last call; false: nothing changed. Call it once in a frame. */
  draw(): boolean;

  hit(x: number, y: number): Hit | undefined;
  /** Shows something that the user clicked in the table or panels: the cursor goes there. */
  select(pod: number, atMs: number): Hit | undefined;
  /** Moves the cursor over rows and things in them; the first move puts it on the thing nearest to the playhead. */
  moveCursor(direction: Direction): Hit | undefined;
  readonly cursor: Hit | undefined;
  clearCursor(): void;

  /** What the canvas shows at the playhead, as rows. */
  table(): TableModel;
  /** The controller and all nodes, also those without their own row. */
  things(): readonly ThingRow[];
  /** What the canvas shows, in one sentence: its accessible name. */
  summary(): string;
  /** Colour and pattern of a legend's entry are drawn by `drawSwatch`. */
  legend(): readonly LegendEntry[];
  drawSwatch(canvas: CanvasLike, key: string, width: number, height: number, density: number): void;

  /** Input of export.ts. A separate file: users rarely export, and the first picture comes sooner without it. */
  exported(width: number, density: number): Exported;
}
