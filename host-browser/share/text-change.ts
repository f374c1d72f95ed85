/**
 * A change of a text, for an address: how much stayed at its beginning and its end, and what is between. It is short
 * where the user edited little, and correct for every two texts.
 */

/** Characters kept at the beginning, characters kept at the end, and the text between them. */
export type TextChange = readonly [kept: number, keptAtEnd: number, between: string];

export function changeOf(before: string, after: string): TextChange {
  const shorter = Math.min(before.length, after.length);
  let kept = 0;
  while (kept < shorter && before[kept] === after[kept]) kept++;
  let keptAtEnd = 0;
  while (keptAtEnd < shorter - kept && before.at(-1 - keptAtEnd) === after.at(-1 - keptAtEnd)) keptAtEnd++;
  return [kept, keptAtEnd, after.slice(kept, after.length - keptAtEnd)];
}

/** Undefined: the change is not one of this text. */
export function applyChange(before: string, [kept, keptAtEnd, between]: TextChange): string | undefined {
  if (kept + keptAtEnd > before.length) return undefined;
  return before.slice(0, kept) + between + before.slice(before.length - keptAtEnd);
}
