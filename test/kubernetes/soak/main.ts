/** `npm run soak`: soak.ts and kills.ts from the command line. */
import { parseArgs } from "node:util";
import { toolArguments } from "../../arguments.ts";
import { killLeaders } from "./kills.ts";
import { soak } from "./soak.ts";

const HELP = `Runs stint controller on a real API server while life is hard for it, and looks at what became of the Jobs.

usage: npm run soak -- [--minutes N] [--seed N] [--lanes N] [--kills N]

  --minutes N  behind a proxy that cuts watches, delays, loses answers, and answers 500, 429 and 410 (default 20)
  --lanes N    Jobs at once (default 8)
  --seed N     of the faults (default 1)
  --kills N    instead: two replicas, and N times kill -9 of the leader
  --help       prints this

Exit status: 0 when nothing was found, 1 when something was, 2 for arguments that make no sense.
`;

function wholeNumber(name: string, text: string): number {
  if (!/^[1-9]\d{0,5}$/.test(text)) throw new Error(`--${name} is ${JSON.stringify(text)}; allowed are whole numbers from 1 to 999999`);
  return Number(text);
}

interface Arguments {
  readonly minutes: number;
  readonly seed: number;
  readonly lanes: number;
  /** 0: the proxy. */
  readonly kills: number;
}

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: { minutes: { type: "string", default: "20" }, seed: { type: "string", default: "1" }, lanes: { type: "string", default: "8" }, kills: { type: "string" }, help: { type: "boolean", default: false } },
  });
  if (values.help) return undefined;
  const { minutes, seed, lanes, kills } = values;
  return { minutes: wholeNumber("minutes", minutes), seed: wholeNumber("seed", seed), lanes: wholeNumber("lanes", lanes), kills: kills === undefined ? 0 : wholeNumber("kills", kills) };
}

/** @returns how much was found */
async function run(args: Arguments): Promise<number> {
  const onProgress = (line: string): void => console.error(line);
  const { findings, ...report } = args.kills > 0 ? await killLeaders({ kills: args.kills, onProgress }) : await soak({ ...args, onProgress });
  console.log(JSON.stringify(report, undefined, 2));
  for (const finding of findings) console.log(`FOUND: ${finding}`);
  console.log(findings.length === 0 ? "nothing was found" : `${findings.length} findings`);
  return findings.length;
}

const args = toolArguments(readArguments, HELP);
if (args !== undefined && (await run(args)) > 0) process.exitCode = 1;
