/**
 * An operator as many are: a manager of controller-runtime, with a CustomResourceDefinition, a finalizer, owner
 * references, its own status and leader election, whose controller runs Jobs. It runs against `stint serve` as it
 * does against a real API server with upstream's Job controller.
 */
import { type ChildProcess, execFile, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { startServe } from "../../host-node/serving.ts";
import { ApiClient } from "../api-client.ts";
import { whyUnavailable } from "../binaries/binaries.ts";
import { startControlPlane } from "../control-plane.ts";
import { DEFAULT_NODE, startKwok } from "../kwok.ts";
import { startUpstreamController } from "../upstream-controller.ts";

const run = promisify(execFile);
const CRDS = "/apis/apiextensions.k8s.io/v1/customresourcedefinitions";
const SWEEPS = "/apis/tests.stint.dev/v1/namespaces/default/sweeps";
const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const SHARDS = 3;

interface Cluster {
  readonly kubeconfig: string;
  readonly client: ApiClient;
  /** Of the operator. */
  readonly environment: Readonly<Record<string, string>>;
  stop(): Promise<unknown>;
}

interface Sweep {
  readonly metadata: { readonly name: string; readonly uid: string; readonly finalizers?: readonly string[] };
  readonly status?: { readonly succeeded?: number; readonly conditions?: readonly Condition[] };
}

interface Condition {
  readonly type: string;
  readonly status: string;
  readonly reason: string;
}

interface Job {
  readonly metadata: { readonly name: string; readonly ownerReferences: readonly object[] };
}

const unavailable = whyUnavailable();
if (unavailable !== undefined && process.env["STINT_REQUIRE_CLUSTER"] === "1")
  throw new Error(`STINT_REQUIRE_CLUSTER is 1, and ${unavailable}`);

describe.skipIf(unavailable)("an operator with controller-runtime", () => {
  let folder: string;
  let cluster: Cluster | undefined;
  let operator: ChildProcess | undefined;
  let log = "";

  beforeAll(async () => {
    folder = mkdtempSync(join(tmpdir(), "stint-controller-runtime-"));
    await run("go", ["build", "-mod=readonly", "-o", join(folder, "operator"), "."], { cwd: import.meta.dirname });
  });
  afterAll(() => rmSync(folder, { recursive: true }));
  beforeEach(() => {
    log = "";
  });
  afterEach(async () => {
    if (operator !== undefined && operator.exitCode === null) {
      operator.kill("SIGTERM");
      await once(operator, "exit");
    }
    await cluster?.stop();
  });

  test.each([
    ["stint serve", stintServe],
    ["a real API server", realServer],
  ])("works against %s", async (_name, start) => {
    cluster = await start();
    const { client, kubeconfig, environment } = cluster;
    await client.succeed("POST", CRDS, JSON.parse(readFileSync(join(import.meta.dirname, "crd.json"), "utf8")));
    await client.waitFor<Sweep>(CRDS, (crd) => hasCondition(crd, "Established"));

    operator = spawn(join(folder, "operator"), { env: { ...environment, KUBECONFIG: kubeconfig } });
    for (const stream of [operator.stdout, operator.stderr]) stream?.on("data", (text) => (log += String(text)));
    const sweep = {
      apiVersion: "tests.stint.dev/v1",
      kind: "Sweep",
      metadata: { name: "s" },
      spec: { shards: SHARDS },
    };
    const created = await client.succeed<Sweep>("POST", SWEEPS, sweep);
    const done = await client.waitFor<Sweep>(SWEEPS, (seen) => hasCondition(seen, "Done")).catch(explained);
    expect(done.status).toMatchObject({ succeeded: SHARDS, conditions: [{ type: "Done", reason: "AllShards" }] });
    expect(done.metadata.finalizers).toEqual(["tests.stint.dev/cleanup"]);
    const { items } = await client.succeed<{ items: Job[] }>("GET", JOBS);
    expect(items.map(({ metadata }) => metadata.name)).toEqual(["s-0", "s-1", "s-2"]);
    for (const { metadata } of items)
      expect(metadata.ownerReferences).toMatchObject([
        { apiVersion: "tests.stint.dev/v1", kind: "Sweep", name: "s", uid: created.metadata.uid, controller: true },
      ]);

    await client.succeed("DELETE", `${SWEEPS}/s`);
    await client.waitFor(
      "/api/v1/namespaces/default/configmaps",
      ({ metadata }: Sweep) => metadata.name === "s-cleaned",
    );
    await client.waitFor(`${JOBS}?resourceVersion=${resourceVersion(items)}`, isLast(SHARDS)).catch(explained);
    expect((await client.request("GET", `${SWEEPS}/s`)).status).toBe(404);
    expect((await client.succeed<{ items: Job[] }>("GET", JOBS)).items).toEqual([]);
  });

  function explained(error: Error): never {
    throw new Error(`${error.message}\nThe operator says: ${log}`);
  }
});

/** Holds of the last of so many objects that go. */
function isLast(count: number): (object: unknown, isGone: boolean) => boolean {
  let gone = 0;
  return (_object, isGone) => isGone && ++gone === count;
}

function resourceVersion(items: readonly object[]): string {
  const versions = items.map((item) =>
    Number((item as { metadata: { resourceVersion: string } }).metadata.resourceVersion),
  );
  return String(Math.max(...versions));
}

function hasCondition({ status }: Sweep, type: string): boolean {
  return status?.conditions?.some((condition) => condition.type === type && condition.status === "True") ?? false;
}

async function stintServe(): Promise<Cluster> {
  const served = await startServe(["--runtime", "simulated"]);
  const { clusters, users } = parse(readFileSync(served.kubeconfig, "utf8")) as {
    clusters: [{ cluster: { server: string; "certificate-authority-data": string } }];
    users: [{ user: { token: string } }];
  };
  const { server, "certificate-authority-data": authority } = clusters[0].cluster;
  const client = new ApiClient({
    url: server,
    ca: Buffer.from(authority, "base64").toString(),
    token: users[0].user.token,
  });
  return {
    kubeconfig: served.kubeconfig,
    client,
    environment: {},
    async stop() {
      client.close();
      await served.stop();
    },
  };
}

async function realServer(): Promise<Cluster> {
  const controlPlane = await startControlPlane();
  await Promise.all([startUpstreamController(controlPlane), startKwok(controlPlane)]);
  return {
    kubeconfig: controlPlane.kubeconfig(),
    client: controlPlane.client(),
    environment: { NODE: DEFAULT_NODE },
    stop: () => controlPlane.stop(),
  };
}
