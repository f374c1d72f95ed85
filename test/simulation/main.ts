/**
 * `npm run simulate`: runs seeds, or replays one. On a failure it looks for fewer steps that fail alike, and prints the
 * invariant, what happened last, and the command that shows the same again.
 */
import { createHash } from "node:crypto";
import { parseArgs } from "node:util";
import { toolArguments, wholeNumber } from "../arguments.ts";
import { laneHere, laneInThread, runOn, type Task } from "./lanes.ts";
import { DEFAULT_STEPS, type Outcome } from "./run.ts";

const MAX_JOBS = 64;
const MAX_NUMBER = 999_999_999;
const HELP = `Simulates random Jobs and faults against the engine, on a virtual clock. The same seed gives the same run.

usage: npm run simulate -- [--seed N] [--count K] [--steps S] [--jobs J] [--trace]

  --seed N    the first seed; 1 unless given
  --count K   how many seeds; 1 unless given
  --steps S   steps with faults in each run; ${DEFAULT_STEPS} unless given
  --jobs J    seeds that run at once, each in a thread; 1 unless given, ${MAX_JOBS} at most
  --trace     prints everything that happens
  --help      prints this

The last line but one is a digest of all requests and decisions of all seeds: two engines with the same digest do the same.

Exit status: 0 when every seed holds, 1 when one fails, 2 for arguments that make no sense.
`;
const PROGRESS_EVERY = 100;

interface Arguments {
  readonly seed: number;
  readonly count: number;
  readonly steps: number;
  readonly jobs: number;
  readonly isTraced: boolean;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string", default: "1" },
      count: { type: "string", default: "1" },
      steps: { type: "string", default: String(DEFAULT_STEPS) },
      jobs: { type: "string", default: "1" },
      trace: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const number = (name: "seed" | "count" | "steps" | "jobs"): number => wholeNumber(name, values[name], 0, MAX_NUMBER);
  const jobs = number("jobs");
  if (jobs < 1 || jobs > MAX_JOBS) throw new Error(`--jobs is ${jobs}; allowed are 1 to ${MAX_JOBS}`);
  if (jobs > 1 && values.trace) throw new Error(`--trace follows one seed at a time; --jobs is ${jobs}`);
  return { seed: number("seed"), count: number("count"), steps: number("steps"), jobs, isTraced: values.trace };
}

/** @param isTraced what happened has been printed already */
function report({ seed, steps, failure, plan }: Outcome, isTraced: boolean): string {
  const { invariant, message, step, trace } = failure!;
  return [
    `seed ${seed} breaks "${invariant}" in ${step > steps ? `the calm after step ${steps}` : `step ${step}`}:`,
    `  ${message}`,
    `in a run with ${plan}`,
    ...(isTraced ? [] : ["what happened last:", ...trace.map((line) => `  ${line}`)]),
    "to see it again:",
    `  npm run simulate -- --seed ${seed} --steps ${steps} --trace`,
  ].join("\n");
}

/** Returns how many seeds failed. */
async function runSeeds({ seed, count, steps, jobs, isTraced }: Arguments): Promise<number> {
  const lanes = isTraced
    ? [laneHere((line) => console.log(line))]
    : jobs === 1
      ? [laneHere()]
      : Array.from({ length: jobs }, laneInThread);
  const tasks = Array.from({ length: count }, (_none, i): Task => ({ seed: seed + i, steps }));
  const sum = { done: 0, failures: 0, jobs: 0, pods: 0 };
  const digests: string[] = [];
  await runOn(lanes, tasks, (outcome) => {
    sum.done++;
    digests[outcome.seed - seed] = outcome.digest;
    sum.jobs += outcome.jobs;
    sum.pods += outcome.pods;
    if (outcome.failure !== undefined) {
      sum.failures++;
      console.log(report(outcome, isTraced));
    }
    if (sum.done === count)
      console.log(`everything sent and decided: ${createHash("sha256").update(digests.join()).digest("hex")}`);
    if (sum.done % PROGRESS_EVERY === 0 || sum.done === count)
      console.log(
        `${sum.done} of ${count} seeds, ${sum.jobs} Jobs, ${sum.pods} pods: ${sum.failures === 0 ? "all hold" : `${sum.failures} fail`}`,
      );
  });
  return sum.failures;
}

const args = toolArguments(readArguments, HELP);
if (args !== undefined && (await runSeeds(args)) > 0) process.exitCode = 1;
