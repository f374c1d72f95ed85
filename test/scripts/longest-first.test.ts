/** The order of the test files: the named ones first, and each name is that of a file. */
import { existsSync } from "node:fs";
import { join, resolve } from "node:path";
import { expect, test } from "vitest";
import type { TestSpecification, Vitest } from "vitest/node";
import { LONGEST, LongestFirst } from "../../scripts/longest-first.ts";

const root = resolve(import.meta.dirname, "../..");

/** What the sequencer asks of Vitest: nothing has been kept of earlier runs. */
const config = { root, isolate: true, sequence: { groupOrder: 0 } };
const context = { config, cache: { getFileTestResults: () => undefined, getFileStats: () => undefined } };
const fileAt = (moduleId: string, isolate = true): TestSpecification =>
  ({ moduleId, project: { name: "", config: { ...config, isolate } } }) as TestSpecification;

async function sortedBy(
  files: readonly TestSpecification[],
  sequence: { readonly shuffle?: boolean; readonly seed?: number } = {},
): Promise<string[]> {
  const own = { ...context, config: { ...config, sequence: { ...config.sequence, ...sequence } } };
  const sorted = await new LongestFirst(own as unknown as Vitest).sort([...files]);
  return sorted.map(({ moduleId }) => moduleId);
}

test("the list of the longest test files names files that exist", () => {
  expect(LONGEST.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("the sequencer puts the named files first, in their order, and the others after them", async () => {
  const others = ["test/cluster/time/clock.test.ts", "test/tidy/tidy.test.ts"];
  const files = [...others, ...LONGEST.toReversed()].map((file) => fileAt(join(root, file)));
  expect(await sortedBy(files)).toEqual([...LONGEST, ...others].map((file) => join(root, file)));
});

test("the sequencer puts files with a separate process before those that share one", async () => {
  const [longest] = LONGEST;
  const files = [fileAt(join(root, longest), false), fileAt(join(root, "test", "own.test.ts"))];
  expect(await sortedBy(files)).toEqual([join(root, "test", "own.test.ts"), join(root, longest)]);
});

test("the sequencer shuffles by the seed when it is asked to", async () => {
  const files = Array.from({ length: 20 }, (_, i) => fileAt(`/test/${i}.test.ts`));
  const [first, again, other] = await Promise.all([1, 1, 2].map((seed) => sortedBy(files, { shuffle: true, seed })));
  expect(again).toEqual(first);
  expect(other).not.toEqual(first);
  expect(other!.toSorted()).toEqual(first!.toSorted());
});
