/**
 * `npm run forecast`: generates Jobs, runs each whole on virtual time with many outcomes, and compares what they did
 * with their forecasts. Prints what lies outside, and how often numbers were reached.
 */
import { parseArgs } from "node:util";
import { toolArguments, wholeNumber } from "../arguments.ts";
import { whyUnavailable } from "../kubernetes/binaries/binaries.ts";
import { type Proof, prove } from "./prove.ts";
import { proveOnUpstream } from "./upstream.ts";

const MAX_NUMBER = 999_999_999;
const DEFAULT_JOBS = "10000";
const DEFAULT_UPSTREAM_JOBS = "300";
const PROGRESS_EVERY = 500;
const UPSTREAM_PROGRESS_EVERY = 50;
const HELP = `Runs random Jobs whole, on virtual time, and compares what they do with their forecasts. The same seed
gives the same Jobs and outcomes.

usage: npm run forecast -- [--seed N] [--count K] [--random R] [--missed] [--upstream]

  --seed N     the first seed; 1 unless given
  --count K    how many Jobs; 10000 unless given
  --random R   random outcomes of each Job, besides those that are made to reach its bounds; 3 unless given
  --missed     prints a Job for each exact number that no outcome reached
  --upstream   on a real Kubernetes API server, by upstream's own controller, in real time: of each Job up to three
               outcomes that are over in less than a minute; 300 Jobs unless given
  --help       prints this

The table says of each number: how often it was exact and some outcome reached it, and how often it was only a bound
and one did.

Exit status: 0 when nothing lies outside, 1 when something does, 2 for arguments that make no sense.
`;

interface Arguments {
  readonly seed: number;
  readonly count: number;
  readonly randoms: number;
  readonly showsMissed: boolean;
  readonly isUpstream: boolean;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      seed: { type: "string", default: "1" },
      count: { type: "string" },
      random: { type: "string", default: "3" },
      missed: { type: "boolean", default: false },
      upstream: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const { seed, count = values.upstream ? DEFAULT_UPSTREAM_JOBS : DEFAULT_JOBS, random, missed, upstream } = values;
  return {
    seed: wholeNumber("seed", seed, 0, MAX_NUMBER),
    count: wholeNumber("count", count, 0, MAX_NUMBER),
    randoms: wholeNumber("random", random, 0, MAX_NUMBER),
    showsMissed: missed,
    isUpstream: upstream,
  };
}

function report({ runs, outside, tallies }: Proof, jobs: number, showsMissed: boolean): string {
  const rows = [...tallies].map(
    ([name, { exact, reachedExact, bounds, reachedBounds }]) =>
      `${name.padEnd(40)} ${`${reachedExact} of ${exact}`.padStart(16)} ${`${reachedBounds} of ${bounds}`.padStart(16)}`,
  );
  const missed = [...tallies].flatMap(([name, tally]) => tally.missed.slice(0, 1).map((spec) => `${name}: ${spec}`));
  const never = [...tallies].flatMap(([name, { exact, reachedExact, bounds, reachedBounds }]) =>
    exact + bounds > 0 && reachedExact + reachedBounds === 0 ? [name] : [],
  );
  return [
    ...outside.map((line) => `outside: ${line}`),
    `${jobs} Jobs, ${runs} runs: ${outside.length === 0 ? "nothing" : outside.length} outside`,
    `${"".padEnd(40)} ${"exact: reached".padStart(16)} ${"bound: reached".padStart(16)}`,
    ...rows,
    `never reached by any Job: ${never.length === 0 ? "none" : never.join(", ")}`,
    ...(showsMissed ? ["never reached, for example:", ...missed] : []),
  ].join("\n");
}

/** Undefined: there is no API server for it. */
async function proofOf({ seed, count, randoms, isUpstream }: Arguments): Promise<Proof | undefined> {
  if (!isUpstream)
    return prove({ seed, jobs: count, randoms }, (done, { outside }) => {
      if (done % PROGRESS_EVERY === 0 && done < count)
        console.log(`${done} of ${count} Jobs, ${outside.length} outside`);
    });
  const reason = whyUnavailable();
  if (reason !== undefined) {
    console.error(`skipped: ${reason}`);
    if (process.env["STINT_REQUIRE_CLUSTER"] === "1") process.exitCode = 1;
    return undefined;
  }
  const proof = await proveOnUpstream({ seed, jobs: count, randoms }, (done, all) => {
    if (done % UPSTREAM_PROGRESS_EVERY === 0) console.log(`${done} of ${all} runs`);
  });
  const { version, tooLong, left } = proof;
  console.log(`Kubernetes ${version}, upstream's controller`);
  console.log(`passed over, as no outcome is short enough: ${tooLong} Jobs; left alone before the end: ${left} runs`);
  for (const line of proof.once) console.log(`outside once, and not again: ${line}`);
  return proof;
}

const args = toolArguments(readArguments, HELP);
const proof = args === undefined ? undefined : await proofOf(args);
if (args !== undefined && proof !== undefined) {
  console.log(report(proof, args.count, args.showsMissed));
  if (proof.outside.length > 0) process.exitCode = 1;
}
