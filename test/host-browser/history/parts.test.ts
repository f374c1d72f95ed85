/** Parts of a history by themselves: columns, texts, versions, YAML, and what is said of a pod. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { parse } from "yaml";
import { podTable } from "../../../cluster/apiserver/tables/pods.ts";
import type { Decision } from "../../../bindings/js/engine.ts";
import { readYaml } from "../../../cluster/yaml/yaml-library.ts";
import type { Pod } from "../../../cluster/values/kinds.ts";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { Column, countUpTo } from "../../../host-browser/columns.ts";
import { connectionLimitsFor, Table, Texts } from "../../../host-browser/history/columns.ts";
import { MAX_DECISIONS } from "../../../host-browser/history/decision-recorder.ts";
import { History } from "../../../host-browser/history/history.ts";
import { viewAt } from "../../../host-browser/history/view.ts";
import { fieldsBehind } from "../../../host-browser/history/pod-reasons.ts";
import { podMoment } from "../../../host-browser/history/pod-state.ts";
import { MAX_PLACES, MAX_STEPS } from "../../../host-browser/history/version-steps.ts";
import { PodVersions } from "../../../host-browser/history/versions.ts";
import { hasSameLine, MAX_LIST_ITEMS, yamlLines } from "../../../host-browser/history/yaml-lines.ts";
import { NONE, PodState } from "../../../host-browser/records.ts";
import { ask, jobYaml, Run } from "./run.ts";
import { tries } from "../../tries.ts";

describe("columns", () => {
  test("keep what was appended, however much it is", () => {
    const column = new Column("float64");
    for (let i = 0; i < 1_000; i++) column.push(i / 2);
    expect([column.length, column.at(999)]).toEqual([1_000, 499.5]);
    expect([100, -1].map((value) => countUpTo(column.data, column.length, value))).toEqual([201, 0]);
    expect(column.bytesFrom(998)).toBe(16);
    expect(column.copyTo({ buffer: new ArrayBuffer(24), used: 8 }, 998)).toEqual(Float64Array.of(499, 499.5));
  });

  test("leave nothing behind as they grow, and have at most half of their length to spare", () => {
    const column = new Column("int32");
    const first = column.data;
    for (let i = 0; i < 10_000; i++) column.push(i);
    expect((first.buffer as ArrayBuffer).detached).toBe(true);
    expect(column.data.length).toBeLessThanOrEqual(15_000);
    expect(column.data.subarray(0, column.length)).toEqual(Int32Array.from({ length: 10_000 }, (_, i) => i));
  });

  test("a table hands out its new rows once", () => {
    const table = new Table({ a: "int32", b: "uint8" });
    table.columns.a.push(-1);
    table.columns.b.push(255);
    expect(table.take(connectionLimitsFor(table))).toEqual({ a: Int32Array.of(-1), b: Uint8Array.of(255) });
    expect(table.take(connectionLimitsFor(table))).toEqual({ a: new Int32Array(0), b: new Uint8Array(0) });
  });

  test("what is taken at once lies in one buffer, which is no longer than it needs to be", () => {
    const history = new History({ startMs: 0, yaml: "", readYaml, viewAt });
    const { transitions, events } = history.book.tables;
    for (const column of Object.values(transitions.columns)) for (let i = 0; i < 3; i++) column.push(i);
    for (const column of Object.values(events.columns)) column.push(7);
    const { buffer, ...chunk } = history.take();
    const columns = Object.values(chunk)
      .flatMap((table) => Object.values(table))
      .filter(ArrayBuffer.isView);
    expect(columns.length).toBeGreaterThan(40);
    expect(columns.filter((column) => column.buffer !== buffer)).toEqual([]);
    expect([...chunk.transitions.atMs, ...chunk.transitions.state, ...chunk.events.atMs]).toEqual([
      0, 1, 2, 0, 1, 2, 7,
    ]);
    const inUse = columns.reduce((sum, { byteLength }) => sum + byteLength, 0);
    expect(buffer.byteLength - inUse).toBeLessThan(8 * columns.length);
  });

  test("equal texts have one number, and an empty one may have none", () => {
    const texts = new Texts();
    expect([texts.id("a"), texts.id("b"), texts.id("a"), texts.idOrNone("")]).toEqual([0, 1, 0, NONE]);
    expect([texts.take(), texts.take(), texts.at(1), texts.at(NONE)]).toEqual([["a", "b"], [], "b", ""]);
  });
});

test("the latest of very many decisions are kept", () => {
  const { decisions } = new History({ startMs: 0, yaml: "", readYaml, viewAt });
  const decision = (atMs: number): Decision => ({
    atMs,
    namespace: "default",
    job: "pi",
    uid: "",
    code: "Ended",
    message: "",
    nextMs: null,
    numbers: {},
  });
  decisions.record(Array.from({ length: MAX_DECISIONS + 2 }, (_, i) => decision(i)));
  expect([0, 1, 2, MAX_DECISIONS + 1].map((row) => decisions.decisions[row]?.atMs)).toEqual([
    ...[undefined, undefined, 2],
    MAX_DECISIONS + 1,
  ]);
});

describe("versions of pods", () => {
  const object = (name: string): KubeObject => ({
    metadata: { name, uid: name, resourceVersion: "1", creationTimestamp: "" },
  });

  test("are found by their instant", () => {
    const versions = new PodVersions(10);
    versions.add(0, { object: object("a") }, 5);
    versions.add(0, { object: object("b") }, 7);
    expect([4, 5, 6, 7, 8].map((atMs) => versions.at(0, atMs)?.metadata.name)).toEqual([undefined, "a", "a", "b", "b"]);
  });

  test("are dropped beyond the limit, the oldest first, but the newest of a pod that is there is kept", () => {
    const versions = new PodVersions(4_096);
    for (let i = 0; i < 9_000; i++) versions.add(i < 2 ? i : i % 2, { object: object(String(i)) }, i);
    versions.add(2, { object: object("other") }, 9_000);
    expect(versions.at(0, 100)).toBeUndefined();
    expect(versions.at(0, 8_998)?.metadata.name).toBe("8998");
    for (let i = 0; i < 9_000; i++) versions.add(1, { object: object(String(i)) }, 10_000 + i);
    expect(versions.at(2, 9_500)?.metadata.name).toBe("other");
    versions.remove(2);
    expect(versions.at(2, 9_500)).toBeUndefined();
  });

  test("of a pod that is gone are kept as long as others of their time", () => {
    const versions = new PodVersions(4_096);
    versions.add(0, { object: object("a") }, 0);
    versions.add(0, { object: object("b") }, 1);
    versions.remove(0);
    expect([versions.newest(0), versions.at(0, 0)?.metadata.name, versions.at(0, 5)?.metadata.name]).toEqual([
      ...[undefined, "a"],
      "b",
    ]);
    for (let i = 0; i < 9_000; i++) versions.add(1, { object: object(String(i)) }, 10 + i);
    expect([versions.at(0, 0), versions.at(0, 5)]).toEqual([undefined, undefined]);
    versions.add(0, { object: object("c") }, 20_000);
    expect(versions.newest(0)?.metadata.name).toBe("c");
  });

  test("are what they were, however they differ", () => {
    const leaf = fc.oneof(fc.integer({ min: 0, max: 3 }), fc.constantFrom("1", "01", "x", true, null));
    const name = fc.constantFrom("resourceVersion", "status", "a", "constructor");
    const { value } = fc.letrec((tie) => ({
      value: fc.oneof(
        { depthSize: "small" },
        leaf,
        fc.array(tie("value"), { maxLength: 3 }),
        fc.dictionary(name, tie("value"), { maxKeys: 4 }),
      ),
    }));
    const version = fc.record({ metadata: fc.dictionary(name, value), status: value }, { requiredKeys: ["metadata"] });
    fc.assert(
      fc.property(fc.array(version, { minLength: 1, maxLength: 8 }), (objects) => {
        const versions = new PodVersions(0);
        // Equal texts are equal values, whatever the order of their members.
        const all = objects.map((made) => JSON.parse(JSON.stringify(made)) as KubeObject);
        all.forEach((made, atMs) => versions.add(0, { object: made }, atMs));
        all.forEach((made, atMs) => expect(versions.at(0, atMs)).toEqual(made));
      }),
      { numRuns: tries(500) },
    );
  });

  test("of pods that share no steps are kept as whole objects", () => {
    const versions = new PodVersions(MAX_STEPS * 2);
    const labelled = (i: number): KubeObject => ({
      metadata: { ...object("a").metadata, labels: { [`l${i}`]: "x", ...(i % 2 === 0 ? {} : many) } },
    });
    const many = Object.fromEntries(Array.from({ length: MAX_PLACES + 1 }, (_, i) => [`m${i}`, "x"]));
    for (let i = 0; i < MAX_STEPS; i++) versions.add(0, { object: labelled(i) }, i);
    expect(versions.kept.steps).toBeLessThanOrEqual(MAX_STEPS + 1);
    for (const i of [0, 1, 2, MAX_STEPS - 2, MAX_STEPS - 1]) expect(versions.at(0, i)).toEqual(labelled(i));
  });

  test("of a run take a few values each, and their places are kept once", () => {
    const { history } = new Run(jobYaml("completions: 300\nparallelism: 300\ncompletionMode: Indexed")).toEnd();
    const { versions, values, steps } = history.podVersions.kept;
    expect(versions).toBeGreaterThan(300 * 5);
    expect(values / versions).toBeLessThan(10);
    expect(steps).toBeLessThan(100);
  });

  test("and events of a run are packed: few objects are kept whole", () => {
    const { history } = new Run(jobYaml("completions: 500\nparallelism: 50\ncompletionMode: Indexed")).toEnd();
    const { pods, events } = history.book.tables;
    // Who asks for a packed object gets another one each time.
    const whole = (count: number, at: (row: number) => KubeObject | undefined): number =>
      Array.from({ length: count }, (_, row) => at(row)).filter(
        (found, row) => found !== undefined && found === at(row),
      ).length;
    expect(pods.length).toBe(500);
    expect(whole(500, (pod) => history.podVersions.newest(pod))).toBeLessThan(100);
    expect(events.length).toBeGreaterThan(3 * 500);
    expect(whole(events.length, (row) => history.events.at(row))).toBeLessThan(200);
  });
});

describe("YAML", () => {
  const textOf = (value: unknown): string =>
    yamlLines(value)
      .map(({ text }) => text)
      .join("\n");

  test("reads back as the same value", () => {
    const key = fc.string({ minLength: 1 }).filter((name) => name !== "__proto__" && name !== "<<");
    const value = fc.letrec((tie) => ({
      leaf: fc.oneof(
        fc.string(),
        fc.integer(),
        fc.boolean(),
        fc.constant(null),
        fc.constantFrom("yes", "1e3", "0x1", "-", "a: b", "a #b", "2026-01-01", "~", "=", "<<", "1:30", "_1", ".5"),
      ),
      value: fc.oneof(
        { depthSize: "small" },
        tie("leaf"),
        fc.array(tie("value"), { maxLength: 4 }),
        fc.dictionary(key, tie("value"), { maxKeys: 4 }),
      ),
    })).value;
    fc.assert(
      fc.property(fc.dictionary(key, value, { minKeys: 1 }), (object) => {
        const plain = structuredClone(object);
        for (const version of ["1.1", "1.2"] as const) expect(parse(textOf(plain), { version })).toEqual(plain);
      }),
      { numRuns: tries(300) },
    );
  });

  test("looks as kubectl prints it", () => {
    const status = { b: [{ type: "x", status: "True" }], a: "1", empty: {}, none: [] };
    expect(textOf(status).split("\n")).toEqual([
      'a: "1"',
      "b:",
      '- status: "True"',
      "  type: x",
      "empty: {}",
      "none: []",
    ]);
  });

  test("long lists are cut, and say so", () => {
    const lines = textOf({ uids: Array.from({ length: MAX_LIST_ITEMS + 5 }, (_, i) => `u${i}`) }).split("\n");
    expect([lines.length, lines.at(-1)]).toEqual([MAX_LIST_ITEMS + 2, "# and 5 more"]);
  });

  test("a line is the same where the other value has it in the same place", () => {
    const many = (count: number) => Array.from({ length: MAX_LIST_ITEMS + count }, (_, i) => i);
    const value = { a: 1, c: [{ d: 1 }, { d: 2 }], f: {}, g: { h: 1 }, l: many(1), m: [] };
    const other = { a: 1, b: 0, c: [{ d: 1 }], f: { k: 1 }, g: {}, l: many(2), m: {} };
    const changed = yamlLines(value).filter(({ path }) => !hasSameLine(value, other, path));
    expect(changed.map(({ text }) => text)).toEqual(["- d: 2", "f: {}", "g:", "  h: 1", "# and 1 more", "m: []"]);
    expect(yamlLines(value).filter(({ path }) => !hasSameLine(value, value, path))).toEqual([]);
  });
});

const ended = (exitCode: number): object => ({ terminated: { exitCode, reason: "Error" } });
/** The sidecar comes first in the pod, and its end comes first in the pod's status. */
const FAILED_WITH_SIDECAR = {
  metadata: { name: "p", uid: "u" },
  spec: {
    restartPolicy: "Never",
    initContainers: [{ name: "logs", restartPolicy: "Always" }],
    containers: [{ name: "proxy" }, { name: "tests" }],
  },
  status: {
    phase: "Failed",
    initContainerStatuses: [{ name: "logs", restartCount: 0, state: ended(143) }],
    containerStatuses: [
      { name: "proxy", restartCount: 0, state: { terminated: { exitCode: 0, reason: "Completed" } } },
      { name: "tests", restartCount: 0, state: ended(1) },
    ],
  },
} as unknown as Pod;

describe("the fields behind the state of a pod", () => {
  const owner = { kind: "Job", name: "j", uid: "u-j", controller: true };
  const commandsOf = (pod: Pod): readonly string[] => {
    const owned = { ...pod, metadata: { ...pod.metadata, ownerReferences: [owner] } };
    const account = ask({ job: { metadata: { name: "j", uid: "u-j" } }, pods: [owned] }, 0)!;
    const paths = fieldsBehind(PodState.FAILED, "exit code 1", pod, account.attempts[0]);
    return paths.filter((path) => path.endsWith(".command"));
  };

  test("are those of the container that failed, not those of a sidecar that was stopped then", () => {
    expect(commandsOf(FAILED_WITH_SIDECAR)).toEqual(["spec.template.spec.containers[1].command"]);
  });

  test("are those of the init container that kept the others from starting", () => {
    const pod = {
      metadata: { name: "p", uid: "u" },
      spec: { restartPolicy: "Never", initContainers: [{ name: "a" }, { name: "b" }], containers: [{ name: "main" }] },
      status: {
        phase: "Failed",
        initContainerStatuses: [
          { name: "a", state: { terminated: { exitCode: 0 } } },
          { name: "b", state: ended(1) },
        ],
        containerStatuses: [{ name: "main", state: { waiting: { reason: "PodInitializing" } } }],
      },
    } as unknown as Pod;
    expect(commandsOf(pod)).toEqual(["spec.template.spec.initContainers[1].command"]);
  });
});

describe("the state of a pod", () => {
  const pod = (status: object, rest: { deletionTimestamp?: string; nodeName?: string } = {}): Pod =>
    ({
      metadata: {
        name: "p",
        uid: "u",
        resourceVersion: "1",
        creationTimestamp: "2026-01-01T00:00:00Z",
        ...(rest.deletionTimestamp && { deletionTimestamp: rest.deletionTimestamp }),
      },
      spec: { containers: [{ name: "main" }], ...(rest.nodeName && { nodeName: rest.nodeName }) },
      status,
    }) as unknown as Pod;
  const container = (state: object, rest: object = {}): object => ({
    containerStatuses: [{ name: "main", restartCount: 0, state, ...rest }],
  });
  const ready = { conditions: [{ type: "Ready", status: "True" }] };
  const disruption = { conditions: [{ type: "DisruptionTarget", status: "True", reason: "EvictionByEvictionAPI" }] };

  test.each<[string, Pod, PodState, string]>([
    ["new", pod({ phase: "Pending" }), PodState.PENDING, ""],
    [
      "without a place",
      pod({ phase: "Pending", conditions: [{ type: "PodScheduled", status: "False", reason: "Unschedulable" }] }),
      PodState.PENDING,
      "Unschedulable",
    ],
    [
      "bound",
      pod({ phase: "Pending", ...container({ waiting: { reason: "ContainerCreating" } }) }, { nodeName: "n" }),
      PodState.STARTING,
      "",
    ],
    [
      "without its image",
      pod({ phase: "Pending", ...container({ waiting: { reason: "ImagePullBackOff" } }) }, { nodeName: "n" }),
      PodState.WAITING,
      "ImagePullBackOff",
    ],
    ["running", pod({ phase: "Running", ...container({ running: {} }) }, { nodeName: "n" }), PodState.RUNNING, ""],
    [
      "ready",
      pod({ phase: "Running", ...ready, ...container({ running: {} }, { ready: true }) }, { nodeName: "n" }),
      PodState.READY,
      "",
    ],
    [
      "before a restart",
      pod({ phase: "Running", ...container({ waiting: { reason: "CrashLoopBackOff" } }) }, { nodeName: "n" }),
      PodState.WAITING,
      "CrashLoopBackOff",
    ],
    [
      "between two runs",
      pod({ phase: "Running", ...container({ terminated: { exitCode: 3, reason: "Error" } }) }, { nodeName: "n" }),
      PodState.WAITING,
      "exit code 3",
    ],
    [
      "deleted",
      pod(
        { phase: "Running", ...disruption, ...container({ running: {} }) },
        { nodeName: "n", deletionTimestamp: "2026-01-01T00:00:00Z" },
      ),
      PodState.TERMINATING,
      "EvictionByEvictionAPI",
    ],
    [
      "over",
      pod({ phase: "Succeeded", ...container({ terminated: { exitCode: 0, reason: "Completed" } }) }),
      PodState.SUCCEEDED,
      "",
    ],
    [
      "failed",
      pod({ phase: "Failed", ...container({ terminated: { exitCode: 1, reason: "Error" } }) }),
      PodState.FAILED,
      "exit code 1",
    ],
    [
      "killed",
      pod({ phase: "Failed", ...container({ terminated: { exitCode: 137, reason: "OOMKilled" } }) }),
      PodState.FAILED,
      "OOMKilled",
    ],
    ["evicted", pod({ phase: "Failed", reason: "Evicted" }), PodState.FAILED, "Evicted"],
    ["failed, with a sidecar that was stopped then", FAILED_WITH_SIDECAR, PodState.FAILED, "exit code 1"],
  ])("%s", (_name, object, state, detail) => {
    expect(podMoment(object)).toMatchObject({ state, detail });
    // The word is kubectl's, unless that hides the exit code.
    const status = String(podTable.cells(object, 0)[2]);
    if (
      detail !== "" &&
      /^(?!exit)[A-Z]\w+$/.test(detail) &&
      state !== PodState.PENDING &&
      state !== PodState.TERMINATING
    )
      expect(detail).toBe(status);
  });
});
