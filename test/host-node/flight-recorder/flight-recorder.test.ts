/** What a flight recorder writes of a controller that runs Jobs, and that it never blocks the controller. */
import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeAll, beforeEach, expect, test } from "vitest";
import { type Engine, IngestKind } from "../../../bindings/js/engine.ts";
import { FlightRecorder } from "../../../host-node/flight-recorder/flight-recorder.ts";
import { segmentsAmong } from "../../../cluster/observed/segment-format.ts";
import { SegmentRing } from "../../../host-node/flight-recorder/segment-ring.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { job, JOBS } from "../controlled-cluster.ts";
import { type RecordedController, startRecorded } from "./recorded-controller.ts";

let folder: string;
let running: RecordedController[];

beforeAll(() => buildModule("engine"));
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-flight-"));
  running = [];
});
afterEach(async () => {
  for (const controller of running) await controller.close();
  rmSync(folder, { recursive: true });
});

async function start(options: object = {}): Promise<RecordedController> {
  const controller = await startRecorded({ folder, ...options });
  running.push(controller);
  return controller;
}

/** For an engine of the test, at the same moment always. */
function newRecorder(isRedacted = true): FlightRecorder {
  const common = { isRedacted, wallTime: () => 7 };
  const ring = new SegmentRing({ ...common, folder, maxBytes: 2 ** 24, version: "1.2.3" });
  return new FlightRecorder({ ...common, ring, onProblem: (problem) => expect.fail(problem) });
}

const lines = (): any[] =>
  segmentsAmong(readdirSync(folder))
    .flatMap((file) => readFileSync(join(folder, file), "utf8").trimEnd().split("\n"))
    .map((line) => JSON.parse(line));

test("the lists, the changes, the decisions, the requests and their answers are recorded", async () => {
  const controller = await start();
  controller.create(JOBS, job("pi", { completions: 2, parallelism: 2 }, { runMs: 1000 }));
  await controller.advance(60_000);
  const recorded = lines();
  expect(recorded.filter((line) => line.engine).map(({ engine }) => engine.instance)).toEqual(["test"]);
  expect(recorded.filter((line) => line.list).map(({ list, resource }) => `${list} ${resource}`)).toEqual([
    ...["begin jobs", "begin pods", "end jobs", "end pods"],
  ]);
  const codes = recorded.flatMap(({ decisions }) => decisions ?? []).map(({ code }) => code);
  expect(codes).toEqual(["Creating", "WaitingForPods", "WaitingForPods", "CompletionsReached", "Ended"]);
  const posts = recorded.filter(({ method, path }) => method === "POST" && path.endsWith("/pods"));
  expect(posts).toHaveLength(2);
  for (const { request, decision } of posts) {
    expect(decision).toBe(1);
    expect(recorded.find(({ answer }) => answer === request).status).toBe(201);
  }
  const changes = recorded.filter(({ resource, object }) => resource === "jobs" && object !== undefined);
  expect(changes[0].type).toBe("ADDED");
  expect(changes.at(-1).object.status.succeeded).toBe(2);
  expect(controller.recorder.lost).toBe(0);
});

test("a value of the environment is in no file; with everything recorded it is", async () => {
  const secret = job("pi", {}, { runMs: 1000 }, [{ name: "TOKEN", value: "hunter2" }]);
  const controller = await start();
  controller.create(JOBS, secret);
  await controller.advance(60_000);
  expect(lines().length).toBeGreaterThan(20);
  expect(JSON.stringify(lines())).not.toContain("hunter2");
  await controller.close();
  const other = await start({ isRedacted: false });
  other.create(JOBS, secret);
  await other.advance(60_000);
  expect(JSON.stringify(lines())).toContain("hunter2");
});

test("a request that is refused has its status and what the server said", async () => {
  const controller = await start();
  controller.create("/api/v1/namespaces/default/resourcequotas", {
    apiVersion: "v1",
    kind: "ResourceQuota",
    metadata: { name: "q" },
    spec: { hard: { pods: "0" } },
  });
  controller.create(JOBS, job("pi", {}, { runMs: 1000 }));
  await controller.advance(500);
  const [refusal] = lines().filter(({ status }) => status === 403);
  expect(refusal.message).toMatch(/^pods "pi-.*" is forbidden: exceeded quota: q/);
});

test.each([
  [true, "<redacted>"],
  [false, '"hunter2"'],
])("what a refusal quotes of an object is left out: %s", async (isRedacted, shown) => {
  const recorder = newRecorder(isRedacted);
  const said = (value: string): string => `Pod "x" is invalid: spec.a: Invalid value: ${value}: must be a number`;
  const decisions = [{ code: "CreateFailed", message: `creating a pod was refused: ${said('"hunter2"')}` }];
  const engine = { configure: () => {}, settle: () => 0, poll: () => ({ requests: [], decisions }) };
  const recorded = recorder.record(engine as unknown as Engine);
  recorded.configure({ instance: "i", sources: [] });
  recorded.settle(1, 422, -1, JSON.stringify({ message: said('"hunter2"') }), 0);
  recorded.poll(0, 1);
  await recorder.close();
  expect(lines().slice(3)).toEqual([
    { at: 7, answer: 1, status: 422, message: said(shown) },
    { at: 7, decisions: [{ code: "CreateFailed", message: `creating a pod was refused: ${said(shown)}` }] },
    { at: 7, end: "ended" },
  ]);
});

test("on a full disk the recording ends with a sentence, the controller continues, and counts what is lost", async () => {
  let free = 1e12;
  const controller = await start({ freeBytes: () => free });
  await controller.advance(1000);
  free = 0;
  controller.create(JOBS, job("pi", {}, { runMs: 1000 }));
  await controller.advance(60_000);
  expect(controller.problems).toEqual([
    expect.stringMatching(/^the recording ends here, and the controller continues: the disk of .* has 0 bytes left/),
  ]);
  expect(controller.recorder.isRecording).toBe(false);
  expect(controller.recorder.lost).toBeGreaterThan(10);
  expect(lines().every(({ decisions }) => decisions === undefined)).toBe(true);
});

test("what finds no room in the queue is counted, and the file says where it is missing", async () => {
  const recorder = newRecorder();
  const engine = { configure: () => {}, ingest: () => 0, poll: () => ({ requests: [], decisions: [] }) };
  const recorded = recorder.record(engine as unknown as Engine);
  recorded.configure({ instance: "i", sources: [{ id: 1, resource: "jobs" }] });
  const large = new Uint8Array(20 * 1024 * 1024).fill(32);
  for (let i = 0; i < 3; i++) recorded.ingest(1, 1, large, 0);
  expect(recorder.lost).toBe(2);
  await recorder.written();
  recorded.ingest(1, 0, "", 0);
  await recorder.close();
  expect(lines().slice(3)).toEqual([
    { at: 7, lost: 2 },
    { at: 7, list: "begin", source: 1, resource: "jobs" },
    { at: 7, end: "ended" },
  ]);
});

test("objects that no API server sends are left out, and the recording continues", async () => {
  const recorder = newRecorder();
  const recorded = recorder.record({ configure: () => {}, ingest: () => 0 } as unknown as Engine);
  recorded.configure({ instance: "i", sources: [{ id: 1, resource: "jobs" }] });
  const object = { metadata: { name: "a", uid: "u" } };
  for (const items of [{}, 5, [null, {}, { metadata: {} }, object]])
    recorded.ingest(1, IngestKind.page, JSON.stringify({ items }), 0);
  for (const sent of [null, 5, { metadata: null }, { metadata: { ...object.metadata, ownerReferences: {} } }])
    recorded.ingest(1, IngestKind.watchLines, `${JSON.stringify({ type: "ADDED", object: sent })}\n`, 0);
  recorded.ingest(1, IngestKind.watchLines, '{"type":"BOOKMARK","object":null}\n', 0);
  await recorder.close();
  expect(lines().slice(3)).toEqual([
    { at: 7, resource: "jobs", type: "LISTED", object },
    { at: 7, end: "ended" },
  ]);
});

test("answers for an engine that was replaced are left out", async () => {
  const controller = await start();
  await controller.advance(1000);
  const before = lines().length;
  const stale = { configure: () => {}, settle: () => 0 } as unknown as Engine;
  controller.recorder.record(stale).settle(1, 200, -1, "{}", 0);
  await controller.recorder.written();
  expect(lines()).toHaveLength(before);
});
