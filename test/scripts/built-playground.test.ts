/** The site is built once for one state of its sources, whole or not at all. */
import { readdirSync, statSync } from "node:fs";
import path from "node:path";
import { expect, test } from "vitest";
import { builtPlayground } from "../../scripts/built-playground.ts";

test("builds that begin at once give one folder with all files, and a later one builds nothing", async () => {
  const [first, second] = await Promise.all([builtPlayground(), builtPlayground()]);
  expect(second).toBe(first);
  expect(readdirSync(first)).toEqual(expect.arrayContaining(["index.html", "main.js", "worker.js", "engine.wasm"]));
  const { mtimeMs } = statSync(path.join(first, "index.html"));
  expect(await builtPlayground()).toBe(first);
  expect(statSync(path.join(first, "index.html")).mtimeMs).toBe(mtimeMs);
}, 120_000);
