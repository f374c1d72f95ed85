/** The scheduler's pure rules: what a pod asks for, and which nodes it may run on. */
import { describe, expect, test } from "vitest";
import { mismatch, placementOf } from "../../../cluster/scheduler/node-match.ts";
import { type PodDemand, podRequests } from "../../../cluster/values/resource-amounts.ts";

describe("podRequests", () => {
  const container = (cpu: string, more: object = {}) => ({ resources: { requests: { cpu } }, ...more });
  const sidecar = (cpu: string) => container(cpu, { restartPolicy: "Always" });
  test.each([
    ["containers add up", { containers: [container("1"), container("500m")] }, 1500],
    [
      "a big init container counts by its maximum",
      { containers: [container("1")], initContainers: [container("3"), container("2")] },
      3000,
    ],
    ["a small one not at all", { containers: [container("1")], initContainers: [container("500m")] }, 1000],
    ["sidecars add", { containers: [container("1")], initContainers: [sidecar("500m")] }, 1500],
    [
      "an init container counts with the sidecars before it",
      { containers: [container("1")], initContainers: [sidecar("1"), container("2"), sidecar("500m")] },
      3000,
    ],
    [
      "overhead comes on top",
      { containers: [container("1")], initContainers: [container("3")], overhead: { cpu: "250m" } },
      3250,
    ],
    ["pod-level requests stand in", { containers: [container("1")], resources: { requests: { cpu: "4" } } }, 4000],
    ["none", { containers: [{}] }, undefined],
  ])("%s", (_name, spec, milliCpu) => {
    expect(podRequests(spec as PodDemand).get("cpu")).toBe(milliCpu);
    expect(podRequests(spec as PodDemand).get("pods")).toBe(1000);
  });
});

describe("mismatch", () => {
  const node = { name: "n1", labels: { zone: "a", size: "10", "": "" }, taints: [], unschedulable: false };
  const affinity = (...nodeSelectorTerms: object[]) => ({
    affinity: { nodeAffinity: { requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms } } },
  });
  const expression = (key: string, operator: string, ...values: string[]) => ({
    matchExpressions: [{ key, operator, values }],
  });
  const selectors: [spec: object, fits: boolean][] = [
    [{}, true],
    [{ nodeSelector: { zone: "a" } }, true],
    [{ nodeSelector: { zone: "a", other: "x" } }, false],
    [affinity(expression("zone", "In", "a", "b")), true],
    [affinity(expression("zone", "In", "b")), false],
    [affinity(expression("absent", "NotIn", "b")), true],
    [affinity(expression("zone", "NotIn", "a")), false],
    [affinity(expression("zone", "Exists")), true],
    [affinity(expression("zone", "DoesNotExist")), false],
    [affinity(expression("size", "Gt", "9")), true],
    [affinity(expression("size", "Gt", "10")), false],
    [affinity(expression("size", "Lt", "11")), true],
    [affinity(expression("zone", "Gt", "1")), false],
    [affinity(expression("zone", "In", "b"), expression("size", "Exists")), true],
    [
      affinity({
        matchExpressions: [
          expression("zone", "Exists").matchExpressions[0],
          expression("zone", "In", "b").matchExpressions[0],
        ],
      }),
      false,
    ],
    [affinity({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n1"] }] }), true],
    [affinity({ matchFields: [{ key: "metadata.name", operator: "In", values: ["n2"] }] }), false],
    [affinity({}), false],
  ];
  test.each(selectors)("%j: %s", (spec, fits) => {
    expect(mismatch(placementOf(spec), node)).toBe(
      fits ? undefined : "node(s) didn't match Pod's node affinity/selector",
    );
  });

  const taint = { key: "k", value: "5", effect: "NoSchedule" };
  const taints: [toleration: object | undefined, effect: string, fits: boolean][] = [
    [undefined, "NoSchedule", false],
    [undefined, "NoExecute", false],
    [undefined, "PreferNoSchedule", true],
    [{ key: "k", value: "5" }, "NoSchedule", true],
    [{ key: "k", operator: "Equal", value: "6" }, "NoSchedule", false],
    [{ key: "k", operator: "Exists" }, "NoSchedule", true],
    [{ key: "k", operator: "Exists", effect: "NoExecute" }, "NoSchedule", false],
    [{ operator: "Exists" }, "NoExecute", true],
    [{ key: "k", operator: "Gt", value: "4" }, "NoSchedule", true],
    [{ key: "k", operator: "Lt", value: "4" }, "NoSchedule", false],
  ];
  test.each(taints)("toleration %j of %s: %s", (toleration, effect, fits) => {
    const spec = toleration === undefined ? {} : { tolerations: [toleration] };
    expect(mismatch(placementOf(spec), { ...node, taints: [{ ...taint, effect }] })).toBe(
      fits ? undefined : "node(s) had untolerated taint {k: 5}",
    );
  });

  test("a cordoned node takes those that tolerate it", () => {
    const cordoned = { ...node, unschedulable: true };
    expect(mismatch(placementOf({}), cordoned)).toBe("node(s) were unschedulable");
    expect(
      mismatch(
        placementOf({ tolerations: [{ key: "node.kubernetes.io/unschedulable", operator: "Exists" }] }),
        cordoned,
      ),
    ).toBeUndefined();
  });
});
