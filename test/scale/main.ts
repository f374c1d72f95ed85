/**
 * The claim of upstream's tracking article at its size: 100,000 pods that run at the same time, each accounted for
 * once, checked at every write (tracking.ts). A stage of CI; too large for `npm test`. `--pods N` takes another number.
 */
import { parseArgs } from "node:util";
import { buildModule } from "../../scripts/build-engine.ts";
import { Tracking } from "./tracking.ts";
import { runWholeJob } from "./whole-job.ts";

const { values } = parseArgs({ options: { pods: { type: "string", default: "100000" } } });
if (!/^[1-9]\d{0,6}$/.test(values.pods))
  throw new Error(`--pods is "${values.pods}"; allowed are whole numbers from 1 to 9999999`);
const pods = Number(values.pods);

await buildModule("engine");
const tracking = new Tracking(true);
// Each runs longer than it takes to start them all.
const { job, simulatedMs } = await runWholeJob(
  { completions: pods, parallelism: pods, outcome: { runMs: [600_000, 601_000] } },
  { onPod: (type, pod) => tracking.onPod(type, pod), onJob: (type, seen) => tracking.onJob(type, seen) },
);
tracking.atEnd(job["status"]);
if (job["status"].succeeded !== pods) throw new Error(`${job["status"].succeeded} of ${pods} pods have succeeded`);
if (tracking.maxRunning !== pods) throw new Error(`${tracking.maxRunning} of ${pods} pods ran at the same time`);
console.log(
  `${pods} pods ran at the same time and were counted once each, in ${Math.round(simulatedMs / 1000)} s of simulated time`,
);
