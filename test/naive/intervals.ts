/**
 * Completion indexes the naive way: a Set of numbers, and text taken apart with split and regular expressions.
 *
 * Written from docs/spec/controller.md 3.4 and api.md 1.6, V41, V99 to V101, to be obviously right and not fast;
 * property tests compare the engine with it.
 */

export interface Interval {
  readonly first: number;
  readonly last: number;
}

/** Reads interval text leniently (controller.md 3.4). */
export function parseIntervals(text: string, completions: number): Set<number> {
  const indexes = new Set<number>();
  for (const item of text.split(",")) {
    const [firstText, lastText] = item.split("-");
    const first = atoi(firstText!);
    if (first === undefined) continue;
    if (first >= completions) break;
    const last = lastText === undefined ? first : atoi(lastText);
    if (last === undefined) continue;
    for (let index = first; index <= Math.min(last, completions - 1); index++) indexes.add(index);
  }
  return indexes;
}

/** Writes a set: runs of one `a`, of two `a,b`, of three or more `a-b`. */
export function formatIntervals(indexes: ReadonlySet<number>): string {
  return toIntervals(indexes)
    .map(({ first, last }) =>
      first === last ? `${first}` : last === first + 1 ? `${first},${last}` : `${first}-${last}`,
    )
    .join(",");
}

/** The runs of a set, ascending. */
export function toIntervals(indexes: ReadonlySet<number>): Interval[] {
  return [...indexes]
    .filter((index) => !indexes.has(index - 1))
    .sort((a, b) => a - b)
    .map((first) => {
      let last = first;
      while (indexes.has(last + 1)) last++;
      return { first, last };
    });
}

export function firstMissingFrom(indexes: ReadonlySet<number>, index: number): number {
  while (indexes.has(index)) index++;
  return index;
}

/** The number of indexes of a valid text, or the sentence that says what is wrong with it (V41). */
export function validateIntervals(text: string, completions: number): number | string {
  if (text === "") return 0;
  let previous = -1;
  let count = 0;
  for (const item of text.split(",")) {
    const interval = strictInterval(item, completions);
    if (typeof interval === "string") return interval;
    if (previous >= interval.first) return `non-increasing order, previous: ${previous}, current: ${interval.first}`;
    count += interval.last - interval.first + 1;
    previous = interval.last;
  }
  return count;
}

/** The first index that two texts share (V101). Items that break a rule are skipped. */
export function firstOverlap(a: string, b: string, completions: number): number | undefined {
  const valid = (text: string) =>
    text.split(",").flatMap((item) => {
      const interval = strictInterval(item, completions);
      return typeof interval === "string" ? [] : [interval];
    });
  const lefts = valid(a);
  const rights = valid(b);
  while (lefts.length > 0 && rights.length > 0) {
    const left = lefts[0]!;
    const right = rights[0]!;
    if (left.first <= right.last && right.first <= left.last) return Math.max(left.first, right.first);
    (left.first <= right.first ? lefts : rights).shift();
  }
  return undefined;
}

function strictInterval(item: string, completions: number): Interval | string {
  const parts = item.split("-");
  if (parts.length > 2) {
    return `the fragment "${item}" violates the requirement that an index interval can have at most two parts separated by '-'`;
  }
  const numbers: number[] = [];
  for (const part of parts) {
    const value = atoi(part);
    if (value === undefined) return `cannot convert string to integer for index: "${part}"`;
    if (value >= completions) return `too large index: "${part}"`;
    numbers.push(value);
  }
  const first = numbers[0]!;
  const last = numbers[1];
  if (last === undefined) return { first, last: first };
  return first < last ? { first, last } : `non-increasing order, previous: ${first}, current: ${last}`;
}

/** Go's strconv.Atoi for text without `-`: undefined where it is an error. */
function atoi(text: string): number | undefined {
  if (!/^\+?[0-9]+$/.test(text)) return undefined;
  return BigInt(text.replace("+", "")) > 2n ** 63n - 1n ? undefined : Number(text);
}
