/**
 * What a call leaves behind is freed by a later call: memory stands still over very many calls of every kind that makes
 * garbage, and an engine that was saved with garbage in it continues as the one that was not.
 */
import { beforeEach, expect, test } from "vitest";
import { type Engine, ErrorCode, IngestKind } from "../../../bindings/js/engine.ts";
import { newEngine } from "./vector-files.ts";
import { tries } from "../../tries.ts";

const CALLS = tries(100_000, 12_000);
// By then every buffer has the size that it keeps.
const WARM_UP_CALLS = 2_000;
const CONFIGURATION = {
  instance: "a",
  sources: [
    { id: 0, resource: "jobs" },
    { id: 1, resource: "pods" },
  ],
} as const;
const object = {
  kind: "Job",
  metadata: { name: "j", namespace: "ns", uid: "uid-j", resourceVersion: "5", generation: 1 },
  spec: {
    parallelism: 1,
    completions: -1,
    template: {
      metadata: { labels: { a: "b" } },
      spec: { containers: [{ name: "c", image: "i" }], restartPolicy: "Sometimes" },
    },
  },
};
const review = JSON.stringify({
  apiVersion: "admission.k8s.io/v1",
  kind: "AdmissionReview",
  request: {
    uid: "u",
    kind: { group: "batch", version: "v1", kind: "Job" },
    operation: "CREATE",
    namespace: "ns",
    object,
  },
});
const readable = `${JSON.stringify({ type: "ADDED", object: { ...object, spec: { ...object.spec, completions: 1 } } })}\n`;
const withoutTime = { ...object.metadata, resourceVersion: "6", creationTimestamp: "now" };
const unreadable = `${JSON.stringify({ type: "MODIFIED", object: { ...object, metadata: withoutTime } })}\n`;

let engine: Engine;
beforeEach(async () => {
  engine = await newEngine();
});

type Call = (engine: Engine, i: number) => unknown;
/** Without `expect`, which takes longer than the call. */
const refused =
  (call: Call): Call =>
  (engine, i) => {
    try {
      call(engine, i);
    } catch {
      return;
    }
    throw new Error(`call ${i} was not refused`);
  };

const answersUnreadable: Call = (engine, i) => {
  const code = engine.ingest(0, IngestKind.watchLines, unreadable, 1000);
  if (code !== ErrorCode.unreadableObject) throw new Error(`call ${i} answers ${code}`);
};

const withExpressions = (type: string, i: number): string => {
  const metadata = { ...object.metadata, name: "e", uid: `uid-${i}`, resourceVersion: String(10 + i) };
  const selector = { matchExpressions: [{ key: "app", operator: "DoesNotExist" }] };
  const spec = { ...object.spec, completions: 1, selector };
  return `${JSON.stringify({ type, object: { kind: "Job", metadata, spec } })}\n`;
};

const calls: readonly (readonly [string, boolean, Call])[] = [
  ["reviews", false, (engine) => engine.review(review)],
  ["refused reviews", false, refused((engine) => engine.review('{"apiVersion":"v1","kind":"Job"'))],
  [
    "refused configurations",
    false,
    refused((engine) => engine.configure({ ...CONFIGURATION, instance: "x".repeat(40) })),
  ],
  ["questions of lint", false, (engine) => engine.lint({ job: object }, 0)],
  ["unreadable objects", true, answersUnreadable],
  [
    "Jobs with selectors of expressions",
    true,
    (engine, i) =>
      engine.ingest(0, IngestKind.watchLines, withExpressions("ADDED", i) + withExpressions("DELETED", i), 1000),
  ],
  ["broken lines", true, refused((engine) => engine.ingest(1, IngestKind.watchLines, "{]\n", 1000))],
  ["outcomes of unknown requests", true, refused((engine) => engine.settle(99, 200, -1, "", 1000))],
  ["explanations", true, (engine) => engine.explain("ns", "j")],
  ["metrics", true, (engine) => engine.metrics()],
  ["polls", true, (engine, i) => engine.poll(1000 + i, 100)],
];

test.each(calls)("%s leave nothing behind", (_, isConfigured, call) => {
  if (isConfigured) {
    engine.configure(CONFIGURATION);
    engine.ingest(0, IngestKind.watchLines, readable, 1000);
  }
  for (let i = 0; i < WARM_UP_CALLS; i++) call(engine, i);
  const bytes = engine.memoryBytes;
  for (let i = WARM_UP_CALLS; i < CALLS; i++) call(engine, i);
  expect(engine.memoryBytes).toBe(bytes);
});

test("an engine saved between a review and the collection continues bit for bit", async () => {
  engine.configure(CONFIGURATION);
  engine.review(review);
  const restored = await newEngine();
  restored.restore(engine.save());
  const answers = [engine, restored].map((each) => {
    const outputs = [
      each.review(review),
      each.ingest(0, IngestKind.watchLines, unreadable, 1000),
      each.poll(1000, 10),
      each.review(review),
    ];
    return { outputs, saved: each.save() };
  });
  expect(answers[1]!.outputs).toEqual(answers[0]!.outputs);
  expect(answers[1]!.saved.globals).toEqual(answers[0]!.saved.globals);
  expect(Buffer.compare(answers[1]!.saved.memory, answers[0]!.saved.memory)).toBe(0);
});

test("a review of a text that is as long as can be takes memory in proportion to it", () => {
  const name = "x".repeat(70_000);
  const long = JSON.parse(review) as { request: { object: { metadata: object } } };
  Object.assign(long.request.object.metadata, {
    annotations: { [`example.com/${name}`]: "" },
    finalizers: Array.from({ length: 2000 }, (_, i) => `example.com/${i}-${name.slice(0, 40)}`),
  });
  engine.review(JSON.stringify(long));
  expect(engine.memoryBytes).toBeLessThan(64 * 1024 * 1024);
});
