/** How much a visitor waits for before the first picture: the engine and the Worker, as they are served. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { expect, test } from "vitest";
import { builtPlayground } from "../../../scripts/built-playground.ts";
import { BYTE_BUDGETS, nearBudget } from "../../../scripts/byte-budgets.ts";

test("core.wasm and the Worker keep within their budget", async () => {
  const folder = await builtPlayground();
  const sizes = ["engine.wasm", "worker.js"].map(
    (file) => gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length,
  );
  const bytes = sizes[0]! + sizes[1]!;
  const warning = nearBudget(BYTE_BUDGETS.coreAndWorker, bytes);
  if (warning !== undefined) console.warn(warning);
  expect(bytes, sizes.join(" + ")).toBeLessThanOrEqual(BYTE_BUDGETS.coreAndWorker.maxBytes);
}, 120_000);
