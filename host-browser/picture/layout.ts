/**
 * The layout of the picture: which of the three scales fits the number of rows, and the boxes of axis, tracks, rows,
 * band and minimap.
 *
 * Invariant: boxes do not overlap and lie within the canvas, if it is at least as high as `preferredHeight` says.
 * Leaves out time (time-scale.ts).
 */
import type { Box, Scale } from "./parts.ts";
import {
  EDGE,
  gutterOf,
  HEADER,
  isNarrowAt,
  mapsHeight,
  MIN_ROW,
  type Part,
  partsOf,
  rowsOf,
  TRACK_GAP,
  type TrackBox,
  type TracksInput,
  tracksOf,
} from "./track-boxes.ts";

/** The most rows with names and patterns. */
export const MAX_NAMED_ROWS = 60;
/** The most rows that are drawn as rows; more are cells of a heat map. */
export const MAX_THIN_ROWS = 2_000;

/** Rows for the controller and the nodes, under the axis. */
export interface Strip {
  readonly y: number;
  readonly height: number;
  readonly rowHeight: number;
  readonly rows: number;
}

export interface Layout {
  readonly scale: Scale;
  readonly width: number;
  readonly height: number;
  /** Factor for type and marks. */
  readonly type: number;
  readonly isNarrow: boolean;
  /** Where time begins and ends. */
  readonly plotX: number;
  readonly plotEnd: number;
  readonly flagsY: number;
  readonly flagsHeight: number;
  readonly axisY: number;
  readonly axisHeight: number;
  readonly strip: Strip;
  /** All tracks. */
  readonly body: Box;
  readonly tracks: readonly TrackBox[];
  readonly band: Box | undefined;
  readonly minimap: Box;
}

export interface LayoutInput extends TracksInput {
  readonly height: number;
  readonly hasFlags: boolean;
}

const AXIS = 24;
const FLAGS = 22;
const STRIP_ROW = 14;
/** Where there are more than SLIM_ROWS. */
const SLIM_STRIP_ROW = 12;
const SLIM_ROWS = 5;
const STRIP_GAP = 6;
const MINIMAP = 40;
const MINIMAP_GAP = 10;
const BAND: Readonly<Record<Scale, number>> = { rows: 0, thin: 76, heat: 132 };
const BAND_GAP = 14;
/** Rows come one by one; the height does not grow with each of them. */
const THIN_STEP = 60;
const LEAST_THIN = 200;

export function scaleOf(rows: number): Scale {
  if (rows <= MAX_NAMED_ROWS) return "rows";
  return rows <= MAX_THIN_ROWS ? "thin" : "heat";
}

/** Everything but rows. */
function fixedHeight(parts: readonly Part[], scale: Scale, input: LayoutInput): number {
  const band = BAND[scale] === 0 ? 0 : BAND[scale] + BAND_GAP;
  const tracks = parts.length * HEADER + Math.max(0, parts.length - 1) * TRACK_GAP;
  return (
    ((input.hasFlags ? FLAGS : 0) + AXIS + stripHeight(input) + tracks + band + MINIMAP_GAP + MINIMAP + 4) * input.type
  );
}

/** With the air under it. */
function stripHeight({ strip: { rows } }: LayoutInput): number {
  return rows === 0 ? 0 : rows * stripRow(rows) + STRIP_GAP;
}

function stripRow(rows: number): number {
  return rows > SLIM_ROWS ? SLIM_STRIP_ROW : STRIP_ROW;
}

/** @param most - rows get closer to each other until they fit, but not closer than they can be read */
export function preferredHeight(input: LayoutInput, most = Infinity): number {
  const parts = partsOf(input);
  const rows = rowsOf(parts);
  const scale = scaleOf(rows);
  const isNarrow = isNarrowAt(input);
  let body: number;
  let least: number;
  if (scale === "rows") {
    body = Math.max(rows, 1) * (rows <= 12 ? 28 : rows <= 30 ? 20 : 15);
    least = Math.max(rows, 1) * MIN_ROW;
  } else if (scale === "thin") {
    body = thinHeight(rows, isNarrow, parts.some(hasGhost));
    least = LEAST_THIN;
  } else body = least = mapsHeight(parts, input) / input.type;
  const fixed = fixedHeight(parts, scale, input);
  return Math.ceil(Math.max(fixed + least * input.type, Math.min(fixed + body * input.type, most)));
}

function hasGhost({ input }: Part): boolean {
  return input.hasGhost;
}

/** With a ghost there are twice as many rows, half of them less high. */
function thinHeight(rows: number, isNarrow: boolean, isDouble: boolean): number {
  const wanted = Math.max(Math.ceil((rows * 3) / THIN_STEP) * THIN_STEP, 280);
  const most = isNarrow ? 360 : 480;
  return isDouble ? Math.min(wanted * 2, most * 1.4) : Math.min(wanted, most);
}

export function layoutOf(input: LayoutInput): Layout {
  const { width, height, type } = input;
  const parts = partsOf(input);
  const rows = rowsOf(parts);
  const scale = scaleOf(rows);
  const isNarrow = isNarrowAt(input);
  const plotX = gutterOf(input, scale, isNarrow);
  const plotEnd = width - EDGE * type;
  const flagsHeight = input.hasFlags ? FLAGS * type : 0;
  const stripY = flagsHeight + AXIS * type;
  const bodyY = stripY + stripHeight(input) * type;
  const room = Math.max(0, height - fixedHeight(parts, scale, input));
  const minimapY = height - (MINIMAP + 4) * type;
  const bandHeight = BAND[scale] * type;
  const bandY = minimapY - (MINIMAP_GAP + BAND[scale]) * type;
  const bodyEnd = bandHeight === 0 ? minimapY - MINIMAP_GAP * type : bandY - BAND_GAP * type;
  return {
    scale,
    width,
    height,
    type,
    isNarrow,
    plotX,
    plotEnd,
    flagsY: 0,
    flagsHeight,
    axisY: flagsHeight,
    axisHeight: AXIS * type,
    strip: {
      y: stripY,
      rowHeight: stripRow(input.strip.rows) * type,
      rows: input.strip.rows,
      height: input.strip.rows * stripRow(input.strip.rows) * type,
    },
    body: { x: plotX, y: bodyY, width: plotEnd - plotX, height: bodyEnd - bodyY },
    tracks: tracksOf(parts, scale, bodyY, room, input),
    band: bandHeight === 0 ? undefined : { x: plotX, y: bandY, width: plotEnd - plotX, height: bandHeight },
    minimap: { x: plotX, y: minimapY, width: plotEnd - plotX, height: MINIMAP * type },
  };
}
