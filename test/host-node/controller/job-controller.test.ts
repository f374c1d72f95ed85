/** The Job controller of a host: when an engine is replaced, and what the next one may count on. */
import { afterEach, describe, expect, it, vi } from "vitest";
import { Engine, EngineError } from "../../../bindings/js/engine.ts";
import type { Transport } from "../../../bindings/js/host.ts";
import { Cluster } from "../../../cluster/cluster.ts";
import { VirtualClock } from "../../../cluster/clock.ts";
import { createEngine, JobController } from "../../../host-node/controller/job-controller.ts";
import { sourcesOf } from "../../../host-node/controller/sources.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";

const JOB = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "pi" }, spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } } } };

afterEach(() => vi.restoreAllMocks());

describe("JobController", () => {
  it("begins with no new engine while a request of the one that trapped is under way", async () => {
    const engineModule = await loadEngineModule();
    const admission = await createEngine(engineModule);
    const clock = new VirtualClock(Date.UTC(2026, 0, 1));
    const cluster = new Cluster({ clock, random: () => 0.5, admission: (review) => admission.review(review), gangScheduling: false });
    const asked: string[] = [];
    const held: (() => void)[] = [];
    const transport: Transport = {
      send: (request, done) => {
        asked.push(`${request.method} ${request.path.split("?")[0]}`);
        const send = (): void => cluster.transport.send(request, done);
        if (request.method === "POST" && request.path.includes("/pods")) held.push(send);
        else send();
      },
      stream: (request, sink) => cluster.transport.stream(request, sink),
    };
    const problems: string[] = [];
    const controller = await JobController.create({
      ...{ engineModule, clock, transport, random: () => 0.5, onProblem: (problem: string) => problems.push(problem) },
      sources: sourcesOf({ namespaces: [], allPods: true, gangScheduling: false }),
      configuration: { instance: "test" },
      onFatal: (error) => {
        throw error;
      },
    });
    cluster.handle({ method: "POST", path: "/apis/batch/v1/namespaces/default/jobs", headers: { "content-type": "application/json" }, body: JSON.stringify(JOB) });
    const pass = async (): Promise<void> => {
      for (let i = 0; i < 20; i++) {
        clock.advance(1_000);
        await new Promise((resolve) => setImmediate(resolve));
      }
    };
    const lists = (): number => asked.filter((request) => request === "GET /apis/batch/v1/jobs").length;
    controller.start();
    await pass();
    expect(held).toHaveLength(1);

    vi.spyOn(Engine.prototype, "ingest").mockImplementationOnce(() => {
      throw new EngineError(-1, "the engine stopped: a test");
    });
    cluster.handle({ method: "PATCH", path: "/apis/batch/v1/namespaces/default/jobs/pi", headers: { "content-type": "application/merge-patch+json" }, body: '{"metadata":{"labels":{"a":"b"}}}' });
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
});
