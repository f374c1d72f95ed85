/**
 * `npm run simulate`: runs seeds, or replays one. On a failure it looks for fewer steps that fail alike, and prints the invariant,
 * what happened last, and the command that shows the same again.
 */
import { parseArgs } from "node:util";
import { DEFAULT_STEPS, type Outcome, shrink, simulate } from "./run.ts";

const HELP = `Simulates random Jobs and faults against the engine, on a virtual clock. The same seed gives the same run.

usage: npm run simulate -- [--seed N] [--count K] [--steps S] [--trace]

  --seed N    the first seed; 1 unless given
  --count K   how many seeds; 1 unless given
  --steps S   steps with faults in each run; ${DEFAULT_STEPS} unless given
  --trace     prints everything that happens
  --help      prints this

Exit status: 0 when every seed holds, 1 when one fails, 2 for arguments that make no sense.
`;
const PROGRESS_EVERY = 100;

interface Arguments {
  readonly seed: number;
  readonly count: number;
  readonly steps: number;
  readonly isTraced: boolean;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: { seed: { type: "string", default: "1" }, count: { type: "string", default: "1" }, steps: { type: "string", default: String(DEFAULT_STEPS) }, trace: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) return undefined;
  const wholeNumber = (name: "seed" | "count" | "steps"): number => {
    if (!/^\d{1,9}$/.test(values[name])) throw new Error(`--${name} is "${values[name]}"; allowed are whole numbers from 0 to 999999999`);
    return Number(values[name]);
  };
  return { seed: wholeNumber("seed"), count: wholeNumber("count"), steps: wholeNumber("steps"), isTraced: values.trace };
}

/** @param isTraced what happened has been printed already */
function report({ seed, steps, failure }: Outcome, isTraced: boolean): string {
  const { invariant, message, step, trace } = failure!;
  return [
    `seed ${seed} breaks "${invariant}" in ${step > steps ? `the calm after step ${steps}` : `step ${step}`}:`,
    `  ${message}`,
    ...(isTraced ? [] : ["what happened last:", ...trace.map((line) => `  ${line}`)]),
    "to see it again:",
    `  npm run simulate -- --seed ${seed} --steps ${steps} --trace`,
  ].join("\n");
}

/** Returns how many seeds failed. */
async function runSeeds({ seed: first, count, steps, isTraced }: Arguments): Promise<number> {
  let failures = 0;
  let jobs = 0;
  let pods = 0;
  for (let seed = first; seed < first + count; seed++) {
    const outcome = await simulate({ seed, steps, ...(isTraced ? { print: (line: string) => console.log(line) } : {}) });
    jobs += outcome.jobs;
    pods += outcome.pods;
    if (outcome.failure !== undefined) {
      failures++;
      console.log(report(isTraced ? outcome : await shrink(outcome), isTraced));
    }
    const done = seed - first + 1;
    if (done % PROGRESS_EVERY === 0 || done === count) console.log(`${done} of ${count} seeds, ${jobs} Jobs, ${pods} pods: ${failures === 0 ? "all hold" : `${failures} fail`}`);
  }
  return failures;
}

try {
  const args = readArguments(process.argv.slice(2));
  if (args === undefined) process.stdout.write(HELP);
  else if ((await runSeeds(args)) > 0) process.exitCode = 1;
} catch (error) {
  console.error((error as Error).message);
  process.exitCode = 2;
}
