/** A shadow over HTTPS on an in-memory API server without a controller of Jobs: what it asks, logs and counts. */
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { Cluster } from "../../../cluster/cluster.ts";
import { main } from "../../../host-node/cli/program.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { readConfiguration } from "../../../host-node/controller/configuration.ts";
import { createEngine } from "../../../host-node/controller/job-controller.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { createLog } from "../../../host-node/log.ts";
import { ShadowReplica } from "../../../host-node/shadow/shadow-replica.ts";
import { Credentials } from "../../../host-node/transport/credentials.ts";
import { RecordingConsole } from "../cli/recording-console.ts";
import { ApiStandIn } from "../transport/api-stand-in.ts";
import { answerFrom } from "../transport/cluster-answers.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const UNDONE = "Stint would create a pod, and the built-in controller does not";

let standIn: ApiStandIn;
let clock: RealClock;
let cluster: Cluster;
let log: Record<string, any>[];
let replica: ShadowReplica;
let ended: Promise<number>;
let url: string;

beforeEach(async () => {
  standIn = await ApiStandIn.start();
  clock = new RealClock();
  log = [];
  const engineModule = await loadEngineModule();
  const admission = await createEngine(engineModule);
  cluster = new Cluster({
    clock,
    random: Math.random,
    gangScheduling: false,
    admission: (review) => admission.review(review),
  });
  standIn.answer = (asked, response) => answerFrom(cluster, asked, response);
  replica = new ShadowReplica({
    clock,
    engineModule,
    version: "0.0.0",
    log: createLog("info", (line) => log.push(JSON.parse(line))),
    settings: readConfiguration({
      flags: { shadow: "true", shadowWindow: "100ms", listen: "127.0.0.1:0" },
      environment: {},
      file: undefined,
    }),
    credentials: Credentials.load({ kubeconfig: standIn.kubeconfig(), context: undefined, environment: {} }),
  });
  ended = replica.run();
  url = (await expect.poll(() => log.find((line) => "url" in line)).toBeDefined(), log[0]!["url"]);
});
afterEach(async () => {
  replica.stop("the end of the test");
  await ended;
  clock.stop();
  await standIn.stop();
});

function createJob(name: string, spec: object = {}): void {
  cluster.handle({
    method: "POST",
    path: JOBS,
    headers: { "content-type": "application/json" },
    body: JSON.stringify({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name },
      spec: { ...spec, template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } },
    }),
  });
}

async function page(path: string): Promise<{ readonly status: number; readonly body: any }> {
  const response = await fetch(url + path);
  return { status: response.status, body: await response.json() };
}

async function why(job: string): Promise<{ readonly exit: number; readonly out: string; readonly err: string }> {
  const console = new RecordingConsole(standIn.directory);
  const exit = await main(["why", job, "-n", "default", "--shadow", "--controller", url], "0.0.0", console);
  return { exit, out: console.out, err: console.err };
}

describe("a shadow", () => {
  it("reports on its pages, in metrics, in its log and to `stint why` what is left undone", async () => {
    createJob("pi");
    await expect
      .poll(() => page("/debug/shadow/default/pi"))
      .toMatchObject({
        status: 200,
        body: { found: true, divergences: [{ kind: "creation", sentence: UNDONE }] },
      });
    expect((await page("/debug/shadow")).body).toMatchObject({ jobs: 1, undecided: 0, divergences: [{ job: "pi" }] });
    const metrics = await (await fetch(`${url}/metrics`)).text();
    expect(metrics).toContain('stint_shadow_divergences_total{kind="creation",known="false"} 1');
    expect(metrics).toContain('stint_shadow_divergences_total{kind="end",known="false"} 0');
    expect(log.filter(({ kind }) => kind === "creation")).toMatchObject([{ level: "warn", job: "pi", msg: UNDONE }]);
    const { exit, out } = await why("pi");
    expect(exit).toBe(0);
    expect(out).toMatch(/^job pi: 1 divergence, the newest first\n\n\S+Z {2}creation\n/);
    expect(out).toContain("Stint: creating 1 pod: 0 of 1 wanted active, 0 succeeded (Creating)");
  });

  it("says nothing of Jobs that another controller manages", async () => {
    createJob("other", { managedBy: "example.com/jobs" });
    createJob("pi");
    await expect.poll(async () => (await page("/debug/shadow")).body.divergences).toMatchObject([{ job: "pi" }]);
    expect(await why("other")).toMatchObject({
      exit: 0,
      out: "job other: the built-in controller does as Stint would\n",
    });
  });

  it("says of a Job that it does not know that it does not", async () => {
    await expect.poll(async () => (await fetch(`${url}/readyz`)).status).toBe(200);
    expect(await page("/debug/shadow/default/none")).toMatchObject({ status: 404, body: { found: false } });
    expect(await why("none")).toMatchObject({ exit: 1, out: "job none: the shadow knows no such Job\n" });
  });

  it("sends nothing but lists and watches of Jobs and pods", async () => {
    createJob("pi");
    await expect.poll(async () => (await page("/debug/shadow")).body.divergences).toHaveLength(1);
    expect(new Set(standIn.asked.map(({ method, path }) => `${method} ${path.split("?", 1)[0]}`))).toEqual(
      new Set(["GET /apis/batch/v1/jobs", "GET /api/v1/pods"]),
    );
  });
});
