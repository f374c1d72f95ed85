/**
 * `npm run soak`: soak.ts and kills.ts from the command line, and what test/history/ says of what the API server has
 * seen.
 */
import { writeFileSync } from "node:fs";
import { parseArgs } from "node:util";
import { toolArguments, wholeNumber } from "../../arguments.ts";
import { checkHistory, describeVerdict } from "../../history/check.ts";
import { formatHistory, type Line } from "../../history/format.ts";
import { killLeaders, MAX_RECORDED_KILLS } from "./kills.ts";
import { MAX_RECORDED_MINUTES, soak } from "./soak.ts";

const MAX_NUMBER = 999_999;
const HELP = `Runs stint controller on a real API server while life is hard for it, and looks at what became of the Jobs.

usage: npm run soak -- [--minutes N] [--seed N] [--lanes N] [--kills N] [--history FILE]

  --minutes N  behind a proxy that cuts watches, delays and doubles requests, loses answers, and answers 500,
               429, 410 and unexpected bodies (default 20)
  --lanes N    Jobs at once (default 8)
  --seed N     of the faults (default 1)
  --kills N    instead: two replicas, and N times kill -9 of the leader
  --history FILE  keeps what the API server has seen, for npm run history; up to ${MAX_RECORDED_MINUTES} minutes or ${MAX_RECORDED_KILLS} kills
  --help       prints this

Exit status: 0 when nothing was found, 1 when something was, 2 for arguments that make no sense.
`;

interface Arguments {
  readonly minutes: number;
  readonly seed: number;
  readonly lanes: number;
  /** 0: the proxy. */
  readonly kills: number;
  readonly history: string | undefined;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      minutes: { type: "string", default: "20" },
      seed: { type: "string", default: "1" },
      lanes: { type: "string", default: "8" },
      kills: { type: "string" },
      history: { type: "string" },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  const number = (name: "minutes" | "seed" | "lanes" | "kills"): number =>
    wholeNumber(name, values[name]!, 1, MAX_NUMBER);
  const minutes = number("minutes");
  const kills = values.kills === undefined ? 0 : number("kills");
  const isTooLong = kills > 0 ? kills > MAX_RECORDED_KILLS : minutes > MAX_RECORDED_MINUTES;
  if (values.history !== undefined && isTooLong)
    throw new Error(
      `--history keeps runs of up to ${MAX_RECORDED_MINUTES} minutes or ${MAX_RECORDED_KILLS} kills; this is one of ${kills > 0 ? `${kills} kills` : `${minutes} minutes`}`,
    );
  return { minutes, seed: number("seed"), lanes: number("lanes"), kills, history: values.history };
}

/** @returns how much was found */
async function run(args: Arguments): Promise<number> {
  const onProgress = (line: string): void => console.error(line);
  const { findings, history, ...report } =
    args.kills > 0 ? await killLeaders({ kills: args.kills, onProgress }) : await soak({ ...args, onProgress });
  console.log(JSON.stringify(report, undefined, 2));
  for (const finding of findings) console.log(`FOUND: ${finding}`);
  if (history === undefined) console.log("of so long a run no history is kept, and none is judged");
  const found = findings.length + (history === undefined ? 0 : judge(history, args.history));
  console.log(found === 0 ? "nothing was found" : `${found} findings`);
  return found;
}

/** @returns how often a rule was broken */
function judge(history: readonly Line[], file: string | undefined): number {
  if (file !== undefined) writeFileSync(file, formatHistory(history));
  const verdict = checkHistory(history);
  for (const { rule, breach } of verdict.findings) console.log(`BROKEN: ${rule}: ${breach}`);
  console.log(describeVerdict(verdict));
  return verdict.findings.length;
}

const args = toolArguments(readArguments, HELP);
if (args !== undefined && (await run(args)) > 0) process.exitCode = 1;
