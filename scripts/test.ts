/**
 * `npm test`: types, the engine's unit tests, and every other test, one after the other.
 *
 * Invariant: every stage runs, whatever the ones before it said, and the exit status is that of the worst. Leaves out
 * set-up, which `scripts/setup.mjs` has done, and tests that need more than Node: they skip themselves with a message, and
 * those on a real API server (`npm run test:cluster`) are named here.
 */
import { stages, runStages } from "./stages.ts";

process.exitCode = runStages([...stages.types, stages.engine, stages.rest]);
console.log("\nskipped: the tests on a real Kubernetes API server; `npm run test:cluster` runs them, and needs Go");
