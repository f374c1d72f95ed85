/** What a controller remembers of pods that are gone, read from the lines of its watches. */
import { beforeEach, describe, expect, it } from "vitest";
import { type Engine, IngestKind, type PollResult } from "../../../bindings/js/engine.ts";
import type { RecordableEngine } from "../../../bindings/js/recorder.ts";
import { GonePods } from "../../../host-node/controller/gone-pods.ts";
import { newEngine } from "../../bindings/js/vector-files.ts";

const SOURCES = [
  { id: 1, resource: "jobs" },
  { id: 2, resource: "pods" },
] as const;
const NOW_MS = Date.UTC(2026, 0, 1, 0, 10);
const AT = "2026-01-01T00:09:00Z";

const judge = await newEngine();
let known: Map<string, { uid: string; state: string }>;
let explained: number;
let gone: GonePods;
let inputs: RecordableEngine;
let polled: PollResult;

beforeEach(() => {
  known = new Map([["ns/j", { uid: "uid-j", state: "Running" }]]);
  explained = 0;
  polled = { requests: [], nextWakeUpMs: Infinity, decisions: [] };
  const engine = {
    account: judge.account.bind(judge),
    explain: (namespace: string, job: string) => {
      ++explained;
      const found = known.get(`${namespace}/${job}`);
      return { namespace, job, found: found !== undefined, ...found };
    },
    ingest: () => 0,
    poll: () => polled,
  } as unknown as Engine;
  gone = new GonePods({ sources: SOURCES, wallTime: () => NOW_MS });
  inputs = gone.watch(engine, engine);
});

function podOf(name: string, job: string, status: object, deletionTimestamp: string | undefined): object {
  const ownerReferences = [{ kind: "Job", name: job, uid: `uid-${job}`, controller: true }];
  const metadata = { name, namespace: "ns", uid: `uid-${name}`, creationTimestamp: AT, ownerReferences };
  return { metadata: { ...metadata, deletionTimestamp }, spec: { containers: [{ name: "main" }] }, status };
}
const see = (id: number, ...lines: object[]): void =>
  void inputs.ingest(
    id,
    IngestKind.watchLines,
    new TextEncoder().encode(lines.map((line) => `${JSON.stringify(line)}\n`).join("")),
    NOW_MS,
  );
const goes = (name: string, { job = "j", status = {}, at = AT as string | undefined } = {}): void =>
  see(2, { type: "DELETED", object: podOf(name, job, status, at) });
const jobOf = (status: object, more: object = {}): object => ({
  metadata: { name: "j", namespace: "ns", uid: "uid-j", creationTimestamp: AT, ...more },
  spec: { parallelism: 1, completions: 1, backoffLimit: 0, template: { spec: { containers: [{ name: "main" }] } } },
  status,
});
const seeJob = (status: object, more?: object): void => see(1, { type: "MODIFIED", object: jobOf(status, more) });
const endsOf = (): (string | null)[] => gone.failures.accountOf({ uid: "uid-j" })?.attempts.map((a) => a.endedBy) ?? [];

const drained = {
  phase: "Failed",
  conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI", lastTransitionTime: AT }],
};
const terminated = { exitCode: 3, finishedAt: "2026-01-01T00:08:00Z" };
const exited = { containerStatuses: [{ name: "main", restartCount: 0, state: { terminated } }] };
const ended = [{ type: "Failed", status: "True", reason: "DeadlineExceeded", lastTransitionTime: AT }];

describe("GonePods", () => {
  it("remembers pods that failed or were deleted, and none that has succeeded or is there", () => {
    goes("a", { status: drained });
    goes("b", { status: { phase: "Failed", ...exited } });
    goes("c", { status: { phase: "Succeeded" } });
    see(2, { type: "MODIFIED", object: podOf("d", "j", drained, AT) });
    expect(endsOf()).toEqual(["ApiEviction", "Exited"]);
    expect(explained).toBe(1);
  });

  it("says of a deleted pod that nothing tells by whom, only if it knows the Job", () => {
    goes("a", { status: { phase: "Running" } });
    expect(endsOf()).toEqual([]);
    seeJob({ conditions: ended });
    expect(endsOf()).toEqual(["JobDeadline"]);
    seeJob({});
    expect(endsOf()).toEqual(["Deleted"]);
  });

  it("knows the Job from before its first pod was gone, also one with an owner", () => {
    seeJob(
      { conditions: ended },
      { ownerReferences: [{ kind: "CronJob", name: "c", uid: "uid-c", controller: true }] },
    );
    goes("a", { status: { phase: "Running" } });
    expect(endsOf()).toEqual(["JobDeadline"]);
  });

  it("takes a pod that went without an end for deleted", () => {
    seeJob({});
    goes("a", { status: { phase: "Running" }, at: undefined });
    expect(endsOf()).toEqual(["Deleted"]);
  });

  it("knows from the Events that the controller sends which pods it has deleted", () => {
    seeJob({});
    const message = "Deleted pod: a";
    const event = { involvedObject: { kind: "Job", name: "j", uid: "uid-j" }, reason: "SuccessfulDelete", message };
    const request = { method: "POST", path: "/api/v1/namespaces/ns/events", body: JSON.stringify(event) };
    polled = { ...polled, requests: [request] } as unknown as PollResult;
    expect(inputs.poll(NOW_MS, 1)).toBe(polled);
    goes("a", { status: { phase: "Running" } });
    expect(endsOf()).toEqual(["ScaledDown"]);
  });

  it("leaves out the pods of Jobs that are gone, or another controller's", () => {
    known.set("ns/foreign", { uid: "uid-foreign", state: "Foreign" });
    known.set("ns/old", { uid: "another", state: "Running" });
    for (const job of ["foreign", "old", "none"])
      for (const name of ["a", "b"]) goes(`${job}-${name}`, { job, status: drained });
    expect(gone.failures.bytes).toBe(0);
    expect(explained).toBe(3);
  });

  it("forgets a Job that is gone", () => {
    seeJob({});
    goes("a", { status: drained });
    see(1, { type: "DELETED", object: jobOf({}) });
    known.clear();
    goes("b", { status: drained });
    expect(gone.failures.bytes).toBe(0);
  });

  it("takes lines that are no objects, which the engine refuses", () => {
    inputs.ingest(2, IngestKind.watchLines, '{"type":"DELETED","object":\n{"type":"DELETED"}\nx', NOW_MS);
    inputs.ingest(1, IngestKind.watchLines, '{"type":"DELETED","object":7}\n{"uid":"', NOW_MS);
    inputs.ingest(2, IngestKind.page, '{"items":[]}', NOW_MS);
    expect(endsOf()).toEqual([]);
  });

  it("stays within its limit, whatever number of Jobs there is", () => {
    for (let i = 0; i < 2000; i++) {
      known.set(`ns/j${i}`, { uid: `uid-j${i}`, state: "Running" });
      for (let n = 0; n < 5; n++)
        goes(`j${i}-${n}`, { job: `j${i}`, status: { ...drained, message: "m".repeat(1000) } });
      expect(gone.failures.bytes).toBeLessThanOrEqual(8 * 1024 ** 2);
    }
    expect(gone.failures.knows("uid-j1999")).toBe(true);
    expect(gone.failures.knows("uid-j0")).toBe(false);
  });
});
