/**
 * Long stretches of virtual time in which nothing but heartbeats is due are left out. Everything else comes as in a
 * cluster whose time moves in steps so short that nothing is left out.
 */
import { afterEach, beforeAll, expect, test } from "vitest";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { type ClusterCore, createCore } from "../../../host-node/testing/cluster-core.ts";
import { ClusterApi } from "../../../host-node/control/cluster-api.ts";
import { ClusterControls } from "../../../host-node/control/controls.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

const SECOND_MS = 1000;
const HOUR_MS = 3_600_000;
/** Too short to leave anything out. */
const STEP_MS = 60 * SECOND_MS;
const CRON_JOBS = "/apis/batch/v1/namespaces/default/cronjobs";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const cores: ClusterCore[] = [];

beforeAll(async () => {
  await buildModule("engine");
});
afterEach(() => cores.splice(0).forEach((core) => core.stop()));

class Watched {
  /** What was written but leases, with its time. */
  readonly seen: string[] = [];
  renewals = 0;
  readonly controls: ClusterControls;
  readonly api: ClusterApi;

  constructor(core: ClusterCore) {
    this.api = new ClusterApi(core.embedded.cluster);
    this.controls = new ClusterControls(core.options);
    core.embedded.cluster.observe(({ type, object }) => {
      if (object["kind"] === "Lease") this.renewals++;
      else this.seen.push(`${this.controls.now()} ${type} ${object["kind"]} ${state(object)}`);
    });
  }

  get leases(): readonly string[] {
    const leases = this.api.list("/apis/coordination.k8s.io/v1/namespaces/kube-node-lease/leases");
    return leases.map(({ spec }) => spec.renewTime);
  }
}

/** All but what is left to chance: names, addresses. */
function state({ spec, status, reason, involvedObject }: KubeObject): string {
  const { phase, conditions, succeeded, lastScheduleTime } = status ?? {};
  return JSON.stringify([spec?.taints, phase, conditions, succeeded, lastScheduleTime, reason, involvedObject?.kind]);
}

async function start(): Promise<Watched> {
  const core = await createCore({ nodes: 3 });
  cores.push(core);
  const watched = new Watched(core);
  await watched.controls.settle();
  return watched;
}

function template(runMs: number | "forever"): object {
  const annotations = { "stint.dev/simulate": JSON.stringify({ runMs }) };
  return {
    metadata: { annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] },
  };
}

/** What happens: a CronJob starts Jobs, and a node is lost in a long silence under a pod that runs for ever. */
async function live(watched: Watched, pass: (ms: number) => Promise<unknown>): Promise<void> {
  const schedule = { schedule: "15 */3 * * *", jobTemplate: { spec: { template: template(2_000) } } };
  await watched.api.write("POST", CRON_JOBS, { metadata: { name: "often" }, spec: schedule });
  await watched.api.write("POST", JOBS, { metadata: { name: "forever" }, spec: { template: template("forever") } });
  await pass(7 * HOUR_MS + 13 * SECOND_MS);
  const [pod] = watched.api.list("/api/v1/namespaces/default/pods?labelSelector=job-name%3Dforever");
  await watched.controls.loseNode(pod!["spec"].nodeName);
  await pass(5 * HOUR_MS + 7 * SECOND_MS);
  // A node without a kubelet.
  await watched.api.write("POST", "/api/v1/nodes", { metadata: { name: "idle" } });
  await pass(2 * HOUR_MS);
}

test("all comes at its time, also what a silent node leads to, with few renewals of leases", async () => {
  const brisk = await start();
  await live(brisk, (ms) => brisk.controls.advance(ms));
  const slow = await start();
  await live(slow, async (ms) => {
    for (let leftMs = ms; leftMs > 0; leftMs -= STEP_MS) await slow.controls.advance(Math.min(STEP_MS, leftMs));
  });
  // The order of writes at one instant is left to chance, too.
  expect(brisk.seen.toSorted()).toEqual(slow.seen.toSorted());
  expect(brisk.leases).toEqual(slow.leases);
  expect(slow.seen.join("\n")).toContain("node.kubernetes.io/unreachable");
  expect(slow.renewals).toBeGreaterThan(10 * brisk.renewals);
});

test("a condition of a Job is found at the same instant", async () => {
  const find = async (way: "a condition" | "a function"): Promise<number> => {
    const watched = await start();
    const spec = { template: template("forever"), activeDeadlineSeconds: 40_000 };
    await watched.api.write("POST", JOBS, { metadata: { name: "late" }, spec });
    if (way === "a condition") return watched.controls.until({ job: "late", condition: "Failed" });
    const hasFailed = (): boolean =>
      watched.api.get(`${JOBS}/late`)["status"].conditions?.some(({ type }: any) => type === "Failed");
    return watched.controls.until(hasFailed);
  };
  expect(await find("a condition")).toBe(await find("a function"));
});
