/**
 * A shadow beside upstream's controller on a real API server: it finds each difference that a proxy plants into the
 * controller's requests, and none in the same Jobs without it. What a shadow may do is in deploy.test.ts.
 */
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import type { JobReport } from "../../host-node/shadow/pages.ts";
import { PLANTED, type Sent, type Tampering } from "../host-node/shadow/planted.ts";
import { jobSpec } from "../parity/play.ts";
import type { Scenario } from "../parity/scenario.ts";
import { Theatre } from "../parity/theatre.ts";
import { whyUnavailable } from "./binaries/binaries.ts";
import { ADMIN } from "./control-plane.ts";
import { startStintController, type StintController } from "./stint-controller.ts";
import { startTamperingProxy, type TamperingProxy } from "./tampering-proxy.ts";
import { startUpstreamController } from "./upstream-controller.ts";

const missing = whyUnavailable();
if (missing !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${missing}`);

const NAMESPACE = "shadow";
const JOBS = `/apis/batch/v1/namespaces/${NAMESPACE}/jobs`;
const WINDOW = "4s";
const FOUND_WITHIN_MS = 120_000;
interface Job {
  readonly metadata: object;
  readonly status?: { readonly ready?: number };
}

/** A name that begins no other one. */
const nameOf = (at: number, isPlanted: boolean): string =>
  `${isPlanted ? "bad" : "good"}-${String.fromCharCode(97 + at)}`;

describe.skipIf(missing !== undefined)("a shadow of upstream's controller", () => {
  let theatre: Theatre;
  let proxy: TamperingProxy;
  let shadow: StintController;

  beforeAll(async () => {
    theatre = await Theatre.open({ scenarios: [], recordsHistory: false, onProblem: () => {} });
    await theatre.client.succeed("POST", "/api/v1/namespaces", { metadata: { name: NAMESPACE } });
    const plants = new Map(PLANTED.map(({ plant }, at) => [nameOf(at, true), plant()]));
    proxy = await startTamperingProxy(theatre.controlPlane, ADMIN, (request) => plantOf(plants, request)(request));
    await startUpstreamController(theatre.controlPlane, {
      controllers: ["job-controller"],
      clientQps: -1,
      kubeconfig: proxy.kubeconfig,
      // A proxy that changes bodies must be able to read them.
      flags: ["--kube-api-content-type=application/json"],
    });
    shadow = await startStintController(theatre.controlPlane, { flags: ["--shadow", `--shadow-window=${WINDOW}`] });
    await Promise.all(PLANTED.flatMap((_planted, at) => [run(at, true), run(at, false)]));
  });
  afterAll(async () => {
    await shadow?.stop();
    await proxy?.stop();
    await theatre?.close();
  });

  async function run(at: number, isPlanted: boolean): Promise<void> {
    const { job, outcome = {}, patch } = PLANTED[at]!;
    const name = nameOf(at, isPlanted);
    const scenario = { name, job, rows: [], outcome: outcome as NonNullable<Scenario["outcome"]> };
    await theatre.client.succeed("POST", JOBS, { metadata: { name }, spec: jobSpec(scenario, job) });
    if (patch === undefined) return;
    const itself = `${JOBS}?fieldSelector=metadata.name%3D${name}`;
    await theatre.client.waitFor<Job>(itself, ({ status }) => status?.ready === job["parallelism"]);
    await theatre.client.succeed("PATCH", `${JOBS}/${name}`, patch);
  }

  async function reportOn(name: string): Promise<JobReport> {
    return (await (await fetch(`${shadow.url}/debug/shadow/${NAMESPACE}/${name}`)).json()) as JobReport;
  }

  it.each(PLANTED.map((planted, at) => ({ ...planted, at })))(
    "finds: $difference",
    async ({ kind, at }) => {
      await expect
        .poll(async () => (await reportOn(nameOf(at, true))).divergences.map((found) => found.kind), {
          timeout: FOUND_WITHIN_MS,
          interval: 500,
        })
        .toContain(kind);
    },
    FOUND_WITHIN_MS + 10_000,
  );

  it("finds nothing in the same Jobs without it", async () => {
    await expect.poll(async () => (await reportOn(nameOf(0, false))).found, { timeout: FOUND_WITHIN_MS }).toBe(true);
    for (const at of PLANTED.keys()) expect(await reportOn(nameOf(at, false))).toMatchObject({ divergences: [] });
  });
});

/** That of the Job which the request is about; of none: it is passed on unchanged. */
function plantOf(plants: ReadonlyMap<string, Tampering>, { method, path, body }: Sent): Tampering {
  const about = method === "POST" ? (/"generateName":"(bad-[a-z])-/.exec(body)?.[1] ?? "") : path;
  const [, name] = /(?:^|\/)(bad-[a-z])(?:[-/?]|$)/.exec(about) ?? [];
  return (name === undefined ? undefined : plants.get(name)) ?? ((request) => [request]);
}
