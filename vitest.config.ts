/**
 * Vitest runs test/**\/*.test.ts; the *.spec.ts files of test/engine/ are AssemblyScript and belong to as-pect.
 * `*.e2e.test.ts` start programs: the built command, kubectl, containers, a browser. `*.long.test.ts` try many seeds,
 * random inputs or thousands of pods. Both are separate projects, because they take most of the time:
 * `npm run test:e2e` and `npm run test:long` run them, and `npm test` runs the others (scripts/test.ts).
 * test/engines/, test/kubernetes/ and test/package/ have separate configurations: they need container engines, a
 * real API server, and the registry.
 */
import { availableParallelism } from "node:os";
import { configDefaults, defineConfig } from "vitest/config";
import { LongestFirst } from "./scripts/longest-first.ts";
import { ownProcessFiles } from "./scripts/own-process.ts";

const include = ["test/**/*.test.ts"];
const exclude = [...configDefaults.exclude, "test/engines/**", "test/kubernetes/**", "test/package/**"];
const endToEnd = ["test/**/*.e2e.test.ts"];
// CI runs some of them in other stages.
const { E2E_EXCLUDE } = process.env;
const elsewhere = E2E_EXCLUDE === undefined ? [] : [E2E_EXCLUDE];
const long = ["test/**/*.long.test.ts"];
const own = ownProcessFiles(import.meta.dirname);

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
      // They wait for their programs most of the time: nothing is won by sharing a process.
      { extends: true, test: { name: "e2e", include: endToEnd, exclude: [...exclude, ...elsewhere] } },
      { extends: true, test: { name: "long", include: long, exclude } },
      { extends: true, test: { name: "own process", include: own, exclude: [...exclude, ...endToEnd, ...long] } },
      {
        extends: true,
        test: { name: "shared", include, exclude: [...exclude, ...endToEnd, ...long, ...own], isolate: false },
      },
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
