/** Who runs a Job, as far as the Job itself says. */
import { describe, expect, it } from "vitest";
import type { Explanation } from "../../../../bindings/js/engine.ts";
import type { Job, JobStatus } from "../../../../cluster/values/kinds.ts";
import { whoRuns } from "../../../../host-node/cli/why/answer.ts";

const NOW_MS = Date.UTC(2026, 0, 2, 10, 2, 30);
const running = {
  namespace: "default",
  job: "pi",
  found: true,
  state: "Running",
  sentence: "",
  nextMs: null,
  decisions: [],
} satisfies Explanation;
const ended = { ...running, state: "Complete" };

interface Parts {
  readonly ageMs?: number;
  readonly managedBy?: string;
  readonly status?: JobStatus;
  /** Of the status, each with how long ago that was. */
  readonly writers?: readonly (readonly [name: string, agoMs: number])[];
}

function job({ ageMs = 300_000, managedBy, status = {}, writers = [] }: Parts): Job {
  const timeText = (agoMs: number): string => new Date(NOW_MS - agoMs).toISOString();
  const managedFields = [
    { manager: "kubectl-create", time: timeText(ageMs) },
    ...writers.map(([manager, agoMs]) => ({ manager, subresource: "status", time: timeText(agoMs) })),
  ];
  return {
    metadata: { name: "pi", uid: "u", resourceVersion: "1", creationTimestamp: timeText(ageMs), managedFields },
    spec: { template: { metadata: {}, spec: { containers: [] } }, ...(managedBy !== undefined && { managedBy }) },
    status,
  };
}

describe("whoRuns", () => {
  it("names the last writer of the status", () => {
    const writers = [
      ["kube-controller-manager", 12_000],
      ["kubectl-edit", 60_000],
    ] as const;
    expect(whoRuns(job({ status: { active: 1 }, writers }), running, NOW_MS)).toBe(
      "run by the built-in controller; kube-controller-manager wrote its status 12 s ago",
    );
    expect(
      whoRuns(job({ managedBy: "kubernetes.io/job-controller", status: { active: 1 }, writers }), ended, NOW_MS),
    ).toBe("was run by the built-in controller; kube-controller-manager wrote its status 12 s ago");
    expect(whoRuns(job({ status: { active: 1 }, writers: [...writers, ["stint", 1000]] }), running, NOW_MS)).toBe(
      "run in place of the built-in controller: stint wrote its status 1 s ago",
    );
  });

  it("says when a Job's status was never written, and for how long", () => {
    expect(whoRuns(job({ ageMs: 3000 }), running, NOW_MS)).toBe(
      "the built-in controller is to run it, and has not looked at it yet",
    );
    expect(whoRuns(job({}), running, NOW_MS)).toBe(
      "no controller runs it: its status is empty, 5 min after it was created, and the built-in controller is to run it; does kube-controller-manager run?",
    );
  });

  it("does not claim to know other managers", () => {
    const managedBy = "example.com/queue";
    expect(whoRuns(job({ managedBy }), running, NOW_MS)).toBe(
      "spec.managedBy says example.com/queue: whether that controller runs is not known here; its status is empty, 5 min after it was created",
    );
    expect(whoRuns(job({ managedBy, status: { active: 1 }, writers: [["queue", 2000]] }), running, NOW_MS)).toBe(
      "spec.managedBy says example.com/queue: whether that controller runs is not known here; queue wrote its status 2 s ago",
    );
  });

  it("gets on without managed fields", () => {
    const { managedFields: _, ...metadata } = job({}).metadata;
    expect(whoRuns({ ...job({ status: { active: 1 } }), metadata }, running, NOW_MS)).toBe(
      "run by the built-in controller",
    );
  });
});
