/**
 * Vitest runs test/**\/*.test.ts; the *.spec.ts files of test/engine/ are AssemblyScript and belong to as-pect.
 */
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    include: ["test/**/*.test.ts"],
    // Nothing measures time; this is for machines that are busy.
    testTimeout: 30_000,
    hookTimeout: 30_000,
    // Tests read the engine as a file, which no import tells.
    forceRerunTriggers: ["**/build/*.wasm", "**/vitest.config.*"],
  },
});
