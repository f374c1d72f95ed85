/**
 * `npm test`: the format, types, the engine's unit tests, and every other test, one after the other.
 *
 * Invariant: every stage runs, whatever the ones before it said, and the exit status is that of the worst. Leaves out
 * set-up, which `scripts/setup.mjs` has done, and tests that need more than Node: they skip themselves with a message,
 * and those on a real API server (`npm run test:cluster`) are named here.
 */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { stages, runStages } from "./stages.ts";

// Tests start hundreds of processes from the same sources, and Node need not compile these each time. Begun anew,
// because tests also start copies of them in folders that are gone afterwards.
const compileCache = resolve(import.meta.dirname, "../build/compile-cache");
rmSync(compileCache, { recursive: true, force: true });

process.exitCode = runStages([stages.format, ...stages.types, stages.engine, stages.rest], {
  NODE_COMPILE_CACHE: compileCache,
});
console.log("\nskipped: the tests on a real Kubernetes API server; `npm run test:cluster` runs them, and needs Go");
