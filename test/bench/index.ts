/**
 * `npm run bench`: what the engine costs, as ratios in one run. Absolute numbers are this machine's at this moment;
 * the ratios are what to look at.
 *
 * A bench is a title, a unit and two or more contenders; `suites` is the list of where they come from.
 */
import { parseArgs } from "node:util";
import { toolArguments } from "../arguments.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import { Leaves } from "../properties/leaves.ts";
import { accountBenches } from "./account.ts";
import { commandStartBenches } from "./command-start.ts";
import { controllerStartBenches } from "./controller-start.ts";
import { engineBenches } from "./engine.ts";
import { intervalBenches } from "./intervals.ts";
import { type Bench, FULL, measure, QUICK } from "./measure.ts";
import { serveStartBenches } from "./serve-start.ts";
import { header, rows } from "./table.ts";
import { tenHoursBenches } from "./ten-hours.ts";
import { thirtyDaysBenches } from "./thirty-days.ts";
import { testClusterBenches } from "./test-cluster.ts";
import { wholeJobBenches } from "./whole-job.ts";

const suites: readonly ((isQuick: boolean) => Bench[] | Promise<Bench[]>)[] = [
  async () => intervalBenches(await Leaves.load()),
  engineBenches,
  accountBenches,
  wholeJobBenches,
  tenHoursBenches,
  thirtyDaysBenches,
  testClusterBenches,
  serveStartBenches,
  controllerStartBenches,
  commandStartBenches,
];

const HELP = `Measures what the engine costs, as ratios in one run: absolute numbers are this machine's at this moment.

usage: npm run bench -- [--quick] [WORDS]

  WORDS       only the benches whose title contains them
  --quick     smaller sizes and fewer rounds: less than half a minute, to see that everything runs
  --help      prints this

Exit status: 0 when all were measured, 2 for arguments that make no sense.
`;

interface Arguments {
  readonly isQuick: boolean;
  readonly wanted: string;
}

/** Undefined: what was asked for is help. @throws Error naming the argument and what is allowed */
function readArguments(args: readonly string[]): Arguments | undefined {
  const { values, positionals } = parseArgs({
    args: [...args],
    allowPositionals: true,
    options: { quick: { type: "boolean", default: false }, help: { type: "boolean", default: false } },
  });
  if (values.help) return undefined;
  if (positionals.length > 1)
    throw new Error(`here are ${positionals.length} arguments; allowed is one, perhaps in quotes: words of a title`);
  return { isQuick: values.quick, wanted: positionals[0] ?? "" };
}

async function measureAll({ isQuick, wanted }: Arguments): Promise<void> {
  const { bytes, gzipBytes } = await buildModule("engine");
  console.log(`engine.wasm: ${bytes.toLocaleString("en")} bytes, ${gzipBytes.toLocaleString("en")} gzipped\n`);
  console.log(header());
  for (const suite of suites) {
    for (const bench of await suite(isQuick)) {
      if (bench.title.includes(wanted)) console.log(rows(bench, await measure(bench, isQuick ? QUICK : FULL)));
    }
  }
}

const args = toolArguments(readArguments, HELP);
if (args !== undefined) await measureAll(args);
