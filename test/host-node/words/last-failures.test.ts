/** The last failure of each Job of a run: which one it is, and which lines go with it. */
import { describe, expect, it } from "vitest";
import type { Job, Pod } from "../../../cluster/values/kinds.ts";
import { LastFailures, SHOWN_LOG_LINES } from "../../../host-node/words/last-failures.ts";
import { jobView } from "../../../host-node/words/job-view.ts";

const of = (failures: LastFailures, name = "j") =>
  failures.of(
    jobView({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { namespace: "default", name, uid: name },
      spec: {},
    } as unknown as Job),
  );

interface PodParts {
  readonly job?: string;
  readonly status: object;
  readonly deleted?: boolean;
}

function pod(name: string, { job = "j", status, deleted = false }: PodParts): Pod {
  const metadata = {
    namespace: "default",
    name,
    uid: `uid-${name}`,
    ownerReferences: [{ kind: "Job", name: job, controller: true }],
    ...(deleted ? { deletionTimestamp: "2026-01-01T00:00:00Z" } : {}),
  };
  return { apiVersion: "v1", kind: "Pod", metadata, spec: {}, status } as unknown as Pod;
}

const terminated = (exitCode: number): object => ({ terminated: { exitCode, reason: "Error" } });
const failed = (exitCode = 1): object => ({
  phase: "Failed",
  containerStatuses: [{ name: "main", restartCount: 0, state: terminated(exitCode) }],
});
const waiting = { waiting: { reason: "CrashLoopBackOff" } };
const running = { running: {} };
/** As a kubelet has it: restartCount is the number of the latest attempt that began. */
const restarting = (restartCount: number, state: object, exitCode: number): object => ({
  phase: "Running",
  containerStatuses: [{ name: "main", restartCount, state, lastState: terminated(exitCode) }],
});

describe("LastFailures", () => {
  it("names the pod that failed last, with its last lines, whatever changes in earlier ones", () => {
    const failures = new LastFailures();
    for (let i = 0; i < SHOWN_LOG_LINES + 3; i++) failures.line("uid-a", "main", 0, `a${i}`);
    failures.line("uid-b", "main", 0, "b");
    failures.pod(pod("a", { status: failed() }));
    expect(of(failures)).toEqual({
      pod: "a",
      failure: "container main: exit code 1 (Error)",
      log: Array.from({ length: SHOWN_LOG_LINES }, (_, i) => `a${i + 3}`),
    });
    failures.pod(pod("b", { status: failed(3) }));
    failures.pod(pod("a", { status: failed() }));
    expect(of(failures)).toEqual({ pod: "b", failure: "container main: exit code 3 (Error)", log: ["b"] });
  });

  it("has of a container that restarts the lines of the attempt that failed", () => {
    const failures = new LastFailures();
    failures.line("uid-a", "main", 0, "first");
    failures.line("uid-a", "main", 1, "second");
    failures.pod(pod("a", { status: restarting(0, waiting, 1) }));
    expect(of(failures)).toMatchObject({ failure: "container main: exit code 1 (Error)", log: ["first"] });
    failures.pod(pod("a", { status: restarting(1, running, 1) }));
    expect(of(failures)).toMatchObject({ failure: "container main: exit code 1 (Error)", log: ["first"] });
    failures.pod(pod("a", { status: restarting(1, waiting, 2) }));
    expect(of(failures)).toMatchObject({ failure: "container main: exit code 2 (Error)", log: ["second"] });
  });

  it("has of a pod that failed as a whole its status message", () => {
    const failures = new LastFailures();
    failures.pod(pod("a", { status: { phase: "Failed", reason: "DeadlineExceeded", message: "too long" } }));
    expect(of(failures)).toEqual({ pod: "a", failure: "DeadlineExceeded: too long", log: [] });
  });

  it("has why a pod failed as a whole before how its container ended, and of that the last lines", () => {
    const failures = new LastFailures();
    failures.line("uid-a", "main", 0, "still copying");
    const message = 'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ';
    failures.pod(pod("a", { status: { ...failed(137), reason: "Evicted", message } }));
    expect(of(failures)).toEqual({
      pod: "a",
      failure:
        'Evicted: Usage of EmptyDir volume "data" exceeds the limit "1Mi"; container main: exit code 137 (Error)',
      log: ["still copying"],
    });
  });

  it("leaves out pods that run, that are being deleted, and of other Jobs", () => {
    const failures = new LastFailures();
    failures.pod(
      pod("a", {
        status: { phase: "Running", containerStatuses: [{ name: "main", restartCount: 0, state: { running: {} } }] },
      }),
    );
    failures.pod(pod("b", { status: failed(143), deleted: true }));
    failures.pod(pod("c", { status: failed(), job: "other" }));
    expect(of(failures)).toBeUndefined();
    expect(of(failures, "other")).toMatchObject({ pod: "c" });
  });
});
