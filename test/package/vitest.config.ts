/** The npm package as its users have it: `npm run test:package`. It is no part of `npm test`: it needs the registry. */
import { resolve } from "node:path";
import { defineConfig } from "vitest/config";

export default defineConfig({
  test: {
    root: resolve(import.meta.dirname, "../.."),
    include: ["test/package/**/*.test.ts"],
    globalSetup: ["test/package/installed.ts"],
    // Nothing measures time; this is for machines that are busy.
    testTimeout: 120_000,
    // The first run fetches Deno and Bun.
    hookTimeout: 600_000,
  },
});
