/**
 * `npm test`: the format, the linter, types, the engine's unit tests, and every other test, one after the other. With
 * arguments, `npm test -- PATH… [-t NAME]`, vitest alone runs, on these files and folders.
 *
 * Invariant: every stage runs, even if an earlier one failed, and the exit status is the worst of all. Leaves out
 * set-up, which `scripts/setup.mjs` has done. Tests that need more than Node skip themselves with a message. This
 * script only mentions those on a real API server (`npm run test:cluster`).
 */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { stages, runStages } from "./stages.ts";

// Tests start hundreds of processes from the same sources, and with a cache Node need not compile these each time. The
// cache is emptied first, because tests also run copies in folders that no longer exist.
const compileCache = resolve(import.meta.dirname, "../build/compile-cache");
rmSync(compileCache, { recursive: true, force: true });

const chosen = process.argv.slice(2);
const list =
  chosen.length > 0
    ? [{ ...stages.rest, args: [...stages.rest.args, ...chosen] }]
    : [stages.format, stages.lint, ...stages.types, stages.engine, stages.rest];
process.exitCode = runStages(list, { NODE_COMPILE_CACHE: compileCache });
if (chosen.length === 0) {
  console.log("\nskipped: the tests on a real Kubernetes API server; `npm run test:cluster` runs them, and needs Go");
}
