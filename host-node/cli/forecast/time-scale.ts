/**
 * The column of an instant in a picture of a given width. Time is to scale as long as the shortest bar is visible.
 * Otherwise the long stretches in which nothing changes are folded: each takes a few columns, however long it is, and
 * the picture marks them.
 */

export interface Span {
  readonly fromMs: number;
  readonly toMs: number;
}

export interface TimeScale {
  /** 0 is the beginning; not above the width. */
  columnOf(ms: number): number;
  /** In the order of time. */
  readonly folded: readonly Span[];
}

/** The shortest bar should have this many columns. */
const SEEN_COLUMNS = 2;
/** The most columns of a stretch without pods, tried in this order. Other stretches may have this many times that. */
const IDLE_COLUMNS = [Infinity, 30, 20, 12, 8, 5];
const BUSY_TIMES = 2;
const HALVINGS = 60;

/** @param spans everything that is drawn */
export function timeScale(spans: readonly Span[], endMs: number, width: number): TimeScale {
  const instants = [...new Set([0, endMs].concat(spans.flatMap(({ fromMs, toMs }) => [fromMs, toMs])))]
    .filter((ms) => ms <= endMs)
    .toSorted((a, b) => a - b);
  const stretches = instants.slice(1).map((toMs, i) => ({ fromMs: instants[i]!, toMs }));
  const idle = idleAmong(stretches, spans);
  const shortest = spans.reduce(
    (least, { fromMs, toMs }) => (toMs > fromMs ? Math.min(least, toMs - fromMs) : least),
    endMs,
  );
  for (const most of IDLE_COLUMNS) {
    const caps = stretches.map((_stretch, i) => (idle[i] ? most : most * BUSY_TIMES));
    const msPerColumn = fit(stretches, caps, width);
    const isLast = most === IDLE_COLUMNS.at(-1);
    if (shortest / msPerColumn >= SEEN_COLUMNS || isLast) return scaleOf(stretches, caps, msPerColumn, width);
  }
  throw new Error("there is a last one");
}

/** The stretches without a span. Both lists are ordered by their beginnings. */
function idleAmong(stretches: readonly Span[], spans: readonly Span[]): readonly boolean[] {
  const changes = new Map<number, number>();
  for (const { fromMs, toMs } of spans) {
    changes.set(fromMs, (changes.get(fromMs) ?? 0) + 1);
    changes.set(toMs, (changes.get(toMs) ?? 0) - 1);
  }
  let open = 0;
  return stretches.map(({ fromMs }) => (open += changes.get(fromMs) ?? 0) === 0);
}

/** How many milliseconds a column has, so that all stretches fill the width, up to their caps. */
function fit(stretches: readonly Span[], caps: readonly number[], width: number): number {
  const columns = (msPerColumn: number): number =>
    stretches.reduce((sum, { fromMs, toMs }, i) => sum + Math.min((toMs - fromMs) / msPerColumn, caps[i]!), 0);
  let low = 1e-3;
  let high = Math.max(1, stretches.at(-1)?.toMs ?? 0) / width;
  if (columns(low) <= width) return low;
  for (let i = 0; i < HALVINGS; i++) {
    const middle = (low + high) / 2;
    if (columns(middle) > width) low = middle;
    else high = middle;
  }
  return high;
}

function scaleOf(stretches: readonly Span[], caps: readonly number[], msPerColumn: number, width: number): TimeScale {
  const columnAt = new Map<number, number>([[0, 0]]);
  const folded: Span[] = [];
  let column = 0;
  for (const [i, stretch] of stretches.entries()) {
    const asked = (stretch.toMs - stretch.fromMs) / msPerColumn;
    if (asked > caps[i]! * 1.001) folded.push(stretch);
    column += Math.min(asked, caps[i]!);
    columnAt.set(stretch.toMs, column);
  }
  return { folded, columnOf: (ms) => Math.min(width, Math.round(columnAt.get(ms) ?? column)) };
}
