/** `npm run durability`: kills.ts from the command line. */
import { join } from "node:path";
import { parseArgs } from "node:util";
import { toolArguments, wholeNumber } from "../arguments.ts";
import { BUNDLE } from "../host-node/serving.ts";
import { killUnderLoad, type KillsOptions } from "./kills.ts";

const MAX_NUMBER = 999_999;
const HELP = `Kills stint serve --data-dir with SIGKILL while clients write, and checks after each restart that
nothing is lost that a client was shown: acknowledged writes, deletions, events of watches, versions that never
go back, and at the end what Jobs count.

usage: npm run durability -- [--kills N] [--seed N] [--planted]

  --kills N   how often (default 200, which takes some ten minutes)
  --seed N    of the moments, and of what is written (default 1); a run does not repeat exactly
  --planted   a server that answers before the disk has what was written: it must be found
  --help      prints this

Exit status: 0 when nothing was found, 1 when something was, 2 for arguments that make no sense.
`;

/** @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): KillsOptions | undefined {
  const { values } = parseArgs({
    args: [...args],
    options: {
      kills: { type: "string", default: "200" },
      seed: { type: "string", default: "1" },
      planted: { type: "boolean", default: false },
      help: { type: "boolean", default: false },
    },
  });
  if (values.help) return undefined;
  return {
    kills: wholeNumber("kills", values.kills, 1, MAX_NUMBER),
    seed: wholeNumber("seed", values.seed, 1, MAX_NUMBER),
    main: values.planted ? join(import.meta.dirname, "planted.ts") : BUNDLE,
    tell: (progress) => console.log(progress),
  };
}

const options = toolArguments(readArguments, HELP);
if (options !== undefined) {
  const { kills, acknowledged, jobs, findings } = await killUnderLoad(options);
  for (const finding of findings) console.log(finding);
  console.log(`${kills} kills, ${acknowledged} writes acknowledged, ${jobs} Jobs: ${findings.length} findings`);
  process.exitCode = findings.length > 0 ? 1 : 0;
}
