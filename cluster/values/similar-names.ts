/** Finds the names that the user may have meant, nearest first. Pure. */

/** Names within this distance of the wanted one: a third of its letters, and at least one. */
export function similarNames(wanted: string, names: readonly string[]): string[] {
  const scored = names.map((name) => ({ name, distance: distanceOf(wanted.toLowerCase(), name.toLowerCase()) }));
  return scored
    .filter(({ distance }) => distance <= mostChanges(wanted))
    .sort((a, b) => a.distance - b.distance || (a.name < b.name ? -1 : 1))
    .map(({ name }) => name);
}

/** How many letters of a name may be wrong. */
export function mostChanges(wanted: string): number {
  return Math.max(1, Math.floor(wanted.length / 3));
}

/**
 * Letters to change, add, leave out, or swap with their neighbour, to get from one to the other (optimal string
 * alignment).
 */
export function distanceOf(a: string, b: string): number {
  let before: number[] = [];
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++) {
      const change = row[j - 1]! + Number(a[i - 1] !== b[j - 1]);
      const swap = i > 1 && j > 1 && a[i - 1] === b[j - 2] && a[i - 2] === b[j - 1] ? before[j - 2]! + 1 : Infinity;
      next.push(Math.min(change, swap, row[j]! + 1, next[j - 1]! + 1));
    }
    [before, row] = [row, next];
  }
  return row[b.length]!;
}
