/** Work on many things, some at a time. */

/** So that few begin at the same moment. */
const LANE_DELAY_MS = 500;

export async function inLanes<Item, Result>(
  items: readonly Item[],
  lanes: number,
  work: (item: Item) => Promise<Result>,
): Promise<Result[]> {
  const waiting = [...items];
  const results: Result[] = [];
  const lane = async (_none: unknown, place: number): Promise<void> => {
    await new Promise((resolve) => setTimeout(resolve, place * LANE_DELAY_MS));
    for (let item = waiting.shift(); item !== undefined; item = waiting.shift()) results.push(await work(item));
  };
  await Promise.all(Array.from({ length: lanes }, lane));
  return results;
}
