/** `npm run soak`: soak.ts and kills.ts from the command line. */
import { parseArgs } from "node:util";
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

async function main(): Promise<number> {
  let options: { minutes: number; seed: number; lanes: number; kills: number };
  try {
    const { values } = parseArgs({ options: { minutes: { type: "string", default: "20" }, seed: { type: "string", default: "1" }, lanes: { type: "string", default: "8" }, kills: { type: "string" }, help: { type: "boolean", default: false } } });
    if (values.help) {
      console.log(HELP);
      return 0;
    }
    options = { minutes: wholeNumber("minutes", values.minutes), seed: wholeNumber("seed", values.seed), lanes: wholeNumber("lanes", values.lanes), kills: values.kills === undefined ? 0 : wholeNumber("kills", values.kills) };
  } catch (error) {
    console.error(`soak: ${(error as Error).message}\n\n${HELP}`);
    return 2;
  }
  const onProgress = (line: string): void => console.error(line);
  const { findings, ...report } = options.kills > 0 ? await killLeaders({ kills: options.kills, onProgress }) : await soak({ ...options, onProgress });
  console.log(JSON.stringify(report, undefined, 2));
  for (const finding of findings) console.log(`FOUND: ${finding}`);
  console.log(findings.length === 0 ? "nothing was found" : `${findings.length} findings`);
  return findings.length === 0 ? 0 : 1;
}

process.exitCode = await main();
