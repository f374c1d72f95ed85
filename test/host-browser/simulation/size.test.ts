/** How much a visitor waits for before the first picture: the engine and the Worker, as they are served. */
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { gzipSync } from "node:zlib";
import { afterAll, expect, test } from "vitest";
import { buildPlayground } from "../../../scripts/build-playground.ts";

const MAX_BYTES = 160 * 1024;
const folder = mkdtempSync(path.join(tmpdir(), "stint-playground-size-"));

afterAll(() => rmSync(folder, { recursive: true, force: true }));

test("engine and Worker have at most 160 KiB, gzipped", async () => {
  await buildPlayground(folder);
  const sizes = ["engine.wasm", "worker.js"].map(
    (file) => gzipSync(readFileSync(path.join(folder, file)), { level: 9 }).length,
  );
  expect(sizes[0]! + sizes[1]!, sizes.join(" + ")).toBeLessThanOrEqual(MAX_BYTES);
}, 120_000);
