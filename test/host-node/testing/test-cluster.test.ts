/** A cluster of a test: manifests, clients with and without a port, Jobs by name, and its end. */
import { PassThrough } from "node:stream";
import {
  BatchV1Api,
  CoreV1Api,
  Exec,
  KubeConfig,
  KubernetesObjectApi,
  Log,
  makeInformer,
  Metrics,
  PatchStrategy,
  setHeaderOptions,
  Watch,
} from "@kubernetes/client-node";
import { afterEach, beforeAll, describe, expect, test } from "vitest";
import { startCluster, type TestCluster } from "../../../host-node/testing/index.ts";
import type { TestClusterOptions } from "../../../host-node/testing/index.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

const clusters: TestCluster[] = [];

beforeAll(async () => {
  await buildModule("engine");
});
afterEach(() => Promise.all(clusters.splice(0).map((cluster) => cluster.stop())));

async function start(options?: TestClusterOptions): Promise<TestCluster> {
  const cluster = await startCluster(options);
  clusters.push(cluster);
  return cluster;
}

const ignore = (): void => {};
const JOB = `apiVersion: batch/v1
kind: Job
metadata:
  name: pi
spec:
  completions: 2
  completionMode: Indexed
  template:
    spec:
      restartPolicy: Never
      containers: [{ name: main, image: busybox }]
`;

describe("apply", () => {
  test("creates and changes objects of every kind, each as it is needed by the next", async () => {
    const c = await start();
    const stored = await c.apply(`apiVersion: v1
kind: Namespace
metadata: { name: team-a }
---
apiVersion: apiextensions.k8s.io/v1
kind: CustomResourceDefinition
metadata: { name: batches.example.com }
spec:
  group: example.com
  names: { kind: Batch, plural: batches }
  scope: Namespaced
  versions: [{ name: v1, served: true, storage: true, schema: { openAPIV3Schema: { type: object } } }]
---
apiVersion: example.com/v1
kind: Batch
metadata: { name: b, namespace: team-a }
---
${JOB.replace("name: pi", "name: pi\n  namespace: team-a")}`);
    expect(stored.map(({ kind }) => kind)).toEqual(["Namespace", "CustomResourceDefinition", "Batch", "Job"]);
    expect(c.pods("team-a/job/pi").list()).toMatchObject([{ phase: "Running" }]);
    await c.apply(JOB.replace("name: pi", "name: pi\n  namespace: team-a").replace("spec:", "spec:\n  suspend: true"));
    expect(c.job("team-a/pi").get()["spec"].suspend).toBe(true);
    expect(c.pods("team-a/job/pi").list()).toEqual([]);
  });

  test("takes objects, and names that the server makes", async () => {
    const c = await start();
    const spec = { template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } } };
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { generateName: "made-" }, spec };
    const [first, second] = await c.apply([job, job]);
    expect(first!.metadata.name).toMatch(/^made-/);
    expect(second!.metadata.name).not.toBe(first!.metadata.name);
  });

  test.each([
    ["paralelism: 1", /^<manifest>:6:3: spec\.paralelism: unknown field of batch\/v1 Job; did you mean .*parallelism/],
    ["parallelism: -1", /^<manifest>:6:16: spec\.parallelism: Invalid value: -1: must be greater than or equal to 0$/],
  ])("names the place of a mistake: %s", async (line, message) => {
    const c = await start();
    await expect(c.apply(JOB.replace("  completions: 2", `  ${line}\n  completions: 2`))).rejects.toThrow(message);
    expect(c.find("/apis/batch/v1/jobs")!["items"]).toEqual([]);
  });

  test("refuses kinds that are not served, and outcomes that cannot be", async () => {
    const c = await start();
    await expect(c.apply(JOB.replace("kind: Job", "kind: Jobs"))).rejects.toThrow(
      "<manifest>:2:7: here is batch/v1 Jobs, which this cluster does not serve; did you mean Job?",
    );
    await expect(c.apply(JOB.replace("batch/v1", "batch/v2"))).rejects.toThrow("<manifest>:1:13: here is batch/v2 Job");
    const annotated = JOB.replace(
      "    spec:",
      "    metadata: { annotations: { stint.dev/simulate: '{\"exit\":1}' } }\n    spec:",
    );
    await expect(c.apply(annotated)).rejects.toThrow("exit is not a field of an outcome");
  });
});

describe("client", () => {
  test("has the API classes of @kubernetes/client-node, without a port", async () => {
    const c = await start();
    await c.apply(JOB);
    const batch = c.client(BatchV1Api);
    const { status } = await batch.readNamespacedJob({ name: "pi", namespace: "default" });
    expect(status).toMatchObject({ active: 1, startTime: new Date("2026-01-01T00:00:00Z") });
    await batch.patchNamespacedJob(
      { name: "pi", namespace: "default", body: { spec: { suspend: true } } },
      setHeaderOptions("Content-Type", PatchStrategy.MergePatch),
    );
    const { items } = await c
      .client(CoreV1Api)
      .listNamespacedPod({ namespace: "default", labelSelector: "job-name=pi" });
    expect(items).toEqual([]);
    expect(c.job("pi").get()["status"].conditions).toMatchObject([{ type: "Suspended", status: "True" }]);
  });

  test("throws what that package throws", async () => {
    const c = await start();
    const missing = c.client(BatchV1Api).readNamespacedJob({ name: "pi", namespace: "default" });
    await expect(missing).rejects.toMatchObject({
      code: 404,
      body: expect.stringContaining('jobs.batch \\"pi\\" not found'),
    });
  });
});

describe("client, for what it has not", () => {
  const NO_CONNECTION =
    "the clients of `client` have no connection, which watches, informers, logs that are followed, exec and the like open; give those a KubeConfig: `const config = new KubeConfig(); config.loadFromString(await cluster.kubeconfig())`";

  test.each([
    ["Watch", (c: TestCluster) => c.client(Watch).watch("/apis/batch/v1/jobs", {}, ignore, ignore)],
    ["Log", (c: TestCluster) => c.client(Log).log("default", "p", "main", new PassThrough())],
    ["Exec", (c: TestCluster) => c.client(Exec).exec("default", "p", "main", "id", null, null, null, false)],
    ["Metrics", (c: TestCluster) => c.client(Metrics).getNodeMetrics()],
    ["KubeConfig", async (c: TestCluster) => c.client(KubeConfig)],
    ["a list with watch", (c: TestCluster) => c.client(BatchV1Api).listJobForAllNamespaces({ watch: true })],
  ])("says what to use instead: %s", async (_what, use) => {
    await expect(use(await start())).rejects.toThrow(NO_CONNECTION);
  });

  test("has the API of objects of any kind", async () => {
    const c = await start();
    await c.apply(JOB);
    const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "pi", namespace: "default" } };
    expect(await c.client(KubernetesObjectApi).read(job)).toMatchObject({ status: { active: 1 } });
  });
});

describe("kubeconfig", () => {
  test("has watches and informers", async () => {
    const c = await start();
    const config = new KubeConfig();
    config.loadFromString(await c.kubeconfig());
    const path = "/apis/batch/v1/namespaces/default/jobs";
    const watched = new Promise<string>((resolve, reject) => {
      void new Watch(config).watch(path, {}, (type, { metadata }) => resolve(`${type} ${metadata.name}`), reject);
    });
    const informer = makeInformer(config, path, () => c.client(BatchV1Api).listNamespacedJob({ namespace: "default" }));
    const isComplete = new Promise<void>((resolve) => {
      informer.on("update", ({ status }) => {
        if (status?.conditions?.some(({ type }) => type === "Complete")) resolve();
      });
    });
    informer.on("error", ignore);
    await informer.start();
    await c.apply(JOB);
    expect(await watched).toBe("ADDED pi");
    await c.untilIdle();
    await isComplete;
    await informer.stop();
  });

  test("lets any client in, and what it does is done at once", async () => {
    const c = await start();
    const config = new KubeConfig();
    config.loadFromString(await c.kubeconfig());
    expect(await c.kubeconfig()).toBe(await c.kubeconfig());
    const batch = config.makeApiClient(BatchV1Api);
    const template = { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
    await batch.createNamespacedJob({ namespace: "default", body: { metadata: { name: "pi" }, spec: { template } } });
    await c.settle();
    expect(c.pods("job/pi").list()).toMatchObject([{ phase: "Running" }]);
    const { items } = await config.makeApiClient(CoreV1Api).listNamespacedPod({ namespace: "default" });
    expect(items).toHaveLength(1);
    await c.stop();
    await expect(batch.listNamespacedJob({ namespace: "default" })).rejects.toThrow();
  });
});

describe("a Job by its name", () => {
  test("has its object, its pods and its reason", async () => {
    const c = await start();
    await c.apply(JOB);
    const job = c.job("pi");
    expect(job.get()["spec"].completions).toBe(2);
    await job.pods({ index: 0 }).succeed();
    await job.until("Complete");
    expect(job.why()).toMatch(/^job pi {2}Complete\n/);
  });

  test("need not be there yet", async () => {
    const c = await start();
    const job = c.job("team-a/pi");
    expect(() => job.get()).toThrow("there is no Job pi in namespace team-a; there are no Jobs");
    expect(() => c.job("a b")).toThrow('the Job is given as "a b"; allowed is NAME, job/NAME');
  });
});

describe("stop", () => {
  test("ends everything; what is recorded stays", async () => {
    const c = await start();
    await c.apply(JOB);
    await c.stop();
    await c.stop();
    expect(c.recording().length).toBeGreaterThan(1_000);
    await expect(c.apply(JOB)).rejects.toThrow("this cluster was stopped; start another one");
  });

  test("comes at the end of a block", async () => {
    let outside: TestCluster;
    {
      await using inside = await startCluster();
      outside = inside;
    }
    await expect(outside.kubeconfig()).rejects.toThrow("this cluster was stopped");
  });
});
