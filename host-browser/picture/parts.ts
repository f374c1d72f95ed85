/**
 * The types that the files of the picture share: boxes, windows of time, hits, rows of tables. A file of the picture
 * takes them from here and not from picture.ts, which names the whole and so imports most of these files.
 *
 * Invariant: types only, and no import from this folder. Leaves out the picture itself; picture.ts exports these types
 * again, for the page.
 */
import type { Cause } from "../messages.ts";

export type Theme = "light" | "dark";

/** What a cell of the heat map shows; `difference`: whether it differs from the branch before. */
export type HeatMode = "last" | "worst" | "attempts" | "difference";

/** `rows`: up to 60; `thin`: up to 2,000; `heat`: beyond. */
export type Scale = "rows" | "thin" | "heat";

/** A part of a Job's indexes, or of its pods where there are no indexes: counted from 0, both ends included. */
export interface Focus {
  readonly job: number;
  readonly first: number;
  readonly last: number;
}

export interface TimeWindow {
  readonly fromMs: number;
  readonly untilMs: number;
}

export interface Box {
  readonly x: number;
  readonly y: number;
  readonly width: number;
  readonly height: number;
}

/** Something in the picture. */
export interface Hit {
  readonly kind:
    | ("pod" | "gap" | "decision" | "event" | "flag" | "job" | "index")
    | ("band" | "fold" | "axis" | "minimap")
    /** Things of the strip under the axis, and the mark that opens and closes it. */
    | ("controller" | "node" | "strip");
  /** One line for a tooltip and for screen readers: `pi-3-x7k2p failed after 4 s: exit code 1 (attempt 2)`. */
  readonly text: string;
  /** The instant under the point; a click moves the playhead there. */
  readonly atMs: number;
  /** The instant at which the thing itself is or begins; a click on a decision or a flag goes there. */
  readonly ownMs: number;
  readonly box: Box;
  readonly job?: number;
  readonly pod?: number;
  readonly index?: number;
  /** Name of the pod's node at that instant. */
  readonly node?: string;
  /** What to ask the Worker `why` about. */
  readonly cause?: Cause;
  /** Row numbers in Timeline.flags. */
  readonly flags?: readonly number[];
  /** What a click on a heat map's cell zooms into. */
  readonly focus?: Focus;
}

export type Direction = "up" | "down" | "left" | "right";

/** A row of the table beside the canvas. */
export interface TableRow {
  readonly pod: number;
  readonly name: string;
  readonly job: string;
  /** Empty where there is none. */
  readonly index: string;
  /** 0 for the first. */
  readonly attempt: number;
  readonly state: string;
  readonly sinceMs: number;
  /** How long it has been in that state. */
  readonly durationMs: number;
  readonly reason: string;
  readonly node: string;
  readonly transition: number;
}

export interface TableModel {
  /** At most MAX_TABLE_ROWS, those first that are not finished or changed last. */
  readonly rows: readonly TableRow[];
  /** All pods that are visible. */
  readonly total: number;
}

/** The controller, or a node, at the playhead. */
export interface ThingRow {
  readonly kind: "controller" | "node";
  readonly name: string;
  /** `runs`, `cordoned since 12.0 s` */
  readonly state: string;
  /** At work on the node. */
  readonly pods: number | undefined;
}

export interface LegendEntry {
  readonly key: string;
  /** `Running` */
  readonly label: string;
  /** What it means, in one sentence. */
  readonly meaning: string;
}
