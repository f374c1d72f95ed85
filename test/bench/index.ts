/**
 * `npm run bench`: what the engine costs, as ratios in one run. Absolute numbers are this machine's at this moment;
 * the ratios are what to look at.
 *
 * A bench is a title, a unit and two or more contenders; `suites` is the list of where they come from.
 * `--quick` takes smaller sizes and fewer rounds: less than half a minute, to see that everything runs.
 * Any other argument keeps only the benches whose title contains it.
 */
import { buildModule } from "../../scripts/build-engine.ts";
import { Leaves } from "../properties/leaves.ts";
import { engineBenches } from "./engine.ts";
import { intervalBenches } from "./intervals.ts";
import { type Bench, FULL, measure, QUICK } from "./measure.ts";
import { header, rows } from "./table.ts";
import { wholeJobBenches } from "./whole-job.ts";

const suites: readonly ((isQuick: boolean) => Bench[] | Promise<Bench[]>)[] = [async () => intervalBenches(await Leaves.load()), engineBenches, wholeJobBenches];

const isQuick = process.argv.includes("--quick");
const wanted = process.argv.slice(2).find((argument) => !argument.startsWith("--")) ?? "";
const { bytes, gzipBytes } = await buildModule("engine");
console.log(`engine.wasm: ${bytes.toLocaleString("en")} bytes, ${gzipBytes.toLocaleString("en")} gzipped\n`);
console.log(header());
for (const suite of suites) {
  for (const bench of await suite(isQuick)) {
    if (bench.title.includes(wanted)) console.log(rows(bench, await measure(bench, isQuick ? QUICK : FULL)));
  }
}
