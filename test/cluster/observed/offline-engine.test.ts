/** An engine that is asked what it would do: what it is fed, what it says, and that it is fed in one way. */
import { beforeAll, describe, expect, test } from "vitest";
import type { EngineRequest } from "../../../bindings/js/engine.ts";
import { Recorder } from "../../../bindings/js/recorder.ts";
import { textOf } from "../../../cluster/values/text.ts";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { type EngineModule, loadEngineModule } from "../../../host-node/engine-module.ts";
import {
  type Answer,
  type OfflineConfiguration,
  OfflineEngine,
  problemOf,
} from "../../../cluster/observed/offline-engine.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

const NOW_MS = Date.UTC(2026, 0, 1);
const NOW = "2026-01-01T00:00:00Z";
const UID_LABEL = "batch.kubernetes.io/controller-uid";
const FINALIZER = "batch.kubernetes.io/job-tracking";

let module: EngineModule;
beforeAll(async () => {
  await buildModule("engine");
  module = await loadEngineModule();
});

function engine(configuration: Partial<OfflineConfiguration> = {}): OfflineEngine {
  return new OfflineEngine(module, { instance: "test", removesFinished: false, ...configuration });
}

/** A Job that has started and wants two pods. */
function job(namespace = "default"): KubeObject {
  const labels = { [UID_LABEL]: "job", "batch.kubernetes.io/job-name": "pi" };
  return {
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "pi", namespace, uid: "job", generation: 1, creationTimestamp: NOW, resourceVersion: "5" },
    spec: {
      parallelism: 2,
      completions: 2,
      backoffLimit: 6,
      completionMode: "NonIndexed",
      suspend: false,
      selector: { matchLabels: { [UID_LABEL]: "job" } },
      template: {
        metadata: { labels },
        spec: { restartPolicy: "Never", containers: [{ name: "main", image: "app" }] },
      },
    },
    status: { startTime: NOW, active: 0, ready: 0, terminating: 0, uncountedTerminatedPods: {} },
  } as unknown as KubeObject;
}

function pod(name: string): KubeObject {
  return {
    metadata: {
      name,
      namespace: "default",
      uid: name,
      creationTimestamp: NOW,
      resourceVersion: "6",
      labels: { [UID_LABEL]: "job" },
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "pi", uid: "job", controller: true }],
      finalizers: [FINALIZER],
    },
    spec: { nodeName: "node" },
    status: { phase: "Running", conditions: [{ type: "Ready", status: "True" }] },
  } as unknown as KubeObject;
}

/** Says yes to every write, as an API server. */
function taking(): { readonly asked: string[]; readonly answer: (request: EngineRequest) => Answer } {
  const asked: string[] = [];
  let version = 100;
  const answer = ({ method, path, body }: EngineRequest): Answer => {
    asked.push(`${method} ${path.split("?")[0]}`);
    const sent = JSON.parse(textOf(body)) as KubeObject;
    const resourceVersion = String(++version);
    const named = { name: `made-${version}`, uid: `made-${version}`, namespace: "default", creationTimestamp: NOW };
    if (method === "POST")
      return { status: 201, object: { ...sent, metadata: { ...named, ...sent.metadata, ...named, resourceVersion } } };
    const patched = job();
    return {
      status: 200,
      object: { ...patched, metadata: { ...patched.metadata, resourceVersion }, status: sent["status"] },
    };
  };
  return { asked, answer };
}

describe("what the engine would do", () => {
  test("is run to its end for a moment, with the answers of the caller", () => {
    const asking = engine();
    asking.list("jobs", [job()], NOW_MS, "9");
    asking.list("pods", [pod("first")], NOW_MS, "9");
    const { asked, answer } = taking();
    const { decisions } = asking.run(NOW_MS, answer);
    expect(asked.filter((request) => request.endsWith("/pods"))).toEqual(["POST /api/v1/namespaces/default/pods"]);
    expect(decisions.map(({ code }) => code)).toContain("Creating");
    expect(asking.poll(NOW_MS).requests).toEqual([]);
  });

  test("names the next moment; Infinity: nothing but an event", () => {
    const idle = engine();
    idle.list("jobs", [], NOW_MS, "9");
    idle.list("pods", [], NOW_MS, "9");
    expect(idle.run(NOW_MS, taking().answer)).toEqual({ decisions: [], nextMs: Infinity });

    const deadline = job();
    (deadline["spec"] as Record<string, unknown>)["activeDeadlineSeconds"] = 60;
    const asking = engine();
    asking.list("jobs", [deadline], NOW_MS, "9");
    asking.list("pods", [pod("a"), pod("b")], NOW_MS, "9");
    asking.run(NOW_MS, taking().answer);
    expect(asking.run(NOW_MS + 5_000, taking().answer).nextMs).toBe(NOW_MS + 60_000);
  });

  test("stays undone in an explanation, which hands out no request", () => {
    const asking = engine();
    asking.list("jobs", [job()], NOW_MS, "9");
    asking.list("pods", [], NOW_MS, "9");
    asking.decide(NOW_MS);
    expect(asking.explain("default", "pi", NOW_MS)).toMatchObject({ found: true, code: "Creating" });
    // The requests wait for a poll.
    expect(asking.poll(NOW_MS).requests.length).toBeGreaterThan(0);
  });

  test("is found out again when a request was refused", () => {
    const asking = engine();
    asking.list("jobs", [job()], NOW_MS, "9");
    asking.list("pods", [], NOW_MS, "9");
    const { nextMs } = asking.run(NOW_MS, () => ({ status: 403 }));
    expect(nextMs).toBeGreaterThan(NOW_MS);
    expect(nextMs).toBeLessThan(Infinity);
  });
});

describe("what the engine knows", () => {
  test("is a list when it has ended", () => {
    const asking = engine();
    asking.list("jobs", [job()], NOW_MS, "9");
    asking.beginList("pods", NOW_MS);
    asking.page(
      "pods",
      JSON.stringify({ kind: "PodList", apiVersion: "v1", metadata: { resourceVersion: "5" }, items: [] }),
      NOW_MS,
    );
    expect(asking.explain("default", "pi", NOW_MS).code).toBe("NotListed");
  });

  test("is an event of a watch", () => {
    const asking = engine();
    asking.list("jobs", [job()], NOW_MS, "9");
    asking.list("pods", [], NOW_MS, "9");
    asking.change("jobs", "DELETED", { ...job(), metadata: { ...job().metadata, resourceVersion: "7" } }, NOW_MS);
    expect(asking.explain("default", "pi", NOW_MS).found).toBe(false);
  });

  test("comes as the server sent it: the text of an item is not written again", () => {
    const lines: string[] = [];
    const recorder = new Recorder({ write: (line) => lines.push(line), sha256: () => "0".repeat(64) });
    const recorded = new OfflineEngine(module, { instance: "test", namespace: "default" }, recorder);
    const text = JSON.stringify(job()).replace(`"uid"`, `"later": 1e2, "uid"`);
    recorded.list("jobs", [text, JSON.parse(text)], NOW_MS, "9");
    const calls = lines.map((line) => JSON.parse(line) as Record<string, any>);
    expect(calls.find(({ call }) => call === "configure")!["configuration"]).toEqual({
      instance: "test",
      sources: [
        { id: 1, resource: "jobs", namespace: "default" },
        { id: 2, resource: "pods", namespace: "default" },
      ],
    });
    expect(calls.map(({ text }) => text as string | undefined).filter(Boolean)).toEqual([
      `{"kind":"JobList","apiVersion":"batch/v1","metadata":{"resourceVersion":"9"},"items":[${text},${JSON.stringify(JSON.parse(text))}]}`,
    ]);
  });
});

describe("what the engine refuses", () => {
  test("is a sentence for the caller", () => {
    const asking = engine();
    expect(problemOf(() => asking.list("jobs", [job()], NOW_MS, "9"))).toBeUndefined();
    expect(problemOf(() => asking.list("pods", ["{"], NOW_MS, "9"))).toMatch(/\w/);
    expect(problemOf(() => engine({ managedBy: "no domain" }))).toContain("managedBy");
  });

  test("is not mixed up with other errors", () => {
    expect(() =>
      problemOf(() => {
        throw new RangeError("of the caller");
      }),
    ).toThrow("of the caller");
  });
});
