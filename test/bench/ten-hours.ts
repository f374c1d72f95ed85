/**
 * Ten hours of virtual time in an embedded cluster with 100 Jobs, which begin one after another and whose pods run for
 * minutes: mostly nothing happens, but leases are renewed, watches get bookmarks, and Events go. What a test, a
 * forecast or a simulated run of a day's work costs. Leaves out real time and a real network.
 */
import { nodeFor } from "../../host-node/runtime/node.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import { seeded } from "../cluster/component-harness.ts";
import type { Bench, Contender } from "./measure.ts";

const HOURS = 10;
/** A second for all of them. */
const AIM_MICROS_AN_HOUR = 1_000_000 / HOURS;
const HOUR_MS = 3_600_000;
const START_MS = Date.UTC(2026, 0, 1);
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS_A_JOB = 5;

/** The controllers of `stint run`; or those of `stint serve` too, with plugins and the owners of fields. */
type Kind = "run" | "serve";

export function tenHoursBenches(isQuick: boolean): Bench[] {
  const jobs = isQuick ? 10 : 100;
  return (["run", "serve"] as const).map((kind) => ({
    title: `${HOURS} virtual hours of ${jobs} Jobs in the cluster of stint ${kind}`,
    unit: { kind: "long", per: "h" },
    async contenders() {
      await runTenHours(kind, jobs);
      return [measured(kind, jobs), measured(kind, 0), { name: "aim", amount: AIM_MICROS_AN_HOUR }];
    },
  }));
}

/** Microseconds an hour: the processor's time of this process, so that a busy machine changes it little. */
function measured(kind: Kind, jobs: number): Contender {
  return {
    name: jobs === 0 ? "no Job" : `${jobs} Jobs`,
    async run() {
      const began = process.cpuUsage();
      await runTenHours(kind, jobs);
      const { user, system } = process.cpuUsage(began);
      return (user + system) / HOURS;
    },
  };
}

async function runTenHours(kind: Kind, jobs: number): Promise<void> {
  const clock = new VirtualClock(START_MS);
  const random = seeded(1);
  const fail = (problem: unknown): never => {
    throw new Error(`in ${HOURS} virtual hours of ${jobs} Jobs: ${String(problem)}`);
  };
  const embedded = await EmbeddedCluster.create({
    clock,
    random,
    servesClients: kind === "serve",
    tracksFields: kind === "serve",
    nodes: [nodeFor(new SimulatedRuntime({ clock, random }), true)],
    onFatal: fail,
    onProblem: fail,
  });
  embedded.start();
  for (let i = 0; i < jobs; i++) {
    const answer = embedded.cluster.handle({ method: "POST", path: JOBS, headers: {}, body: JSON.stringify(job(i)) });
    if (answer.status !== 201) fail("body" in answer ? answer.body : answer.status);
    clock.advance(((HOURS - 1) * HOUR_MS) / jobs);
  }
  clock.advanceTo(START_MS + HOURS * HOUR_MS);
  const answer = embedded.cluster.handle({ method: "GET", path: JOBS, headers: {} });
  const { items } = JSON.parse(String("body" in answer && answer.body));
  if (items.some(({ status }: any) => status.succeeded !== PODS_A_JOB)) fail("not all Jobs are complete");
  embedded.stop();
}

/** Its pods run for 2 to 10 minutes, two at a time. */
function job(i: number): object {
  const annotations = { "stint.dev/simulate": JSON.stringify({ runMs: 60_000 * (2 + (i % 9)) }) };
  const containers = [{ name: "main", image: "busybox" }];
  const template = { metadata: { annotations }, spec: { restartPolicy: "Never", containers } };
  return { metadata: { name: `job-${i}` }, spec: { completions: PODS_A_JOB, parallelism: 2, template } };
}
