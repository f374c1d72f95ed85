/** The lines that differ between two texts, with some of those around them. A pure function. */

import type { DiffLine } from "../door-answer.ts";

/** Unchanged lines around a change. */
const CONTEXT = 2;
/** More lines are compared as a whole: the table of the comparison would take too long. */
const MAX_COMPARED = 1_000;

/** Each change with its context. Between two of them, a line `…` stands for those that are left out. */
export function lineDiff(before: readonly string[], after: readonly string[]): DiffLine[] {
  const shorter = Math.min(before.length, after.length);
  let head = 0;
  while (head < shorter && before[head] === after[head]) head++;
  let tail = 0;
  while (tail < shorter - head && before.at(-1 - tail) === after.at(-1 - tail)) tail++;
  const same = (text: string): DiffLine => ({ sign: " ", text });
  return withContext([
    ...before.slice(0, head).map(same),
    ...compared(before.slice(head, before.length - tail), after.slice(head, after.length - tail)),
    ...before.slice(before.length - tail).map(same),
  ]);
}

function compared(before: readonly string[], after: readonly string[]): DiffLine[] {
  if (Math.max(before.length, after.length) > MAX_COMPARED)
    return [
      ...before.map((text) => ({ sign: "-", text }) as const),
      ...after.map((text) => ({ sign: "+", text }) as const),
    ];
  const common = commonLengths(before, after);
  const lines: DiffLine[] = [];
  let i = 0;
  let j = 0;
  while (i < before.length || j < after.length) {
    if (i < before.length && j < after.length && before[i] === after[j]) {
      lines.push({ sign: " ", text: before[i++]! });
      j++;
    } else if (j >= after.length || (i < before.length && common[i + 1]![j]! >= common[i]![j + 1]!))
      lines.push({ sign: "-", text: before[i++]! });
    else lines.push({ sign: "+", text: after[j++]! });
  }
  return lines;
}

/** For each two places, how many lines the rests after them have in common at most. */
function commonLengths(before: readonly string[], after: readonly string[]): number[][] {
  const lengths = Array.from({ length: before.length + 1 }, () => Array.from({ length: after.length + 1 }, () => 0));
  for (let i = before.length - 1; i >= 0; i--)
    for (let j = after.length - 1; j >= 0; j--)
      lengths[i]![j] =
        before[i] === after[j] ? lengths[i + 1]![j + 1]! + 1 : Math.max(lengths[i + 1]![j]!, lengths[i]![j + 1]!);
  return lengths;
}

function withContext(lines: readonly DiffLine[]): DiffLine[] {
  const isNear = lines.map((_, i) =>
    lines.slice(Math.max(0, i - CONTEXT), i + CONTEXT + 1).some(({ sign }) => sign !== " "),
  );
  return lines.flatMap((line, i) => {
    if (isNear[i]) return [line];
    return i > 0 && isNear[i - 1] && isNear.includes(true, i) ? [{ sign: " ", text: "…" } as const] : [];
  });
}
