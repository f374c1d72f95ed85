/** Completion indexes as the API writes them: `0-3,5,7,8`. An empty text is an empty set. */

/**
 * The indexes of a text. Undefined when no set is written so: items in order, nothing twice, a run of two as `a,b` and
 * a longer one as `a-b`.
 */
export function readIndexes(text: string): Set<number> | undefined {
  const indexes = new Set<number>();
  for (const item of text === "" ? [] : text.split(",")) {
    const [, first, last = first] = /^(\d+)(?:-(\d+))?$/.exec(item) ?? [];
    if (first === undefined) return undefined;
    for (let index = Number(first); index <= Number(last); index++) indexes.add(index);
  }
  return writeIndexes(indexes) === text ? indexes : undefined;
}

export function writeIndexes(indexes: ReadonlySet<number>): string {
  const items: string[] = [];
  for (const first of [...indexes].sort((a, b) => a - b)) {
    if (indexes.has(first - 1)) continue;
    let last = first;
    while (indexes.has(last + 1)) last++;
    if (last === first) items.push(`${first}`);
    else items.push(last === first + 1 ? `${first},${last}` : `${first}-${last}`);
  }
  return items.join(",");
}
