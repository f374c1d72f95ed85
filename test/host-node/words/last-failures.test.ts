/** The last failure of each Job of a run: which one it is, and which lines go with it. */
import { describe, expect, it } from "vitest";
import type { Event, Job, Pod } from "../../../cluster/values/kinds.ts";
import { newEngine } from "../../bindings/js/vector-files.ts";
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

const engine = await newEngine();
const NOW_MS = Date.UTC(2026, 0, 1);
const newFailures = (): LastFailures => new LastFailures((question) => engine.account(question, NOW_MS));

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
    ownerReferences: [{ kind: "Job", name: job, uid: job, controller: true }],
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

const eviction = { type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" };
const conditions = [{ ...eviction, lastTransitionTime: "2026-01-01T00:00:00Z" }];

const end = { type: "FailureTarget", status: "True", reason: "BackoffLimitExceeded" };
const endedJob = {
  metadata: { namespace: "default", name: "j", uid: "j" },
  status: { conditions: [{ ...end, lastTransitionTime: "2025-12-31T23:59:00Z" }] },
} as unknown as Job;

describe("LastFailures", () => {
  it("names the pod that failed last, with its last lines, whatever changes in earlier ones", () => {
    const failures = newFailures();
    for (let i = 0; i < SHOWN_LOG_LINES + 3; i++) failures.line("uid-a", "main", 0, `a${i}`);
    failures.line("uid-b", "main", 0, "b");
    failures.pod(pod("a", { status: failed() }));
    expect(of(failures)).toEqual({
      pod: "a",
      failure: "container main exited (exit code 1, Error)",
      endedBy: "Exited",
      log: Array.from({ length: SHOWN_LOG_LINES }, (_, i) => `a${i + 3}`),
    });
    failures.pod(pod("b", { status: failed(3) }));
    failures.pod(pod("a", { status: failed() }));
    expect(of(failures)).toEqual({
      pod: "b",
      failure: "container main exited (exit code 3, Error)",
      endedBy: "Exited",
      log: ["b"],
    });
  });

  it("has of a container that restarts the lines of the attempt that failed", () => {
    const failures = newFailures();
    failures.line("uid-a", "main", 0, "first");
    failures.line("uid-a", "main", 1, "second");
    failures.pod(pod("a", { status: restarting(0, waiting, 1) }));
    expect(of(failures)).toMatchObject({ failure: "container main exited (exit code 1, Error)", log: ["first"] });
    failures.pod(pod("a", { status: restarting(1, running, 1) }));
    expect(of(failures)).toMatchObject({ failure: "container main exited (exit code 1, Error)", log: ["first"] });
    failures.pod(pod("a", { status: restarting(1, waiting, 2) }));
    expect(of(failures)).toMatchObject({ failure: "container main exited (exit code 2, Error)", log: ["second"] });
  });

  it("has of a pod that failed as a whole what ended it", () => {
    const failures = newFailures();
    failures.pod(pod("a", { status: { phase: "Failed", reason: "DeadlineExceeded", message: "too long" } }));
    expect(of(failures)).toEqual({
      pod: "a",
      failure: "its activeDeadlineSeconds, those of the pod, were over",
      endedBy: "PodDeadline",
      log: [],
    });
  });

  it("has what the kubelet says of an eviction, and the last lines of the container that it stopped", () => {
    const failures = newFailures();
    failures.line("uid-a", "main", 0, "still copying");
    const message = 'Usage of EmptyDir volume "data" exceeds the limit "1Mi". ';
    failures.pod(pod("a", { status: { ...failed(137), reason: "Evicted", message } }));
    expect(of(failures)).toEqual({
      pod: "a",
      failure: 'the kubelet evicted it: Usage of EmptyDir volume "data" exceeds the limit "1Mi"',
      endedBy: "KubeletEviction",
      log: ["still copying"],
    });
  });

  it("leaves out pods that run, and those of other Jobs", () => {
    const failures = newFailures();
    failures.pod(
      pod("a", {
        status: { phase: "Running", containerStatuses: [{ name: "main", restartCount: 0, state: { running: {} } }] },
      }),
    );
    failures.pod(pod("c", { status: failed(), job: "other" }));
    expect(of(failures)).toBeUndefined();
    expect(of(failures, "other")).toMatchObject({ pod: "c" });
  });

  it("leaves out a pod that the controller deleted, once the Job says that it has ended", () => {
    const failures = newFailures();
    failures.pod(pod("a", { status: failed(3) }));
    failures.pod(pod("b", { status: failed(143), deleted: true }));
    expect(of(failures)).toMatchObject({ pod: "b", endedBy: "Deleted" });
    failures.job(endedJob);
    expect(of(failures)).toMatchObject({ pod: "a", endedBy: "Exited" });
  });

  it("forgets an eviction that the program survived, by ending well", () => {
    const failures = newFailures();
    failures.pod(pod("a", { status: failed(3) }));
    failures.pod(pod("b", { status: { phase: "Running", conditions }, deleted: true }));
    expect(of(failures)).toMatchObject({ pod: "b", endedBy: "ApiEviction" });
    failures.pod(pod("b", { status: { phase: "Succeeded", conditions }, deleted: true }));
    expect(of(failures)).toMatchObject({ pod: "a", endedBy: "Exited" });
  });

  it("keeps an eviction when many pods are deleted afterwards", () => {
    const failures = newFailures();
    failures.pod(pod("evicted", { status: { phase: "Failed", conditions }, deleted: true }));
    for (let i = 0; i < 30; i++) failures.pod(pod(`p${i}`, { status: { phase: "Running" }, deleted: true }));
    failures.job(endedJob);
    expect(of(failures)).toMatchObject({ pod: "evicted", endedBy: "ApiEviction" });
  });

  it("has nothing of a Job that is gone", () => {
    const failures = newFailures();
    failures.pod(pod("a", { status: failed() }));
    failures.forget({ metadata: { name: "j", uid: "j" } } as unknown as Job);
    expect(of(failures)).toBeUndefined();
  });

  it("names the probe for which the kubelet killed a container, by its Event", () => {
    const failures = newFailures();
    failures.event({
      involvedObject: { kind: "Pod", name: "a", uid: "uid-a" },
      reason: "Killing",
      message: "Container main failed liveness probe, will be restarted",
      lastTimestamp: "2026-01-01T00:00:00Z",
    } as unknown as Event);
    const terminated = { exitCode: 137, reason: "Error", finishedAt: "2026-01-01T00:00:10Z" };
    const status = { phase: "Failed", containerStatuses: [{ name: "main", restartCount: 0, state: { terminated } }] };
    failures.pod(pod("a", { status }));
    expect(of(failures)).toMatchObject({ pod: "a", endedBy: "LivenessProbe" });
  });
});

describe("the limits of LastFailures", () => {
  const limits = { jobs: 200_000, events: 100_000, lines: 50_000 };
  const limited = (): LastFailures => new LastFailures((question) => engine.account(question, NOW_MS), { limits });
  const evicted = { phase: "Failed", conditions, message: "x".repeat(1000) };

  it("keeps the newest of many pods, in bytes", () => {
    const failures = limited();
    for (let i = 0; i < 500; i++) {
      const job = `j${i}`;
      for (const deleted of [false, true]) failures.pod(pod(`${job}-${deleted}`, { job, status: evicted, deleted }));
      expect(failures.bytes).toBeLessThanOrEqual(limits.jobs);
    }
    expect(failures.bytes).toBeGreaterThan(limits.jobs / 2);
    expect(of(failures, "j499")).toMatchObject({ pod: "j499-true" });
    expect(of(failures, "j0")).toBeUndefined();
  });

  it("counts the indexes that had failures", () => {
    const failures = limited();
    for (let i = 0; i < 10_000; i++) {
      const each = pod(`p${i}`, { status: failed() });
      const annotations = { "batch.kubernetes.io/job-completion-index": String(i) };
      failures.pod({ ...each, metadata: { ...each.metadata, annotations } });
    }
    expect(failures.bytes).toBeLessThanOrEqual(limits.jobs);
  });

  it("keeps the newest lines and Events, in bytes", () => {
    const failures = limited();
    for (let i = 0; i < 100; i++) {
      failures.line(`uid-p${i}`, "main", 0, "y".repeat(100_000));
      failures.event({
        involvedObject: { kind: "Pod", name: `p${i}`, uid: `uid-p${i}` },
        reason: "Killing",
        message: "\u20ac".repeat(10_000),
      } as unknown as Event);
      expect(failures.bytes).toBeLessThanOrEqual(limits.lines + limits.events);
    }
    failures.pod(pod("p99", { status: failed() }));
    expect(of(failures)?.log).toEqual([`${"y".repeat(4096)}…`]);
  });
});
