/** Completion indexes as text, `0-3,5`, in one form, so that two texts of the same indexes are equal. */
import { ControlError } from "../control/control-error.ts";

const MAX_INDEX = 2 ** 31 - 1;
const MAX_LENGTH = 1_000_000;

/** @throws ControlError 400 */
export function indexesIn(text: unknown): string {
  if (typeof text !== "string" || text.length > MAX_LENGTH || !/^(\d+(-\d+)?(,\d+(-\d+)?)*)?$/.test(text))
    throw new ControlError(
      400,
      `the indexes are given as ${JSON.stringify(text)}; allowed is a text such as 0-3,5, or an empty one`,
    );
  const intervals: [first: number, last: number][] = [];
  const parts = text === "" ? [] : text.split(",");
  for (const [first, last] of parts.map(intervalOf).toSorted((a, b) => a[0] - b[0])) {
    const before = intervals.at(-1);
    if (before !== undefined && first <= before[1] + 1) before[1] = Math.max(before[1], last);
    else intervals.push([first, last]);
  }
  return intervals.map(([first, last]) => (first === last ? `${first}` : `${first}-${last}`)).join(",");
}

function intervalOf(part: string): [number, number] {
  const [first = 0, last = first] = part.split("-").map(Number);
  if (last < first || last > MAX_INDEX)
    throw new ControlError(400, `the indexes have ${part}; allowed are numbers up to ${MAX_INDEX}, the smaller first`);
  return [first, last];
}
