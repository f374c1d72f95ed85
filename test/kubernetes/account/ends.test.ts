/**
 * Every kill has a name, on a real API server too: the ways of test/account/, and those that need a real cluster, with
 * upstream's controllers and scheduler in the part of the killer. All runs are under way at the same time.
 */
import { setTimeout as sleep } from "node:timers/promises";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../../host-node/cli/checked-main.ts";
import { type Labelled, misnamed } from "../../account/labels.ts";
import { JOB, lasting, only, onOneNode, template, type Way } from "../../account/way.ts";
import { ways } from "../../account/ways.ts";
import { newEngine } from "../../bindings/js/vector-files.ts";
import { RecordingConsole } from "../../host-node/cli/recording-console.ts";
import { findKubectl, whyUnavailable } from "../binaries/binaries.ts";
import { RealCluster } from "./real-cluster.ts";
import { play, Run } from "./run.ts";

/** Of each way. */
const RUNS = 4;
const MIN_LABELLED = 300;
const STARTS_A_SECOND = 8;
/** What has not ended then is left out: the last pods of long back-offs. */
const LONGEST_MS = 75_000;
/** The pod garbage collector takes from 60 s to 80 s, and on a busy machine 20 s more. */
const SLOWEST_WAY = "are on a node that is gone";
const SLOWEST_MS = 120_000;
const SHARED_POOL = "shared";
const hasKubectl = findKubectl() !== undefined;

const drained: Way<Run> = {
  name: "are evicted by kubectl drain",
  spec: lasting,
  needsNodes: true,
  act(run, pods) {
    const { nodeName, victims } = onOneNode(pods);
    run.drain(nodeName);
    return only(victims, "ApiEviction");
  },
};
const realWays: readonly Way<Run>[] = [...ways, ...(hasKubectl ? [drained] : [])];

/** Plays all runs, and asks when all have ended. @returns the pods of each way */
async function playAll(cluster: RealCluster): Promise<ReadonlyMap<string, Promise<Labelled[]>>> {
  const engine = await newEngine();
  const startMs = Date.now();
  const isSlowest = ({ name }: Way<Run>): number => Number(name === SLOWEST_WAY);
  const played = realWays
    .toSorted((a, b) => isSlowest(b) - isSlowest(a))
    .map((way, at) => {
      const endMs = startMs + (isSlowest(way) ? SLOWEST_MS : LONGEST_MS);
      const runs = Array.from({ length: RUNS }, async (_none, seed) => {
        await sleep(((at * RUNS + seed) * 1000) / STARTS_A_SECOND);
        const namespace = `run-${at}-${seed}`;
        const pool = way.needsNodes === true ? namespace : SHARED_POOL;
        if (pool !== SHARED_POOL) await cluster.addNodes(pool, "8");
        return play(cluster, way, { seed: seed + 1, namespace, pool, endMs });
      });
      return { name: way.name, runs };
    });
  const haveEnded = Promise.allSettled(played.flatMap(({ runs }) => runs));
  return new Map(
    played.map(({ name, runs }) => {
      const labelled = haveEnded.then(async () => {
        const ended = await Promise.all(runs);
        return (await Promise.all(ended.map((run) => run.label(engine)))).flat();
      });
      labelled.catch(() => {}); // Told by the test of this way.
      return [name, labelled];
    }),
  );
}

describe.skipIf(whyUnavailable() !== undefined)("on a real API server", () => {
  let cluster: RealCluster;
  let results: ReadonlyMap<string, Promise<Labelled[]>>;
  beforeAll(async () => {
    cluster = await RealCluster.start();
    await cluster.addNodes(SHARED_POOL, "1000");
    results = await playAll(cluster);
  });
  afterAll(() => cluster?.stop());

  it.skipIf(!hasKubectl)("stint why says that kubectl drain evicts the pod of a Job", async () => {
    const name = "drained";
    await cluster.addNodes(name, "8");
    await cluster.addNamespace(name, name);
    const run = new Run(cluster, name);
    const shape = { sidecar: true, init: false, restartPolicy: "Never" } as const;
    const stubborn = { runMs: "forever", ignoreSigterm: true };
    await cluster.client.succeed("POST", run.jobs, {
      metadata: { name: JOB },
      spec: { template: template(shape, stubborn) },
    });
    const [pod] = await run.living(1);
    run.drain(pod!.spec.nodeName as string);
    const isDeleted = (): boolean => run.seenPods.some(({ metadata }) => metadata.deletionTimestamp !== undefined);
    expect(await cluster.until(isDeleted, Date.now() + LONGEST_MS)).toBe(true);
    const console = new RecordingConsole(cluster.controlPlane.processes.directory);
    expect(await main(["why", "--kubeconfig", cluster.kubeconfig, JOB, "-n", name], "0.0.0", console)).toBe(0);
    expect(console.out).toContain(
      `\n  last failure: pod ${pod!.metadata.name}: it was evicted through the API, as kubectl drain does it\n`,
    );
  });

  it.each(realWays.map((way) => way.name))(
    "account names the end of pods that %s",
    async (name) => {
      const labelled = await results.get(name)!;
      expect(misnamed(labelled)).toEqual([]);
      expect(labelled.length).toBeGreaterThanOrEqual(RUNS);
    },
    SLOWEST_MS * 2,
  );

  it("there are enough of them", async () => {
    const all = (await Promise.all(results.values())).flat();
    expect(all.length).toBeGreaterThanOrEqual(MIN_LABELLED);
  });
});
