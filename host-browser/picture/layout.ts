/**
 * Where things stand: which of the three scales is right for so many rows, and the boxes of axis, tracks, rows, band
 * and minimap.
 *
 * Invariant: boxes do not overlap and lie within the canvas, if it is at least as high as `preferredHeight` says.
 * Leaves out time (time-scale.ts).
 */
import { type Grid, GRID_GAP, gridOf } from "./grid.ts";
import type { Box, Focus, Scale } from "./picture.ts";

/** At most so many rows have names and patterns. */
export const MAX_NAMED_ROWS = 60;
/** At most so many rows are rows; more are cells of a heat map. */
export const MAX_THIN_ROWS = 2_000;

/** What is laid out: a Job's rows. */
export interface TrackInput {
  readonly job: number;
  readonly name: string;
  readonly size: number;
  /** The longest name of a row. */
  readonly nameLength: number;
}

export interface TrackBox {
  readonly job: number;
  readonly name: string;
  readonly y: number;
  readonly headerHeight: number;
  readonly rowsY: number;
  /** May be less than a pixel at scale `thin`, and is 0 at scale `heat`. */
  readonly rowHeight: number;
  readonly first: number;
  readonly count: number;
  readonly height: number;
  /** Squares, at scale `heat`. */
  readonly grid: Grid | undefined;
}

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

export interface LayoutInput {
  readonly tracks: readonly TrackInput[];
  readonly focus: Focus | undefined;
  readonly width: number;
  readonly height: number;
  readonly type: number;
  /** Pixels of the screen for one of CSS. */
  readonly density: number;
  readonly hasFlags: boolean;
  /** Rows for the controller and the nodes, and the longest of their names. */
  readonly strip: { readonly rows: number; readonly nameLength: number };
}

const NARROW = 560;
const AXIS = 24;
const FLAGS = 22;
const STRIP_ROW = 14;
const STRIP_GAP = 6;
const HEADER = 26;
const TRACK_GAP = 8;
const MINIMAP = 40;
const MINIMAP_GAP = 10;
const EDGE = 14;
const BAND: Readonly<Record<Scale, number>> = { rows: 0, thin: 76, heat: 132 };
const BAND_GAP = 14;
const MIN_ROW = 13;
const MAX_ROW = 30;
const CHARACTER = 6.6;
const BOLD_CHARACTER = 7.8;
/** Rows come one by one; the height does not grow with each of them. */
const THIN_STEP = 60;
const MIN_HEAT = 14;
/** Height of a heat map before its squares are made whole. */
const HEAT = 380;
const HEAT_NARROW = 320;

export function scaleOf(rows: number): Scale {
  if (rows <= MAX_NAMED_ROWS) return "rows";
  return rows <= MAX_THIN_ROWS ? "thin" : "heat";
}

interface Part {
  readonly input: TrackInput;
  readonly first: number;
  readonly count: number;
}

function partsOf({ tracks, focus }: LayoutInput): Part[] {
  if (focus === undefined) return tracks.map((input) => ({ input, first: 0, count: input.size }));
  return tracks
    .filter(({ job }) => job === focus.job)
    .map((input) => {
      const first = Math.min(focus.first, Math.max(0, input.size - 1));
      return { input, first, count: Math.max(0, Math.min(focus.last + 1, input.size) - first) };
    });
}

function rowsOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
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
  return rows === 0 ? 0 : rows * STRIP_ROW + STRIP_GAP;
}

export function preferredHeight(input: LayoutInput): number {
  const parts = partsOf(input);
  const rows = rowsOf(parts);
  const scale = scaleOf(rows);
  const isNarrow = input.width < NARROW * input.type;
  let body: number;
  if (scale === "rows") body = Math.max(rows, 1) * (rows <= 12 ? 28 : rows <= 30 ? 20 : 15);
  else if (scale === "thin")
    body = Math.min(Math.max(Math.ceil((rows * 3) / THIN_STEP) * THIN_STEP, 280), isNarrow ? 360 : 480);
  else body = gridsOf(parts, input).reduce((sum, grid) => sum + heightOf(grid), 0) / input.type;
  return Math.ceil(fixedHeight(parts, scale, input) + body * input.type);
}

/** For each track, at its upper left corner. */
function gridsOf(parts: readonly Part[], input: LayoutInput): Grid[] {
  const rows = Math.max(1, rowsOf(parts));
  const isNarrow = input.width < NARROW * input.type;
  const x = gutterOf(input, "heat", isNarrow);
  const width = input.width - EDGE * input.type - x;
  const whole = (isNarrow ? HEAT_NARROW : HEAT) * input.type;
  return parts.map(({ count }) => {
    const height = Math.max(MIN_HEAT * input.type, (whole * count) / rows);
    return gridOf(count, { x, y: 0, width, height }, input.density);
  });
}

function heightOf({ lines, side }: Grid): number {
  return lines * side + GRID_GAP;
}

export function layoutOf(input: LayoutInput): Layout {
  const { width, height, type } = input;
  const parts = partsOf(input);
  const rows = rowsOf(parts);
  const scale = scaleOf(rows);
  const isNarrow = width < NARROW * type;
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
      ...{ y: stripY, rowHeight: STRIP_ROW * type, rows: input.strip.rows },
      height: input.strip.rows * STRIP_ROW * type,
    },
    body: { x: plotX, y: bodyY, width: plotEnd - plotX, height: bodyEnd - bodyY },
    tracks: tracksOf(parts, scale, bodyY, room, input),
    band: bandHeight === 0 ? undefined : { x: plotX, y: bandY, width: plotEnd - plotX, height: bandHeight },
    minimap: { x: plotX, y: minimapY, width: plotEnd - plotX, height: MINIMAP * type },
  };
}

function tracksOf(parts: readonly Part[], scale: Scale, bodyY: number, room: number, input: LayoutInput): TrackBox[] {
  const { type } = input;
  const grids = scale === "heat" ? gridsOf(parts, input) : undefined;
  const rows = Math.max(1, rowsOf(parts));
  let rowHeight = room / rows;
  if (scale === "rows") rowHeight = Math.min(Math.max(rowHeight, MIN_ROW * type), MAX_ROW * type);
  // Whole pixels keep rows equal where they are high enough to be told apart.
  if (rowHeight >= 3) rowHeight = Math.floor(rowHeight);
  let y = bodyY;
  return parts.map(({ input: track, first, count }, i) => {
    const headerHeight = HEADER * type;
    const grid = grids?.[i];
    const box: TrackBox = {
      job: track.job,
      name: track.name,
      y,
      headerHeight,
      rowsY: y + headerHeight,
      rowHeight: scale === "heat" ? 0 : rowHeight,
      first,
      count,
      height: headerHeight + (grid === undefined ? count * rowHeight : heightOf(grid)),
      grid: grid === undefined ? undefined : { ...grid, y: y + headerHeight + GRID_GAP },
    };
    y += box.height + TRACK_GAP * type;
    return box;
  });
}

function gutterOf({ tracks, strip, width, type }: LayoutInput, scale: Scale, isNarrow: boolean): number {
  const header = Math.max(0, ...tracks.map(({ name }) => name.length)) * BOLD_CHARACTER + 26;
  const names = scale === "rows" ? Math.max(0, ...tracks.map(({ nameLength }) => nameLength)) * CHARACTER + 22 : 66;
  const things = strip.rows === 0 ? 0 : strip.nameLength * CHARACTER + 30;
  const wanted = Math.max(header, names, things, scale === "rows" ? 50 : 66) * type;
  return Math.round(Math.min(wanted, isNarrow ? width * 0.24 : Math.max(width * 0.2, 120 * type)));
}
