/**
 * The places of each Job's rows: named, thin or as squares, with those of the branch before in them or under them.
 *
 * Invariant: boxes of tracks follow each other from the top. Leaves out what is above and below all tracks (layout.ts).
 */
import { type Grid, GRID_GAP, gridOf } from "./grid.ts";
import type { Focus, Scale } from "./parts.ts";

/** What is laid out: a Job's rows. */
export interface TrackInput {
  readonly job: number;
  readonly name: string;
  readonly size: number;
  /** The longest name of a row. */
  readonly nameLength: number;
  /** The branch before the change has the same Job. */
  readonly hasGhost: boolean;
}

/** The inputs of the track boxes, beside the height that is left for them. */
export interface TracksInput {
  readonly tracks: readonly TrackInput[];
  readonly focus: Focus | undefined;
  readonly width: number;
  /** Factor for type and marks. */
  readonly type: number;
  /** Pixels of the screen for one of CSS. */
  readonly density: number;
  /** Heat maps have the map of the branch before under them. */
  readonly hasShadowMaps: boolean;
  /** Rows for the controller and the nodes, and the longest of their names. */
  readonly strip: { readonly rows: number; readonly nameLength: number };
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
  /** At scale `thin`: the lower part of each row that belongs to the branch before; 0: none. */
  readonly ghostPart: number;
  /** The same rows in the branch before, under all of these: where rows are too thin for a part, or are squares. */
  readonly ghost: { readonly y: number; readonly rowHeight: number; readonly grid: Grid | undefined } | undefined;
}

const NARROW = 560;
export const HEADER = 26;
export const TRACK_GAP = 8;
export const EDGE = 14;
/** The least height of a row with a name. */
export const MIN_ROW = 13;
const MAX_ROW = 30;
const CHARACTER = 6.6;
const BOLD_CHARACTER = 7.8;
const MIN_HEAT = 14;
/** Height of a heat map before its squares are made whole. */
const HEAT = 380;
const HEAT_NARROW = 320;
/** A row that is less high does not fit the branch before. */
const MIN_SHARED_ROW = 4;
/** How much of the height is the shown branch's. */
const OWN_SHARE = 0.64;
/** The height of the words above the branch before. */
export const GHOST_LABEL = 15;

export function isNarrowAt({ width, type }: Pick<TracksInput, "width" | "type">): boolean {
  return width < NARROW * type;
}

export interface Part {
  readonly input: TrackInput;
  readonly first: number;
  readonly count: number;
}

export function partsOf({ tracks, focus }: TracksInput): Part[] {
  if (focus === undefined) return tracks.map((input) => ({ input, first: 0, count: input.size }));
  return tracks
    .filter(({ job }) => job === focus.job)
    .map((input) => {
      const first = Math.min(focus.first, Math.max(0, input.size - 1));
      return { input, first, count: Math.max(0, Math.min(focus.last + 1, input.size) - first) };
    });
}

export function rowsOf(parts: readonly Part[]): number {
  return parts.reduce((sum, { count }) => sum + count, 0);
}

/** For each track, at its upper left corner. */
function gridsOf(parts: readonly Part[], input: TracksInput): Grid[] {
  const rows = Math.max(1, rowsOf(parts));
  const isNarrow = isNarrowAt(input);
  const x = gutterOf(input, "heat", isNarrow);
  const width = input.width - EDGE * input.type - x;
  const whole = (isNarrow ? HEAT_NARROW : HEAT) * input.type;
  return parts.map(({ count }) => {
    const height = Math.max(MIN_HEAT * input.type, (whole * count) / rows);
    return gridOf(count, { x, y: 0, width, height }, input.density);
  });
}

function heightOf({ lines, height }: Grid): number {
  return lines * height + GRID_GAP;
}

/** How much the map of the branch before adds. */
function shadowHeight({ input: { hasGhost } }: Part, grid: Grid, input: TracksInput): number {
  return hasGhost && input.hasShadowMaps ? heightOf(grid) + GHOST_LABEL * input.type : 0;
}

export function mapsHeight(parts: readonly Part[], input: TracksInput): number {
  return gridsOf(parts, input).reduce((sum, grid, i) => sum + heightOf(grid) + shadowHeight(parts[i]!, grid, input), 0);
}

export function tracksOf(
  parts: readonly Part[],
  scale: Scale,
  bodyY: number,
  room: number,
  input: TracksInput,
): TrackBox[] {
  const { type } = input;
  const grids = scale === "heat" ? gridsOf(parts, input) : undefined;
  const rows = Math.max(1, rowsOf(parts));
  const headerHeight = HEADER * type;
  const { rowHeight, ghostPart, ghostRow } = rowHeights(parts, scale, room / rows, type);
  let y = bodyY;
  return parts.map((part, i) => {
    const { input: track, first, count } = part;
    const rowsY = y + headerHeight;
    const grid = grids?.[i];
    const own = grid === undefined ? count * rowHeight : heightOf(grid);
    const below = grid === undefined ? 0 : shadowHeight(part, grid, input);
    const isBelow = below > 0 || (track.hasGhost && ghostRow > 0);
    const ghostY = rowsY + own + GHOST_LABEL * type;
    const box: TrackBox = {
      job: track.job,
      name: track.name,
      y,
      headerHeight,
      rowsY,
      first,
      count,
      rowHeight: scale === "heat" ? 0 : rowHeight,
      height: headerHeight + own + (grid === undefined && isBelow ? count * ghostRow + GHOST_LABEL * type : below),
      grid: grid === undefined ? undefined : { ...grid, y: rowsY + GRID_GAP },
      ghostPart: track.hasGhost ? ghostPart : 0,
      ghost: isBelow
        ? { y: ghostY, rowHeight: ghostRow, grid: grid === undefined ? undefined : { ...grid, y: ghostY } }
        : undefined,
    };
    y += box.height + TRACK_GAP * type;
    return box;
  });
}

interface RowHeights {
  readonly rowHeight: number;
  readonly ghostPart: number;
  /** Of rows of the branch before that are under all others. */
  readonly ghostRow: number;
}

function rowHeights(parts: readonly Part[], scale: Scale, height: number, type: number): RowHeights {
  const isDouble = scale === "thin" && parts.some(({ input }) => input.hasGhost);
  const isBelow = isDouble && height < MIN_SHARED_ROW;
  const label = (parts.length * GHOST_LABEL * type) / Math.max(1, rowsOf(parts));
  const shared = isBelow ? Math.max(0, height - label) : height;
  let rowHeight = isBelow ? shared * OWN_SHARE : shared;
  if (scale === "rows") rowHeight = Math.min(Math.max(rowHeight, MIN_ROW * type), MAX_ROW * type);
  // Whole pixels keep rows equal where a difference would be visible.
  if (rowHeight >= 3) rowHeight = Math.floor(rowHeight);
  return {
    rowHeight,
    ghostPart: isDouble && !isBelow ? Math.max(1, Math.floor(rowHeight * (1 - OWN_SHARE))) : 0,
    ghostRow: isBelow ? shared * (1 - OWN_SHARE) : 0,
  };
}

export function gutterOf({ tracks, strip, width, type }: TracksInput, scale: Scale, isNarrow: boolean): number {
  const header = Math.max(0, ...tracks.map(({ name }) => name.length)) * BOLD_CHARACTER + 26;
  const names = scale === "rows" ? Math.max(0, ...tracks.map(({ nameLength }) => nameLength)) * CHARACTER + 22 : 66;
  const things = strip.rows === 0 ? 0 : strip.nameLength * CHARACTER + 30;
  const wanted = Math.max(header, names, things, scale === "rows" ? 50 : 66) * type;
  // With large type, a name needs more of a narrow picture to be visible.
  const narrowShare = 0.24 + (type - 1) * 0.15;
  return Math.round(Math.min(wanted, isNarrow ? width * narrowShare : Math.max(width * 0.2, 120 * type)));
}
