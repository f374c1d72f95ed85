/**
 * Budgets for disruptions, and evictions within them. The statuses, events and answers are upstream's
 * (test/kubernetes/disruption.test.ts compares them on a real API server).
 */
import { beforeEach, describe, expect, test } from "vitest";
import { builtInPlugins } from "../../../../cluster/apiserver/admission-plugins/built-in.ts";
import { chain } from "../../../../cluster/apiserver/admission-plugins/chain.ts";
import { disruptionController } from "../../../../cluster/controllers/disruption-controller/disruption-controller.ts";
import { failure, Harness } from "../../component-harness.ts";

const PODS = "/api/v1/namespaces/default/pods";
const BUDGETS = "/apis/policy/v1/namespaces/default/poddisruptionbudgets";
const MERGE = "application/merge-patch+json";

let h: Harness;
beforeEach(() => {
  h = new Harness({ plugins: chain(builtInPlugins) });
  const { clock, random, transport } = h;
  disruptionController({ clock, random, transport }).start();
  settle();
});

const settle = (): void => h.clock.advance(100);
const status = (name = "b"): any => h.api("GET", `${BUDGETS}/${name}`).status;

function pods(count: number, ready = "True", owner?: object): void {
  for (let index = 0; index < count; index++) {
    h.createPod(`p-${index}`, {}, { labels: { app: "a" }, ...(owner && { ownerReferences: [owner] }) });
    const conditions = [{ type: "Ready", status: ready }];
    h.api("PATCH", `${PODS}/p-${index}/status`, { status: { phase: "Running", conditions } }, MERGE);
  }
}

function budget(spec: object, name = "b"): void {
  h.api("POST", BUDGETS, { metadata: { name }, spec: { selector: { matchLabels: { app: "a" } }, ...spec } });
  settle();
}

function evict(name: string, deleteOptions: object = {}): { status: number; causes?: { message: string }[] } {
  const body = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name }, deleteOptions };
  const answer = h.answer("POST", `${PODS}/${name}/eviction`, body);
  return { status: answer.status, causes: JSON.parse(answer.body).details?.causes };
}

describe("the status", () => {
  test("has what is there, what is wanted, and what may go", () => {
    pods(3);
    budget({ minAvailable: 2 });
    expect(status()).toMatchObject({
      observedGeneration: 1,
      disruptionsAllowed: 1,
      currentHealthy: 3,
      desiredHealthy: 2,
      expectedPods: 3,
      conditions: [{ type: "DisruptionAllowed", status: "True", reason: "SufficientPods", message: "" }],
    });
  });

  test.each([
    [{ maxUnavailable: "30%" }, { desiredHealthy: 2, expectedPods: 4, disruptionsAllowed: 1 }],
    [{ minAvailable: "30%" }, { desiredHealthy: 2, expectedPods: 4, disruptionsAllowed: 1 }],
    [{ maxUnavailable: 9 }, { desiredHealthy: 0, expectedPods: 4, disruptionsAllowed: 3 }],
  ])("%j is a share of the desired pods of the controller", (spec, numbers) => {
    const { uid } = h.api("POST", "/apis/apps/v1/namespaces/default/replicasets", {
      metadata: { name: "set" },
      spec: {
        replicas: 4,
        selector: { matchLabels: { app: "set" } },
        template: { metadata: { labels: { app: "set" } }, spec: { containers: [{ name: "main", image: "busybox" }] } },
      },
    }).metadata;
    pods(3, "True", { apiVersion: "apps/v1", kind: "ReplicaSet", name: "set", uid, controller: true });
    budget(spec);
    expect(status()).toMatchObject(numbers);
  });

  test("follows the pods", () => {
    pods(2);
    budget({ minAvailable: 2 });
    expect(status()).toMatchObject({ currentHealthy: 2, disruptionsAllowed: 0 });
    h.api("PATCH", `${PODS}/p-0/status`, { status: { conditions: [{ type: "Ready", status: "False" }] } }, MERGE);
    settle();
    expect(status()).toMatchObject({ currentHealthy: 1, disruptionsAllowed: 0 });
  });

  test("of a share of pods with an unknown controller says so", () => {
    pods(1, "True", { apiVersion: "batch/v1", kind: "Job", name: "j", uid: "u", controller: true });
    budget({ maxUnavailable: "50%" });
    expect(status().conditions[0]).toMatchObject({
      status: "False",
      reason: "SyncFailed",
      message: 'found no controllers for pod "p-0"',
    });
    expect(h.events("b").join()).toContain(
      'Warning CalculateExpectedPodCountFailed: Failed to calculate the number of expected pods: found no controllers for pod "p-0"',
    );
    expect(evict("p-0").status).toBe(429);
  });

  test("is written when the server fails at first", () => {
    h.fault = ({ method }) => (method === "PUT" ? failure(500, "InternalError") : undefined);
    pods(1);
    budget({ minAvailable: 1 });
    expect(status().observedGeneration).toBeUndefined();
    h.fault = () => undefined;
    h.clock.advance(60_000);
    expect(status()).toMatchObject({ observedGeneration: 1, currentHealthy: 1 });
  });
});

describe("an eviction", () => {
  test("uses up the budget, and is refused when there is none left", () => {
    pods(3);
    budget({ minAvailable: 2 });
    expect(evict("p-0", { dryRun: ["All"] }).status).toBe(201);
    expect(status().disruptionsAllowed).toBe(1);
    expect(evict("p-0").status).toBe(201);
    expect(evict("p-1").status).toBe(429);
    settle();
    expect(evict("p-1")).toEqual({
      status: 429,
      causes: [
        { reason: "DisruptionBudget", message: "The disruption budget b needs 2 healthy pods and has 2 currently" },
      ],
    });
  });

  test("that did not come about counts again after two minutes", () => {
    pods(1);
    budget({ minAvailable: 0 });
    const { metadata, status: before } = h.api("GET", `${BUDGETS}/b`);
    const time = new Date(h.clock.now()).toISOString().replace(/\.\d+/, "");
    h.api("PUT", `${BUDGETS}/b/status`, { metadata, spec: {}, status: { ...before, disruptedPods: { "p-0": time } } });
    settle();
    expect(status().currentHealthy).toBe(0);
    h.clock.advance(121_000);
    expect(status()).toMatchObject({ currentHealthy: 1 });
    expect(status().disruptedPods).toBeUndefined();
  });

  test("of a pod with two budgets is refused", () => {
    pods(1);
    budget({ minAvailable: 0 });
    budget({ minAvailable: 0 }, "b2");
    expect(evict("p-0").status).toBe(500);
  });

  test("takes no pod that is not ready from a budget in need, unless its policy says so", () => {
    pods(1, "False");
    budget({ minAvailable: 1 });
    expect(evict("p-0").status).toBe(429);
    h.api("PATCH", `${BUDGETS}/b`, { spec: { unhealthyPodEvictionPolicy: "AlwaysAllow" } }, MERGE);
    expect(evict("p-0").status).toBe(201);
  });

  test("waits for the controller to look at a new budget", () => {
    pods(1);
    h.api("POST", BUDGETS, { metadata: { name: "b" }, spec: { minAvailable: 0, selector: {} } });
    expect(evict("p-0").causes?.[0]?.message).toBe("The disruption budget b is still being processed by the server.");
  });
});
