/**
 * Hostile bytes for every entry but admission's (admission-fuzz.test.ts): whatever comes, the engine takes it or
 * refuses it with a code and a sentence, hands out what it has to say, and what it knows of another Job stays as it
 * was. The bytes are those of a real API server, mutated (test/fuzz/mutations.ts). Here they go through the binding;
 * `npm run fuzz` gives them to the module itself, by the million.
 */
import fc from "fast-check";
import { beforeEach, expect, test } from "vitest";
import { Engine, EngineError, IngestKind } from "../../../bindings/js/engine.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { configuration, jobs, texts } from "../../fuzz/corpus.ts";
import { MUTATION_KINDS, mutated, PIECES, TELLING_BYTES } from "../../fuzz/mutations.ts";
import { engineModule, newEngine } from "./vector-files.ts";
import { tries } from "../../tries.ts";

const RUNS = tries(1500);
const RUNS_AN_ENGINE = 20;
const SEED = 20260;
const JOBS = 0;
const PODS = 1;
const WORKLOADS = 2;
const POD_GROUPS = 3;
const START_MS = 1000;
const MAX_POLLS = 50;

// ── mutations ─────────────────────────────────────────────────────────────────────────────────────────

const byte = fc.oneof(fc.integer({ min: 0, max: 255 }), fc.constantFrom(...TELLING_BYTES));
const mutation = fc.record({
  at: fc.nat(),
  kind: fc.constantFrom(...MUTATION_KINDS),
  byte,
  piece: fc.constantFrom(...PIECES),
});
const mutations = fc.array(mutation, { minLength: 1, maxLength: 4 });

// ── the engine under test, with a canary Job that no input may touch ──────────────────────────────────

let engine: Engine;

const bystander = JSON.stringify({
  kind: "Job",
  metadata: { name: "bystander", namespace: "quiet", uid: "uid-bystander", resourceVersion: "2", generation: 1 },
  spec: {
    parallelism: 1,
    completions: 1,
    template: { metadata: { labels: { a: "b" } }, spec: { containers: [], restartPolicy: "Never" } },
  },
  status: { startTime: "2026-01-01T00:00:00Z", active: 1, ready: 0, terminating: 0, uncountedTerminatedPods: {} },
});
const bystandersPod = JSON.stringify({
  kind: "Pod",
  metadata: {
    name: "bystander-x",
    namespace: "quiet",
    uid: "uid-bystander-x",
    resourceVersion: "3",
    finalizers: ["batch.kubernetes.io/job-tracking"],
    ownerReferences: [
      { apiVersion: "batch/v1", kind: "Job", name: "bystander", uid: "uid-bystander", controller: true },
    ],
  },
  status: { phase: "Running" },
});

beforeEach(async () => {
  engine = await newEngine();
  engine.configure({
    instance: "fuzz",
    gangScheduling: true,
    sources: [
      { id: JOBS, resource: "jobs" },
      { id: PODS, resource: "pods" },
      { id: WORKLOADS, resource: "workloads" },
      { id: POD_GROUPS, resource: "podgroups" },
    ],
  });
  for (const [source, item] of [
    [JOBS, bystander],
    [PODS, bystandersPod],
    [WORKLOADS, ""],
    [POD_GROUPS, ""],
  ] as const) {
    engine.ingest(source, IngestKind.listBegin, "", START_MS);
    engine.ingest(
      source,
      IngestKind.page,
      `{"kind":"${LIST_KINDS[source]}","metadata":{"resourceVersion":"4"},"items":[${item}]}`,
      START_MS,
    );
    engine.ingest(source, IngestKind.listEnd, "", START_MS);
  }
  settleAll(START_MS, () => "{}");
});

/** Runs a call that may refuse, but not trap. */
function attempt(call: () => unknown): void {
  try {
    call();
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    expect(error.code, error.message).toBeGreaterThan(0);
    expect(error.message).not.toBe("");
  }
}

/** Answers what the engine asks for until it has nothing more to ask at this moment. */
function settleAll(nowMs: number, answerTo: (path: string) => Uint8Array | string): void {
  for (let polls = 0; polls < MAX_POLLS; polls++) {
    const { requests } = engine.poll(nowMs, 100);
    if (requests.length === 0) return;
    for (const { id, path } of requests) attempt(() => engine.settle(id, 200, -1, answerTo(path), nowMs));
  }
}

function bystanderNow(): string {
  return JSON.stringify(engine.explain("quiet", "bystander"));
}

/**
 * Plays the inputs of one run after another on one engine, which must know the same of its Job after each. The engine
 * starts over now and then, for one that has seen a high version believes no older object any more.
 */
async function checkRuns<T>(
  arbitrary: fc.Arbitrary<T>,
  play: (value: T, nowMs: number) => void,
  runs = RUNS,
): Promise<void> {
  const before = bystanderNow();
  expect(before).toContain('"active":1');
  const saved = engine.save();
  let nowMs = START_MS;
  let run = 0;
  await fc.assert(
    fc.asyncProperty(arbitrary, async (value) => {
      if (run++ % RUNS_AN_ENGINE === 0) {
        engine = await newEngine();
        engine.restore(saved);
      }
      nowMs += 1500;
      play(value, nowMs);
      expect(bystanderNow()).toBe(before);
    }),
    // Not shrunk on the same engine: what a smaller input does depends on those before it.
    { seed: SEED, numRuns: runs, endOnFailure: true },
  );
}

const source = fc.constantFrom(JOBS, PODS, WORKLOADS, POD_GROUPS);
/** By source. */
const LIST_KINDS = ["JobList", "PodList", "WorkloadList", "PodGroupList"];
const text = fc.constantFrom(...texts);

test("the engine survives watch lines", async () => {
  const type = fc.constantFrom("ADDED", "MODIFIED", "DELETED", "BOOKMARK", "ERROR");
  await checkRuns(fc.tuple(source, type, text, mutations), ([from, kind, object, list], nowMs) => {
    const line = mutated(`{"type":"${kind}","object":${object}}`, list);
    attempt(() => engine.ingest(from, IngestKind.watchLines, Buffer.concat([line, Buffer.from("\n")]), nowMs));
    settleAll(nowMs, () => object);
  });
});

test("the engine survives pages of a list that is not ended", async () => {
  await checkRuns(fc.tuple(source, fc.array(text, { maxLength: 3 }), mutations), ([from, items, list], nowMs) => {
    attempt(() => engine.ingest(from, IngestKind.listBegin, "", nowMs));
    attempt(() =>
      engine.ingest(
        from,
        IngestKind.page,
        mutated(
          `{"kind":"${LIST_KINDS[from]}","metadata":{"resourceVersion":"9","continue":"c"},"items":[${items.join()}]}`,
          list,
        ),
        nowMs,
      ),
    );
    attempt(() => engine.listContinue(from));
    settleAll(nowMs, () => "");
  });
});

test("the engine survives calls in any order, with any kind and source", async () => {
  const call = fc.tuple(
    fc.integer({ min: 0, max: 70 }),
    fc.integer({ min: 0, max: 6 }).filter((kind) => kind !== IngestKind.listEnd),
    fc.oneof(text, fc.string(), fc.constant("")),
  );
  await checkRuns(call, ([from, kind, bytes], nowMs) => {
    attempt(() => engine.ingest(from, kind as IngestKind, bytes, nowMs));
    attempt(() => engine.settle(from, 200, -1, bytes, nowMs));
    settleAll(nowMs, () => bytes);
  });
});

test("the engine survives answers to requests", async () => {
  const status = fc.constantFrom(0, 200, 201, 404, 409, 422, 429, 500, -1, 999);
  let version = 1_000_000;
  await checkRuns(
    fc.tuple(fc.constantFrom(...jobs), text, status, fc.double(), mutations),
    ([job, object, code, retryAfterMs, list], nowMs) => {
      const metadata = {
        ...(job["metadata"] as JsonObject),
        name: `j${version}`,
        uid: `u${version}`,
        resourceVersion: String(++version),
      };
      const line = JSON.stringify({ type: "ADDED", object: { ...job, metadata, status: {} } });
      attempt(() => engine.ingest(JOBS, IngestKind.watchLines, `${line}\n`, nowMs));
      for (let polls = 0; polls < 5; polls++) {
        for (const { id } of engine.poll(nowMs, 100).requests)
          attempt(() => engine.settle(id, code, retryAfterMs, mutated(object, list), nowMs));
      }
      attempt(() => engine.ingest(JOBS, IngestKind.watchLines, `${line.replace("ADDED", "DELETED")}\n`, nowMs));
    },
    400,
  );
});

test("the engine survives a limit per index of a Job without indexes, whose pod has failed", () => {
  const labels = { "batch.kubernetes.io/job-completion-index": "0" };
  const job = {
    kind: "Job",
    metadata: { name: "odd", namespace: "a", uid: "uid-odd", resourceVersion: "10", generation: 1 },
    spec: {
      parallelism: 2,
      completions: 2,
      backoffLimitPerIndex: 1,
      completionMode: "NonIndexed",
      template: { metadata: { labels: { a: "b" } }, spec: { containers: [], restartPolicy: "Never" } },
    },
    status: {},
  };
  const pod = {
    kind: "Pod",
    metadata: {
      name: "odd-0",
      namespace: "a",
      uid: "uid-odd-0",
      resourceVersion: "11",
      labels,
      annotations: labels,
      finalizers: ["batch.kubernetes.io/job-tracking"],
      ownerReferences: [{ apiVersion: "batch/v1", kind: "Job", name: "odd", uid: "uid-odd", controller: true }],
    },
    status: { phase: "Failed" },
  };
  attempt(() =>
    engine.ingest(JOBS, IngestKind.watchLines, `${JSON.stringify({ type: "ADDED", object: job })}\n`, START_MS),
  );
  attempt(() =>
    engine.ingest(PODS, IngestKind.watchLines, `${JSON.stringify({ type: "ADDED", object: pod })}\n`, START_MS),
  );
  for (const nowMs of [START_MS, START_MS + 1500, START_MS + 3000]) settleAll(nowMs, () => "{}");
  expect(engine.explain("a", "odd")).toMatchObject({ found: true, failed: 0 });
});

test("the engine survives names to explain", async () => {
  await checkRuns(
    fc.tuple(fc.string({ unit: "binary" }), fc.string({ unit: "binary" })),
    ([namespace, name]) => {
      expect(typeof engine.explain(namespace, name).found).toBe("boolean");
    },
    300,
  );
});

test("the engine takes a configuration whole, or refuses it and takes another one", async () => {
  await fc.assert(
    fc.asyncProperty(mutations, async (list) => {
      const { exports } = await WebAssembly.instantiate(engineModule, {});
      const code = configureRaw(exports, mutated(configuration, list));
      expect(code).toBeOneOf([0, 2]);
      expect(configureRaw(exports, Buffer.from(configuration))).toBe(code === 0 ? 2 : 0);
    }),
    { seed: SEED, numRuns: 300, endOnFailure: true },
  );
});

// The binding makes JSON of an object: these bytes must arrive unchanged.
function configureRaw(exports: object, bytes: Uint8Array): number {
  const { memory, reserve, configure } = exports as unknown as {
    memory: WebAssembly.Memory;
    reserve(size: number): number;
    configure(at: number, size: number): number;
  };
  const at = reserve(bytes.length);
  new Uint8Array(memory.buffer, at, bytes.length).set(bytes);
  return configure(at, bytes.length);
}
