/** The completion indexes that a status names, `0,2-5`. Leaves out invalid text: the controller wrote it. */

export type IndexSet = readonly { readonly first: number; readonly last: number }[];

export function parseIndexes(text: string): IndexSet {
  if (text === "") return [];
  return text.split(",").map((part) => {
    const [first = 0, last = first] = part.split("-").map(Number);
    return { first, last };
  });
}

/** The intervals are in ascending order, so the one that may contain the index is found by halving. */
export function hasIndex(set: IndexSet, index: number): boolean {
  let [low, high] = [0, set.length];
  while (low < high) {
    const middle = (low + high) >> 1;
    if (set[middle]!.last < index) low = middle + 1;
    else high = middle;
  }
  return low < set.length && set[low]!.first <= index;
}
