/**
 * `npm test`: the format, the linter, types, the engine's unit tests, and all tests that start no other programs, one
 * after the other. `npm run test:e2e`: the tests that start programs. With arguments, `npm test -- PATH… [-t NAME]`,
 * vitest alone runs, on these files and folders of both.
 *
 * Invariant: every stage runs, even if an earlier one failed, and the exit status is the worst of all. Leaves out
 * set-up, which `scripts/setup.mjs` has done. Tests that need more than Node skip themselves with a message. This
 * script only mentions those that it leaves out.
 */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { stages, runStages, type Stage } from "./stages.ts";

const END_TO_END = "--e2e";

const isEndToEnd = process.argv[2] === END_TO_END;
const chosen = process.argv.slice(isEndToEnd ? 3 : 2);

function withChosen(stage: Stage): Stage {
  return { ...stage, args: [...stage.args, ...chosen] };
}

function stagesToRun(): readonly Stage[] {
  if (isEndToEnd) return [withChosen(stages.endToEnd)];
  if (chosen.length > 0) return [withChosen(stages.chosenTests)];
  return [stages.format, stages.lint, ...stages.types, stages.engine, stages.tests];
}

// Tests start hundreds of processes from the same sources, and with a cache Node need not compile these each time. The
// cache is emptied first, because tests also run copies in folders that no longer exist. Both commands may run at the
// same time.
const compileCache = resolve(import.meta.dirname, `../build/compile-cache${isEndToEnd ? "-e2e" : ""}`);
rmSync(compileCache, { recursive: true, force: true });
process.exitCode = runStages(stagesToRun(), { NODE_COMPILE_CACHE: compileCache });
if (chosen.length === 0 && !isEndToEnd)
  console.log(`
left out: the tests that start programs (npm run test:e2e), and those on a real Kubernetes API server (npm run
test:cluster, which needs Go)`);
