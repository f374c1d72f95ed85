/**
 * Squares for thousands of rows: how big they can be, and which row a point is in. The smallest ones are higher than
 * wide where they fit so.
 *
 * Invariant: width and height are whole numbers of pixels of the screen, so all squares are equal.
 */
import type { Box } from "./parts.ts";

/** Between a track's header and its squares. */
export const GRID_GAP = 4;

export interface Grid {
  readonly x: number;
  readonly y: number;
  /** Width of a square. */
  readonly side: number;
  readonly height: number;
  readonly columns: number;
  readonly lines: number;
}

/** Squares with at most this many screen pixels are up to TALL times as high as wide. */
const SMALL = 3;
const TALL = 3;

/** Lines begin at round numbers if the greatest of these that fits costs little height. */
const ROUND_COLUMNS: readonly number[] = [
  2_000, 1_600, 1_200, 1_000, 800, 600, 500, 400, 300, 250, 200, 160, 120, 100, 80, 60, 50, 40, 30, 20, 10,
];
const ROUND_WORTH = 1.1;

/** The biggest squares with which this many rows fit into the box, or nearly so; sides are whole screen pixels. */
export function gridOf(count: number, box: Box, density: number): Grid {
  let pixels = Math.max(1, Math.floor(Math.sqrt((box.width * box.height) / Math.max(1, count)) * density));
  for (; ; pixels--) {
    const side = Math.max(pixels, 1) / density;
    const most = Math.max(1, Math.floor(box.width / side));
    const columns = ROUND_COLUMNS.find((round) => round <= most) ?? most;
    for (const wanted of [columns, most]) {
      const lines = Math.ceil(count / wanted);
      // Round lines are worth a little more height.
      const room = wanted === columns ? box.height * ROUND_WORTH : box.height;
      if (lines * side <= room || (pixels <= 1 && wanted === most)) {
        const most = Math.floor((box.height / lines) * density) / density;
        const height = side * density > SMALL ? side : Math.max(side, Math.min(side * TALL, most));
        return { x: box.x, y: box.y, side, height, columns: wanted, lines };
      }
    }
  }
}

/**
 * The row of a point, or undefined beside the squares.
 * @param box - the rows that the squares show: the number of the first, and how many
 */
export function rowInGrid(
  grid: Grid,
  box: { readonly first: number; readonly count: number },
  x: number,
  y: number,
): number | undefined {
  const column = Math.floor((x - grid.x) / grid.side);
  const line = Math.floor((y - grid.y) / grid.height);
  if (column < 0 || column >= grid.columns || line < 0) return undefined;
  const row = box.first + line * grid.columns + column;
  return row < box.first + box.count ? row : undefined;
}
