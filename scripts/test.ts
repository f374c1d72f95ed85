/**
 * `npm test`: types, the engine's unit tests, and every other test, one after the other.
 *
 * Invariant: every stage runs, whatever the ones before it said, and the exit status is that of the worst. Leaves out
 * set-up, which `scripts/setup.mjs` has done, and tests that need more than Node: they skip themselves with a message.
 */
import { stages, runStages } from "./stages.ts";

process.exitCode = runStages([...stages.types, stages.engine, stages.rest]);
