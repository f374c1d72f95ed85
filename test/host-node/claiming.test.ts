/**
 * Claiming from end to end, on the in-memory cluster with its garbage collector: pods outlive a Job that is deleted
 * with orphan propagation, a new Job takes them over, and a pod that loses its label is let go. What each request must
 * be is in test/vectors/engine/claiming.json.
 */
import { beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { Method } from "../../bindings/js/host.ts";
import type { Json, JsonObject } from "../../cluster/values/types.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { SimulatedRuntime } from "../../cluster/kubelet/simulated-runtime.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { buildModule } from "../../scripts/build-engine.ts";

const JOBS = "/apis/batch/v1/namespaces/default/jobs";
const PODS = "/api/v1/namespaces/default/pods";
const FINALIZER = "batch.kubernetes.io/job-tracking";

let clock: VirtualClock;
let embedded: EmbeddedCluster;

function send(method: Method, path: string, body?: Json, contentType = "application/json"): JsonObject {
  const request = body === undefined ? {} : { body: JSON.stringify(body) };
  const response = embedded.cluster.handle({ method, path, headers: { "content-type": contentType }, ...request });
  if (!("body" in response)) throw new Error(`${method} ${path} is a stream`);
  const answer = JSON.parse(response.body as string) as JsonObject;
  if (response.status >= 300) throw new Error(`${method} ${path}: ${String(answer["message"])}`);
  return answer;
}

async function pass(ms: number): Promise<void> {
  for (let passed = 0; passed < ms; passed += 1000) {
    clock.advance(1000);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

function jobOf(name: string, spec: JsonObject, labels: JsonObject = {}): JsonObject {
  const annotations = { "stint.dev/simulate": JSON.stringify({ runMs: 60_000 }) };
  const template = {
    metadata: { labels, annotations },
    spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] },
  };
  return { apiVersion: "batch/v1", kind: "Job", metadata: { name }, spec: { ...spec, template } };
}

function metadataOf(pod: JsonObject): JsonObject {
  return pod["metadata"] as JsonObject;
}

/** Each pod as `name of owner` with a star for the finalizer, in the order of names. */
function pods(): string[] {
  const items = send("GET", PODS)["items"] as JsonObject[];
  return items.map(metadataOf).map(({ name, ownerReferences, finalizers }) => {
    const owners = ((ownerReferences ?? []) as JsonObject[]).map((owner) => owner["name"]);
    const star = ((finalizers ?? []) as string[]).includes(FINALIZER) ? "*" : "";
    return `${String(name)} of ${owners.join() || "no Job"}${star}`;
  });
}

function statusOf(name: string): JsonObject {
  return send("GET", `${JOBS}/${name}`)["status"] as JsonObject;
}

beforeAll(async () => {
  await buildModule("engine");
});

beforeEach(async () => {
  clock = new VirtualClock(Date.UTC(2026, 0, 1));
  const runtime = new SimulatedRuntime({ clock, random: () => 0.5 });
  embedded = await EmbeddedCluster.create({
    clock,
    nodes: [{ nodeName: "n", runtime }],
    onProblem: expect.fail,
    onFatal: (error) => {
      throw error;
    },
  });
  embedded.start();
  await pass(1000);
  return () => embedded.stop();
});

describe("claiming", () => {
  it("a Job is deleted with its pods left running, and another one takes them over", async () => {
    send("POST", JOBS, jobOf("old", { parallelism: 2, completions: 2 }));
    await pass(5000);
    const uid = metadataOf(send("GET", `${JOBS}/old`))["uid"] as string;
    const names = pods().map((pod) => pod.split(" ")[0]!);
    expect(pods()).toEqual(names.map((name) => `${name} of old*`));

    send("DELETE", `${JOBS}/old`, { propagationPolicy: "Orphan" });
    await pass(5000);
    expect(() => send("GET", `${JOBS}/old`)).toThrow("not found");
    expect(pods()).toEqual(names.map((name) => `${name} of no Job`));

    const label = { "batch.kubernetes.io/controller-uid": uid };
    send(
      "POST",
      JOBS,
      jobOf("new", { parallelism: 2, completions: 2, manualSelector: true, selector: { matchLabels: label } }, label),
    );
    await pass(5000);
    expect(pods()).toEqual(names.map((name) => `${name} of new*`));
    expect(statusOf("new")).toMatchObject({ active: 2, ready: 2 });

    await pass(60_000);
    expect(statusOf("new")).toMatchObject({
      succeeded: 2,
      conditions: [{ type: "SuccessCriteriaMet" }, { type: "Complete" }],
    });
    expect(pods()).toEqual(names.map((name) => `${name} of new`));
  });

  it("a pod loses its label: it is let go and replaced; it gets the label back: one of the two goes", async () => {
    send("POST", JOBS, jobOf("j", { parallelism: 1, completions: 1 }));
    await pass(5000);
    const [name] = pods().map((pod) => pod.split(" ")[0]!);
    const uid = metadataOf(send("GET", `${JOBS}/j`))["uid"] as string;
    const setLabel = (value: string | null): JsonObject =>
      send(
        "PATCH",
        `${PODS}/${name}`,
        { metadata: { labels: { "batch.kubernetes.io/controller-uid": value } } },
        "application/merge-patch+json",
      );

    setLabel(null);
    await pass(5000);
    expect(pods()).toHaveLength(2);
    expect(pods()).toContain(`${name} of no Job`);
    expect(statusOf("j")).toMatchObject({ active: 1 });

    setLabel(uid);
    await pass(60_000);
    expect(statusOf("j")).toMatchObject({
      succeeded: 1,
      conditions: [{ type: "SuccessCriteriaMet" }, { type: "Complete" }],
    });
    expect(statusOf("j")).not.toHaveProperty("failed");
    expect(pods().filter((pod) => pod.endsWith("*"))).toEqual([]);
  });
});
