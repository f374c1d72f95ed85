/** The Job controller of a host: when an engine is replaced, and what the next one may count on. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { Engine, EngineError } from "../../../bindings/js/engine.ts";
import type { Transport } from "../../../bindings/js/host.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { seededRandom } from "../../../cluster/values/random.ts";
import { createEngine, JobController } from "../../../host-node/controller/job-controller.ts";
import { sourcesOf } from "../../../host-node/controller/sources.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";

const TEMPLATE = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };

interface World {
  readonly cluster: Cluster;
  readonly controller: JobController;
  readonly problems: readonly string[];
  /** Twenty seconds. */
  pass(): Promise<void>;
}

/** A cluster with the Job `pi`, and a controller that is not started; `send` is between the two. */
async function createWorld(
  spec: object,
  send: (cluster: Cluster, ...request: Parameters<Transport["send"]>) => void,
): Promise<World> {
  const engineModule = await loadEngineModule();
  const admission = await createEngine(engineModule);
  const clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const cluster = new Cluster({
    clock,
    random: seededRandom(1),
    admission: (review) => admission.review(review),
    gangScheduling: false,
  });
  const problems: string[] = [];
  const controller = await JobController.create({
    engineModule,
    clock,
    random: () => 0.5,
    onProblem: (problem: string) => problems.push(problem),
    transport: {
      send: (request, done) => send(cluster, request, done),
      stream: (request, sink) => cluster.transport.stream(request, sink),
    },
    sources: sourcesOf({ namespaces: [], allPods: true, gangScheduling: false }),
    configuration: { instance: "test" },
    onFatal: (error) => {
      throw error;
    },
  });
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "pi" }, spec: { template: TEMPLATE, ...spec } };
  cluster.handle({
    method: "POST",
    path: "/apis/batch/v1/namespaces/default/jobs",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(job),
  });
  const pass = async (): Promise<void> => {
    for (let i = 0; i < 20; i++) {
      clock.advance(1_000);
      await new Promise((resolve) => setImmediate(resolve));
    }
  };
  return { cluster, controller, problems, pass };
}

/** The watch shows that the Job has changed, and the engine stops on that. */
function trapAtNextEvent(cluster: Cluster): void {
  vi.spyOn(Engine.prototype, "ingest").mockImplementationOnce(() => {
    throw new EngineError(-1, "the engine stopped: a test");
  });
  const headers = { "content-type": "application/merge-patch+json" };
  cluster.handle({
    method: "PATCH",
    path: "/apis/batch/v1/namespaces/default/jobs/pi",
    headers,
    body: '{"metadata":{"labels":{"a":"b"}}}',
  });
}

afterEach(() => vi.restoreAllMocks());

describe("JobController", () => {
  it("lists the pods of a large Job in pages after a lost answer, and creates none twice", async () => {
    const PODS = 1_200;
    const pages: string[] = [];
    let creations = 0;
    const { cluster, controller, pass } = await createWorld(
      { parallelism: PODS, completions: PODS },
      (cluster, request, done) => {
        if (request.method === "GET" && request.path.includes("controller-uid"))
          pages.push(/&limit=.*$/.exec(request.path)![0]);
        const isLost = request.method === "POST" && request.path.endsWith("/pods") && ++creations === PODS - 10;
        cluster.transport.send(request, isLost ? () => done({ status: 0, headers: {}, body: "" }) : done);
      },
    );
    controller.start();
    for (let i = 0; i < 3; i++) await pass();
    expect(pages).toEqual([
      "&limit=500",
      expect.stringMatching(/^&limit=500&continue=[\w%-]+$/),
      expect.stringMatching(/^&limit=500&continue=[\w%-]+$/),
    ]);
    expect(creations).toBe(PODS);
    const pods = cluster.handle({ method: "GET", path: "/api/v1/namespaces/default/pods", headers: {} });
    expect((JSON.parse(String((pods as { body: unknown }).body)) as { items: unknown[] }).items).toHaveLength(PODS);
    controller.stop();
  });

  it("has listed once it has, and still has while a list is asked for again; a new engine has not", async () => {
    let isReachable = true;
    const { cluster, controller, pass } = await createWorld({}, (cluster, request, done) => {
      cluster.transport.send(request, isReachable ? done : () => done({ status: 0, headers: {}, body: "" }));
    });
    controller.start();
    expect(controller.hasListed).toBe(false);
    await pass();
    expect(controller.hasListed).toBe(true);
    const asked = vi.spyOn(Engine.prototype, "watchVersion").mockReturnValue(-1);
    expect(controller.hasListed).toBe(true);
    asked.mockRestore();
    isReachable = false;
    trapAtNextEvent(cluster);
    await pass();
    expect(controller.hasListed).toBe(false);
    controller.stop();
  });

  it("begins with no new engine while a request of the one that trapped is under way", async () => {
    const asked: string[] = [];
    const held: (() => void)[] = [];
    const { cluster, controller, problems, pass } = await createWorld({}, (cluster, request, done) => {
      asked.push(`${request.method} ${request.path.split("?")[0]}`);
      const send = (): void => cluster.transport.send(request, done);
      if (request.method === "POST" && request.path.includes("/pods")) held.push(send);
      else send();
    });
    const lists = (): number => asked.filter((request) => request === "GET /apis/batch/v1/jobs").length;
    controller.start();
    await pass();
    expect(held).toHaveLength(1);

    trapAtNextEvent(cluster);
    await pass();
    expect(problems).toEqual(["the engine stopped: a test; starting engine number 2"]);
    expect(lists()).toBe(1);

    held[0]!();
    await pass();
    expect(lists()).toBe(2);
    // The next engine has seen the pod: there is no second one.
    expect(held).toHaveLength(1);
    controller.stop();
  });

  it("replaces its engine on request: once at a time, and also if the old one traps meanwhile", async () => {
    const held: (() => void)[] = [];
    const { controller, problems, pass } = await createWorld({}, (cluster, request, done) => {
      const send = (): void => cluster.transport.send(request, done);
      if (request.method === "POST" && request.path.includes("/pods")) held.push(send);
      else send();
    });
    controller.replaceEngine();
    expect(controller.isReplacing).toBe(false);
    controller.start();
    await pass();
    const first = controller.engine;
    controller.replaceEngine();
    controller.replaceEngine();
    vi.spyOn(Engine.prototype, "settle").mockImplementationOnce(() => {
      throw new EngineError(-1, "the engine stopped: a test");
    });
    await pass();
    expect([controller.isReplacing, controller.engine]).toEqual([true, first]);
    held[0]!();
    await pass();
    expect(problems).toEqual(["the engine stopped: a test; starting engine number 2"]);
    expect(controller.isReplacing).toBe(false);
    expect(controller.engine).not.toBe(first);
    expect(controller.hasListed).toBe(true);
    expect(held).toHaveLength(1);
    controller.stop();
  });
});
