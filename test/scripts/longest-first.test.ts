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
const fileAt = (moduleId: string): TestSpecification =>
  ({ moduleId, project: { name: "", config } }) as TestSpecification;

test("names files that there are", () => {
  expect(LONGEST.filter((file) => !existsSync(join(root, file)))).toEqual([]);
});

test("has the named files first, in their order, and the others after them", async () => {
  const others = ["test/cluster/time/clock.test.ts", "test/tidy/tidy.test.ts"];
  const files = [...others, ...LONGEST.toReversed()].map((file) => fileAt(join(root, file)));
  const sorted = await new LongestFirst(context as unknown as Vitest).sort(files);
  expect(sorted.map(({ moduleId }) => moduleId)).toEqual([...LONGEST, ...others].map((file) => join(root, file)));
});
