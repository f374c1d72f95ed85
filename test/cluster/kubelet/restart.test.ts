/** Which containers restart (docs/spec/api.md 5.4) and when (5.6). */
import { describe, expect, test } from "vitest";
import { CrashLoopBackoff } from "../../../cluster/kubelet/crash-loop-backoff.ts";
import type { ContainerKind } from "../../../cluster/kubelet/container-status.ts";
import { restartDecision } from "../../../cluster/kubelet/restart-policy.ts";
import { goDuration } from "../../../cluster/values/kube-time.ts";

describe("restartDecision", () => {
  const rules = [
    { action: "Restart", exitCodes: { operator: "In", values: [42] } },
    { action: "RestartAllContainers", exitCodes: { operator: "NotIn", values: [0, 1, 42] } },
  ];
  const cases: [podPolicy: string, container: object, kind: ContainerKind, exitCode: number, expected: string][] = [
    ["Never", {}, "main", 0, "No"],
    ["Never", {}, "main", 1, "No"],
    ["OnFailure", {}, "main", 0, "No"],
    ["OnFailure", {}, "main", 1, "Restart"],
    ["Always", {}, "main", 0, "Restart"],
    ["Always", {}, "init", 0, "No"],
    ["Always", {}, "init", 1, "Restart"],
    ["Never", {}, "init", 1, "No"],
    ["Never", { restartPolicy: "Always" }, "sidecar", 0, "Restart"],
    ["Never", { restartPolicy: "OnFailure" }, "main", 1, "Restart"],
    ["Always", { restartPolicy: "Never" }, "main", 1, "No"],
    ["Never", { restartPolicy: "Never", restartPolicyRules: rules }, "main", 42, "Restart"],
    ["Never", { restartPolicy: "Never", restartPolicyRules: rules }, "main", 1, "No"],
    ["Never", { restartPolicy: "Never", restartPolicyRules: rules }, "main", 7, "RestartAllContainers"],
  ];
  test.each(cases)("pod %s, container %j, %s, exit %i: %s", (podPolicy, container, kind, exitCode, expected) => {
    expect(restartDecision({ restartPolicy: podPolicy }, container, kind, exitCode)).toBe(expected);
  });
});

describe("CrashLoopBackoff", () => {
  /** Delays of a container that always ends `runMs` after it started. */
  function delays(runMs: number, restarts: number): number[] {
    const backoff = new CrashLoopBackoff();
    let now = 0;
    return Array.from({ length: restarts }, () => {
      const endedAt = now + runMs;
      const delay = backoff.delayAfterMs(endedAt);
      now = endedAt + delay;
      backoff.restarted(endedAt, now);
      return delay / 1000;
    });
  }

  test("the first restart is immediate, then 10 s doubling to 300 s", () => {
    expect(delays(100, 9)).toEqual([0, 10, 20, 40, 80, 160, 300, 300, 300]);
  });

  test("a run of more than 600 s begins again, one of 600 s does not", () => {
    expect(delays(600_001, 4)).toEqual([0, 0, 0, 0]);
    expect(delays(600_000, 4)).toEqual([0, 10, 20, 40]);
  });

  test("durations print as Go does", () => {
    expect([10, 20, 40, 80, 160, 300, 3600].map((seconds) => goDuration(seconds * 1000))).toEqual([
      "10s",
      "20s",
      "40s",
      "1m20s",
      "2m40s",
      "5m0s",
      "1h0m0s",
    ]);
  });
});
