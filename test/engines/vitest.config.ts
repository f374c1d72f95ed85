/** The tests on real container engines: `npm run test:engines`. They are no part of `npm test`. */
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, "../.."),
    include: ["test/engines/**/*.test.ts"],
    fileParallelism: false,
    // Nothing measures time; this is for machines that are busy.
    testTimeout: 120_000,
    hookTimeout: 180_000,
  },
});
