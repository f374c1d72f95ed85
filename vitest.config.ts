/**
 * Vitest runs test/**\/*.test.ts; the *.spec.ts files of test/engine/ are AssemblyScript and belong to as-pect.
 * test/engines/, test/kubernetes/ and test/package/ have configurations of their own: they need container engines, a
 * real API server, and the registry.
 */
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.ts";
import { ownProcessFiles } from "./scripts/own-process.ts";

const include = ["test/**/*.test.ts"];
const exclude = [...configDefaults.exclude, "test/engines/**", "test/kubernetes/**", "test/package/**"];
/** Each test of the page in a browser starts one, and waits for it most of the time: nothing is won by sharing. */
const own = [...ownProcessFiles(import.meta.dirname), "test/host-browser/browser/**/*.test.ts"];

export default defineConfig({
  // As esbuild's loader "text" does for the page.
  plugins: [
    {
      name: "yaml-text",
      transform: (code, id) => (id.endsWith(".yaml") ? `export default ${JSON.stringify(code)};` : undefined),
    },
  ],
  test: {
    projects: [
      { extends: true, test: { name: "own process", include: own, exclude } },
      { extends: true, test: { name: "shared", include, exclude: [...exclude, ...own], isolate: false } },
    ],
    // Vitest leaves one free, of two as well.
    maxWorkers: availableParallelism(),
    sequence: { sequencer: LongestFirst },
    // Nothing measures time; this is for machines that are busy.
    testTimeout: 30_000,
    expect: { poll: { timeout: 20_000 } },
    // A module that was not built yet is built first.
    hookTimeout: 120_000,
    // Tests read the engine as a file, which no import tells.
    forceRerunTriggers: ["**/build/*.wasm", "**/vitest.config.*"],
  },
});
