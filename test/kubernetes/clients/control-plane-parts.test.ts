/**
 * The parts of a real control plane against `stint serve`: kube-controller-manager, kube-scheduler, and kwok as
 * kubelet. First they do everything, and Stint is the API alone; then each of Stint's parts works with theirs.
 */
import { afterEach, describe, expect, it, vi } from "vitest";
import { type Served, startServe } from "../../host-node/serving.ts";
import type { ApiClient } from "../api-client.ts";
import { whyUnavailable } from "../binaries/binaries.ts";
import { hasCondition } from "../conditions.ts";
import type { ReachableServer } from "../control-plane.ts";
import { DEFAULT_NODE, startKwok } from "../kwok.ts";
import { startUpstreamController } from "../upstream-controller.ts";
import { startUpstreamScheduler } from "../upstream-scheduler.ts";
import { clientOf, reachableServer } from "./programs.ts";

const BATCH = "/apis/batch/v1/namespaces/default";
const PODS = "/api/v1/namespaces/default/pods";
const CONTROLLERS = [
  "job-controller",
  "cronjob-controller",
  "ttl-after-finished-controller",
  "garbage-collector-controller",
  "namespace-controller",
];
/** Until something is deleted; less than a test may take. */
const WAIT = { timeout: 100_000, interval: 100 };
/** Far in the past of an hourly schedule, so that a start is due at once. */
const LONG_AGO = "2026-01-01T00:30:00Z";

interface Stored {
  readonly metadata: { readonly name: string; readonly ownerReferences?: readonly { readonly name: string }[] };
  readonly spec: { readonly nodeName?: string; readonly unschedulable?: boolean };
  readonly status: {
    readonly succeeded?: number;
    readonly conditions?: readonly { readonly type: string; readonly status: string }[];
  };
}

let served: Served | undefined;
let server: ReachableServer | undefined;
let client: ApiClient | undefined;
afterEach(async () => {
  client?.close();
  await server?.processes.stop();
  await served?.stop();
});

async function serve(...args: string[]): Promise<{ server: ReachableServer; client: ApiClient }> {
  served = await startServe(args);
  server = reachableServer(served);
  client = clientOf(served);
  return { server, client };
}

const jobSpec = {
  completions: 3,
  parallelism: 2,
  template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } },
};
const create = (client: ApiClient, name: string, spec: object = jobSpec): Promise<Stored> =>
  client.succeed("POST", `${BATCH}/jobs`, { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec });
const named = (collection: string, name: string): string => `${collection}?fieldSelector=metadata.name%3D${name}`;
const complete = (client: ApiClient, name: string): Promise<Stored> =>
  client.waitFor<Stored>(named(`${BATCH}/jobs`, name), (job) => hasCondition(job, "Complete"));
const gone = (client: ApiClient, path: string): Promise<void> =>
  vi.waitFor(async () => expect((await client.request("GET", path)).status).toBe(404), WAIT);
const items = async (client: ApiClient, path: string): Promise<readonly Stored[]> =>
  (await client.succeed<{ items: readonly Stored[] }>("GET", path)).items;
const nodesOf = async (client: ApiClient, job: string): Promise<(string | undefined)[]> =>
  (await items(client, `${PODS}?labelSelector=job-name%3D${job}`)).map(({ spec }) => spec.nodeName);

describe.skipIf(whyUnavailable() !== undefined)("programs of a control plane against stint serve", () => {
  it("do everything: Stint is the API alone", async () => {
    const { server, client } = await serve("--api-only");
    await startUpstreamController(server, { controllers: CONTROLLERS });
    await startUpstreamScheduler(server);
    await startKwok(server);

    await create(client, "plain");
    expect((await complete(client, "plain")).status.succeeded).toBe(3);
    expect(await nodesOf(client, "plain")).toEqual(Array(3).fill(DEFAULT_NODE));

    // The garbage collector deletes the pods first, and then takes its finalizer off the Job.
    await client.succeed("DELETE", `${BATCH}/jobs/plain`, { propagationPolicy: "Foreground" });
    await gone(client, `${BATCH}/jobs/plain`);
    expect(await items(client, `${PODS}?labelSelector=job-name%3Dplain`)).toEqual([]);

    await create(client, "short-lived", { ...jobSpec, ttlSecondsAfterFinished: 0 });
    await gone(client, `${BATCH}/jobs/short-lived`);

    const spec = { schedule: "0 * * * *", suspend: true, jobTemplate: { spec: jobSpec } };
    const cronJob = { apiVersion: "batch/v1", kind: "CronJob", metadata: { name: "hourly" }, spec };
    await client.succeed("POST", `${BATCH}/cronjobs`, cronJob);
    await client.succeed("PATCH", `${BATCH}/cronjobs/hourly/status`, { status: { lastScheduleTime: LONG_AGO } });
    await client.succeed("PATCH", `${BATCH}/cronjobs/hourly`, { spec: { suspend: false } });
    const started = await client.waitFor<Stored>(
      `${BATCH}/jobs`,
      (job) => job.metadata.ownerReferences?.[0]?.name === "hourly" && hasCondition(job, "Complete"),
    );
    expect(started.status.succeeded).toBe(3);

    // The namespace controller lists and deletes every kind that the discovery names.
    await client.succeed("POST", "/api/v1/namespaces", {
      apiVersion: "v1",
      kind: "Namespace",
      metadata: { name: "team" },
    });
    const config = { apiVersion: "v1", kind: "ConfigMap", metadata: { name: "left" } };
    await client.succeed("POST", "/api/v1/namespaces/team/configmaps", config);
    await client.succeed("DELETE", "/api/v1/namespaces/team");
    await gone(client, "/api/v1/namespaces/team");
  });

  it("kube-controller-manager and kube-scheduler work with Stint's kubelet", async () => {
    const { server, client } = await serve("--no-controller", "--no-scheduler");
    await startUpstreamController(server, { controllers: CONTROLLERS });
    await startUpstreamScheduler(server);
    await create(client, "mixed");
    expect((await complete(client, "mixed")).status.succeeded).toBe(3);
    expect(await nodesOf(client, "mixed")).toEqual(Array(3).fill("stint"));
  });

  it("kwok works with Stint's controller and scheduler", async () => {
    const { server, client } = await serve("--runtime", "none", "--scheduler");
    await startKwok(server);
    await create(client, "mixed");
    expect((await complete(client, "mixed")).status.succeeded).toBe(3);
    expect(await nodesOf(client, "mixed")).toEqual(Array(3).fill(DEFAULT_NODE));
  });
});
