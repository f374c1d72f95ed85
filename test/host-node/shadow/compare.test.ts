/** What counts as the same status, and as a pod that was created as it was wanted. */
import { describe, expect, it } from "vitest";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { compareStatuses, missingField } from "../../../host-node/shadow/compare.ts";

const TOLERANCE_MS = 10_000;
const at = (second: number): string => `2026-01-01T00:00:${String(second).padStart(2, "0")}Z`;
const compare = (builtIn: object | undefined, stint: object | undefined): unknown =>
  compareStatuses(builtIn, stint, TOLERANCE_MS).map(({ field, kind }) => [field, kind]);

describe("two statuses", () => {
  it.each<readonly [string, object | undefined, object | undefined]>([
    ["nothing and zeros", undefined, { active: 0, ready: 0, uncountedTerminatedPods: { failed: [] } }],
    [
      "UIDs in another order",
      { uncountedTerminatedPods: { failed: ["a", "b"] } },
      { uncountedTerminatedPods: { failed: ["b", "a"] } },
    ],
    ["times within the tolerance", { startTime: at(0) }, { startTime: at(10) }],
    [
      "conditions in another order",
      { conditions: [{ type: "A" }, { type: "B" }] },
      { conditions: [{ type: "B" }, { type: "A" }] },
    ],
  ])("are the same: %s", (_what, builtIn, stint) => {
    expect(compare(builtIn, stint)).toEqual([]);
  });

  it("are the same where the message of a policy names another pod that it matches", () => {
    const ended = (message: string): object => ({ conditions: [{ type: "FailureTarget", message }] });
    const [one, other] = ["a", "b"].map((pod) =>
      ended(`Container main for pod team/${pod} failed with exit code 2 matching FailJob rule at index 1`),
    );
    expect(compare(one, other)).toEqual([]);
    expect(compare(one, ended("Job was active longer than specified deadline"))).toEqual([
      ["status.conditions[FailureTarget].message", "end"],
    ]);
  });

  it.each<readonly [string, object, object, readonly unknown[]]>([
    ["a counter", { failed: 2 }, { failed: 1 }, [["status.failed", "status"]]],
    ["indexes", { completedIndexes: "0" }, {}, [["status.completedIndexes", "status"]]],
    ["a UID", { uncountedTerminatedPods: { failed: ["a"] } }, {}, [["status.uncountedTerminatedPods", "status"]]],
    ["a time beyond the tolerance", { startTime: at(0) }, { startTime: at(11) }, [["status.startTime", "timing"]]],
    ["a time that is not there", { startTime: at(0) }, {}, [["status.startTime", "status"]]],
    [
      "a condition that is not there",
      { conditions: [{ type: "Suspended" }] },
      {},
      [["status.conditions[Suspended]", "condition"]],
    ],
    [
      "the reason of an end",
      { conditions: [{ type: "Failed", reason: "a" }] },
      { conditions: [{ type: "Failed", reason: "b" }] },
      [["status.conditions[Failed].reason", "end"]],
    ],
  ])("differ in %s", (_what, builtIn, stint, found) => {
    expect(compare(builtIn, stint)).toEqual(found);
  });
});

describe("a pod", () => {
  const pod = (labels: object, containers: readonly object[]): KubeObject =>
    ({ metadata: { generateName: "pi-", labels }, spec: { containers } }) as unknown as KubeObject;
  const wanted = pod({ app: "pi" }, [{ name: "a", image: "i" }]);

  it("may have more than was wanted: members, and members of lists", () => {
    expect(
      missingField(pod({ app: "pi", more: "x" }, [{ name: "sidecar" }, { name: "a", image: "i", env: [] }]), wanted),
    ).toBeUndefined();
  });

  it.each([
    ["a label", pod({}, [{ name: "a", image: "i" }]), "metadata.labels.app"],
    ["a container", pod({ app: "pi" }, []), "spec.containers[0]"],
    ["an image", pod({ app: "pi" }, [{ name: "a", image: "other" }]), "spec.containers[0]"],
  ])("may not lack %s", (_what, created, field) => {
    expect(missingField(created, wanted)).toBe(field);
  });
});
