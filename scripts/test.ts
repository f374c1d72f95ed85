/**
 * `npm test`: all short tests, and beside them the format, the linter, types and the engine's unit tests.
 * `npm run test:e2e`: the tests that start programs. `npm run test:long`: those that try much. With arguments,
 * `npm test -- PATH… [-t NAME]`, vitest alone runs, on these files and folders of all three.
 *
 * Invariant: every stage runs, even if an earlier one failed, and the exit status is the worst of all. Leaves out
 * set-up, which `scripts/setup.mjs` has done. Tests that need more than Node skip themselves with a message. This
 * script only mentions those that it leaves out.
 */
import { rmSync } from "node:fs";
import { resolve } from "node:path";
import { stages, runStages, type Stage } from "./stages.ts";

/** The tests that a flag names. */
const KINDS: Readonly<Record<string, Stage>> = { "--e2e": stages.endToEnd, "--long": stages.long };

const flag = process.argv[2] ?? "";
const kind = KINDS[flag];
const chosen = process.argv.slice(kind === undefined ? 2 : 3);

const isWhole = chosen.length === 0 && kind === undefined;
const stage = kind ?? (isWhole ? stages.tests : stages.chosenTests);

// Tests start hundreds of processes from the same sources, and with a cache Node need not compile these each time. The
// cache is emptied first, because tests also run copies in folders that no longer exist. The commands may run at the
// same time, so each has a cache.
const compileCache = resolve(import.meta.dirname, `../build/compile-cache${kind === undefined ? "" : flag.slice(1)}`);
rmSync(compileCache, { recursive: true, force: true });
process.exitCode = await runStages([{ ...stage, args: [...stage.args, ...chosen] }], {
  env: { NODE_COMPILE_CACHE: compileCache },
  beside: isWhole ? [stages.format, stages.lint, ...stages.types, stages.engine] : [],
});
if (isWhole)
  console.log(`
left out: the tests that start programs (npm run test:e2e), those that try much (npm run test:long), and those on a
real Kubernetes API server (npm run test:cluster, which needs Go)`);
