/** The embedded cluster: nothing moves before the start, and a trap of the engine costs no Job. */
import { afterEach, beforeAll, describe, expect, it, vi } from "vitest";
import { EngineError } from "../../../bindings/js/engine.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { SimulatedRuntime } from "../../../cluster/kubelet/simulated-runtime.ts";
import { MAX_ENGINE_RESTARTS } from "../../../host-node/controller/job-controller.ts";
import { EmbeddedCluster, type EmbeddedClusterOptions } from "../../../host-node/embedded/embedded.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { askCluster } from "../../cluster/ask-cluster.ts";

beforeAll(async () => {
  await buildModule("engine");
});
afterEach(() => vi.restoreAllMocks());

interface World {
  readonly clock: VirtualClock;
  readonly embedded: EmbeddedCluster;
  readonly problems: string[];
  readonly fatal: Error[];
}

async function createWorld(options: Partial<EmbeddedClusterOptions> = {}): Promise<World> {
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const problems: string[] = [];
  const fatal: Error[] = [];
  const runtime = new SimulatedRuntime({ clock, random: () => 0.5 });
  const embedded = await EmbeddedCluster.create({
    clock,
    nodes: [{ nodeName: "n", runtime }],
    onProblem: (problem) => problems.push(problem),
    onFatal: (error) => fatal.push(error),
    ...options,
  });
  return { clock, embedded, problems, fatal };
}

const jobSpec = { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } };

function createJob(world: World, name: string): void {
  post(world, "/apis/batch/v1/namespaces/default/jobs", {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name },
    spec: jobSpec,
  });
}

function createCronJob(world: World, name: string): void {
  const spec = { schedule: "* * * * *", jobTemplate: { spec: jobSpec } };
  post(world, "/apis/batch/v1/namespaces/default/cronjobs", { metadata: { name }, spec });
}

function post({ embedded }: World, path: string, object: object): void {
  const headers = { "content-type": "application/json" };
  const response = embedded.cluster.handle({ method: "POST", path, headers, body: JSON.stringify(object) });
  expect(response.status).toBe(201);
}

function read({ embedded }: World, path: string): any {
  const response = embedded.cluster.handle({ method: "GET", path, headers: {} });
  if (!("body" in response)) throw new Error("this is no stream");
  return JSON.parse(response.body as string);
}

const succeeded = (world: World, name: string): number =>
  read(world, `/apis/batch/v1/namespaces/default/jobs/${name}`).status.succeeded ?? 0;

/** Lets virtual time pass, and what is compiled outside of it be compiled. */
async function pass({ clock }: World, ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) {
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("EmbeddedCluster", () => {
  it("lets a deleted PodGroup go that no pod uses, where clients can delete one", async () => {
    const world = await createWorld({ jobController: false, gangScheduling: true, servesClients: true });
    world.embedded.start();
    const groups = "/apis/scheduling.k8s.io/v1beta1/namespaces/default/podgroups";
    post(world, groups, { metadata: { name: "g" }, spec: { schedulingPolicy: { basic: {} } } });
    expect(read(world, `${groups}/g`).metadata.finalizers).toEqual(["scheduling.k8s.io/podgroup-protection"]);
    world.embedded.cluster.handle({ method: "DELETE", path: `${groups}/g`, headers: {} });
    await pass(world, 1000);
    expect(read(world, groups).items).toEqual([]);
    world.embedded.stop();
  });

  it("leaves Jobs alone without a controller, and runs pods", async () => {
    const world = await createWorld({ jobController: false });
    world.embedded.start();
    createJob(world, "j");
    const pod = { metadata: { name: "p" }, spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
    post(world, "/api/v1/namespaces/default/pods", pod);
    await pass(world, 60_000);
    expect(read(world, "/apis/batch/v1/namespaces/default/jobs/j").status).toEqual({});
    expect(read(world, "/api/v1/namespaces/default/pods").items).toMatchObject([
      { metadata: { name: "p" }, status: { phase: "Succeeded" } },
    ]);
    expect(() => world.embedded.engine).toThrow("this cluster has no Job controller");
    world.embedded.stop();
  });

  it("is an API alone on request: no component acts on stored objects", async () => {
    const world = await createWorld({ apiOnly: true });
    world.embedded.start();
    createJob(world, "j");
    createCronJob(world, "c");
    world.embedded.cluster.handle({
      method: "DELETE",
      path: "/apis/batch/v1/namespaces/default/jobs/j",
      headers: { "content-type": "application/json" },
      body: JSON.stringify({ propagationPolicy: "Foreground" }),
    });
    await pass(world, 70_000);
    expect(read(world, "/apis/batch/v1/namespaces/default/jobs").items).toMatchObject([
      { metadata: { name: "j", finalizers: ["foregroundDeletion"] }, status: {} },
    ]);
    for (const resource of ["nodes", "pods"]) expect(read(world, `/api/v1/${resource}`).items).toEqual([]);
    expect(() => world.embedded.engine).toThrow("this cluster has no Job controller");
    world.embedded.stop();
  });

  it("checks the host aliases of Jobs", async () => {
    const { embedded } = await createWorld();
    const spec = { template: { spec: { ...jobSpec.template.spec, hostAliases: [{ ip: "10.0.0" }] } } };
    const jobs = "/apis/batch/v1/namespaces/default/jobs";
    expect(askCluster(embedded.cluster, "POST", jobs, { metadata: { name: "j" }, spec })).toMatchObject({
      status: 422,
      body: { details: { causes: [{ field: "spec.template.spec.hostAliases[0].ip" }] } },
    });
  });

  it("binds no pods without its scheduler", async () => {
    const world = await createWorld({ scheduler: false });
    world.embedded.start();
    createJob(world, "j");
    await pass(world, 60_000);
    const [pod] = read(world, "/api/v1/pods").items;
    expect(pod.spec.nodeName).toBeUndefined();
    expect(pod.status.conditions).toBeUndefined();
    world.embedded.stop();
  });

  it("binds pods to nodes that other clients create, with its scheduler and without simulated nodes", async () => {
    const world = await createWorld({ scheduler: true, nodes: [] });
    world.embedded.start();
    createJob(world, "j");
    post(world, "/api/v1/nodes", { metadata: { name: "theirs" } });
    await pass(world, 60_000);
    expect(read(world, "/api/v1/pods").items).toMatchObject([{ spec: { nodeName: "theirs" } }]);
    world.embedded.stop();
  });

  it("runs CronJobs, and their Jobs go with them", async () => {
    const world = await createWorld();
    world.embedded.start();
    createCronJob(world, "c");
    await pass(world, 70_000);
    const jobs = (): any[] => read(world, "/apis/batch/v1/namespaces/default/jobs").items;
    expect(jobs()).toMatchObject([{ status: { succeeded: 1 } }]);
    world.embedded.cluster.handle({
      method: "DELETE",
      path: "/apis/batch/v1/namespaces/default/cronjobs/c",
      headers: {},
    });
    await pass(world, 10_000);
    expect(jobs()).toEqual([]);
    expect(world.problems).toEqual([]);
    world.embedded.stop();
  });

  it("leaves CronJobs to another controller, too", async () => {
    const world = await createWorld({ jobController: false });
    world.embedded.start();
    createCronJob(world, "c");
    await pass(world, 70_000);
    expect(read(world, "/apis/batch/v1/namespaces/default/jobs").items).toEqual([]);
    world.embedded.stop();
  });

  it("answers before the start, and moves after it", async () => {
    const world = await createWorld();
    createJob(world, "j");
    await pass(world, 10_000);
    expect(succeeded(world, "j")).toBe(0);
    world.embedded.start();
    await pass(world, 10_000);
    expect(succeeded(world, "j")).toBe(1);
    world.embedded.stop();
  });

  it("replaces an engine that trapped, and the Jobs continue", async () => {
    const world = await createWorld();
    createJob(world, "j");
    const { engine } = world.embedded;
    vi.spyOn(engine, "poll").mockImplementation(() => {
      throw new EngineError(-1, "the engine stopped: a test");
    });
    world.embedded.start();
    await pass(world, 10_000);
    expect(world.embedded.engine).not.toBe(engine);
    expect(world.problems).toEqual(["the engine stopped: a test; starting engine number 2"]);
    expect(succeeded(world, "j")).toBe(1);
    expect(world.fatal).toEqual([]);
    world.embedded.stop();
  });

  it("gives up an engine that traps again and again", async () => {
    const world = await createWorld();
    vi.spyOn(Object.getPrototypeOf(world.embedded.engine), "poll").mockImplementation(() => {
      throw new EngineError(-1, "the engine stopped: a test");
    });
    world.embedded.start();
    await pass(world, 10_000);
    expect(world.problems).toHaveLength(MAX_ENGINE_RESTARTS);
    expect(world.fatal.map(({ message }) => message)).toEqual(["the engine stopped: a test"]);
    world.embedded.stop();
  });
});
