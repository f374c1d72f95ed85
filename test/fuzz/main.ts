/**
 * `npm run fuzz`: hostile bytes for every entry of the engine that takes any, requests for the HTTP front, and
 * connections to a real server, all from one seed. They are played by separate threads, so that what does not come
 * to an end is noticed, and named like any other failure.
 */
import { parseArgs } from "node:util";
import { toolArguments, wholeNumber } from "../arguments.ts";
import { runEngine } from "./engine-run.ts";
import { INPUTS_A_ROUND } from "./fuzzer.ts";
import { REQUESTS_A_ROUND } from "./http/fuzzer.ts";
import { MAX_STALL_MS, runHttp } from "./http/run.ts";
import { runWire } from "./http/wire-run.ts";

const HELP = `Gives the engine hostile bytes: mutated objects of a real API server, through every entry that takes bytes. Then gives the
HTTP front of stint serve requests, sound and hostile, on a populated cluster, measures how long each keeps the event loop
and how much memory it takes, and reports the worst. Then opens connections to a real server that do not behave.

usage: npm run fuzz -- [--inputs N] [--requests N] [--connections N] [--seed N] [--round N | --request N] [--fail-on-stall]

  --inputs N       for the engine, in rounds of ${INPUTS_A_ROUND}; 100000 unless given
  --requests N     for the HTTP front, in rounds of ${REQUESTS_A_ROUND}; 2000 unless given
  --connections N  to a real server; 100 unless given
  --seed N         what they are drawn from; 1 unless given
  --round N        plays this round of the engine alone
  --request N      sends this request alone, behind those of its round
  --fail-on-stall  a request that keeps the event loop for longer than ${MAX_STALL_MS} ms is a failure; else it is a warning
  --help           prints this

Exit status: 0 when all of them were borne, 1 when not, 2 for arguments that make no sense.
`;
const MAX_NUMBER = 999_999_999;

interface Plan {
  readonly seed: number;
  /** Rounds for the engine. */
  readonly engine: { readonly first: number; readonly rounds: number };
  /** Requests for the HTTP front; none when the last is before the first. */
  readonly http: { readonly first: number; readonly last: number };
  readonly connections: number;
  readonly failsOnStall: boolean;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Plan | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      inputs: { type: "string", default: "100000" },
      requests: { type: "string", default: "2000" },
      connections: { type: "string", default: "100" },
      seed: { type: "string", default: "1" },
      round: { type: "string" },
      request: { type: "string" },
      "fail-on-stall": { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  if (values.round !== undefined && values.request !== undefined)
    throw new Error("--round and --request are both given; allowed is one of them");
  const number = (name: "inputs" | "requests" | "connections" | "seed" | "round" | "request"): number =>
    wholeNumber(name, values[name]!, 0, MAX_NUMBER);
  const base = { seed: number("seed"), failsOnStall: values["fail-on-stall"] };
  const nothing = { engine: { first: 0, rounds: 0 }, http: { first: 0, last: -1 }, connections: 0 };
  if (values.round !== undefined) return { ...base, ...nothing, engine: { first: number("round"), rounds: 1 } };
  if (values.request !== undefined)
    return {
      ...base,
      ...nothing,
      http: { first: number("request") - (number("request") % REQUESTS_A_ROUND), last: number("request") },
    };
  return {
    ...base,
    engine: { first: 0, rounds: Math.ceil(number("inputs") / INPUTS_A_ROUND) },
    http: { first: 0, last: number("requests") - 1 },
    connections: number("connections"),
  };
}

async function main(): Promise<void> {
  const plan = toolArguments(readArguments, HELP);
  if (plan === undefined) return;
  const { seed, engine, http, connections, failsOnStall } = plan;
  if (engine.rounds > 0 && !(await runEngine({ seed, ...engine }))) process.exitCode = 1;
  if (http.last >= http.first) {
    const { isBorne, stalls } = await runHttp({ seed, ...http });
    if (!isBorne || (failsOnStall && stalls > 0)) process.exitCode = 1;
  }
  if (connections > 0 && !(await runWire(seed, connections))) process.exitCode = 1;
}

await main();
