/** The tests on a real Kubernetes API server: `npm run test:cluster`. They are no part of `npm test`. */
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";
import { LongestFirst } from "../../scripts/longest-first.ts";

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, "../.."),
    include: ["test/kubernetes/**/*.test.ts"],
    globalSetup: ["test/kubernetes/set-up.ts"],
    // A control plane a file. Each takes its 270 MB, and waits about half of its time.
    maxWorkers: 2,
    sequence: { sequencer: LongestFirst },
    // Only the tests of conformance/ run at the same time, and most of the time they wait.
    maxConcurrency: 12,
    // Nothing measures time; this is for machines that are busy.
    testTimeout: 120_000,
    // Hooks build programs of clients: the first time on a machine they compile a release of client-go.
    hookTimeout: 600_000,
  },
});
