/**
 * Hostile input for admission: whatever the bytes, the engine answers or refuses with a sentence, and continues.
 * Mutations of the vectors' reviews by bytes and by values, and documents built to be slow. Leaves out what the answers
 * are: the vectors.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import fc from "fast-check";
import { expect, test } from "vitest";
import { EngineError, MAX_REVIEW_BYTES } from "../../../bindings/js/engine.ts";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import { engine, freshEngine, reviewText } from "./admission-engine.ts";
import { tries } from "../../tries.ts";

const RUNS = tries(1500);
const folder = path.resolve(import.meta.dirname, "../../vectors/admission");
const requests: JsonObject[] = readdirSync(folder)
  .filter((file) => file.endsWith(".json"))
  .flatMap((file) => JSON.parse(readFileSync(path.join(folder, file), "utf8")) as { review: JsonObject }[])
  .map(({ review }) => review);

/** The answer, or the sentence of the refusal. A trap is an EngineError with code -1 and fails. */
function ask(input: Uint8Array | string): string {
  try {
    const answer = engine.review(input);
    expect(typeof (JSON.parse(answer) as { response: { allowed: boolean } }).response.allowed).toBe("boolean");
    return answer;
  } catch (error) {
    if (!(error instanceof EngineError)) throw error;
    expect(error.code, error.message).not.toBe(-1);
    expect(error.message).not.toBe("");
    return error.message;
  }
}

/** Every place of a document, as the holder and the key in it. */
function places(value: Json, found: [JsonObject, string][] = []): [JsonObject, string][] {
  if (value === null || typeof value !== "object") return found;
  for (const key of Object.keys(value)) {
    found.push([value as JsonObject, key]);
    places((value as JsonObject)[key]!, found);
  }
  return found;
}

test("review() survives bytes cut, overwritten and inserted", () => {
  const mutation = fc.record({
    at: fc.nat(),
    kind: fc.constantFrom("cut", "overwrite", "insert"),
    byte: fc.oneof(
      fc.integer({ min: 0, max: 255 }),
      fc.constantFrom(...Array.from('{}[]",:\\0-e.ntf', (c) => c.charCodeAt(0))),
    ),
  });
  fc.assert(
    fc.property(
      fc.constantFrom(...requests),
      fc.array(mutation, { minLength: 1, maxLength: 4 }),
      (request, mutations) => {
        let bytes = Buffer.from(reviewText(request));
        for (const { at, kind, byte } of mutations) {
          const place = at % (bytes.length + 1);
          if (kind === "cut") bytes = bytes.subarray(0, place);
          else if (kind === "insert")
            bytes = Buffer.concat([bytes.subarray(0, place), Buffer.from([byte]), bytes.subarray(place)]);
          else if (place < bytes.length) bytes[place] = byte;
        }
        ask(bytes);
      },
    ),
    { seed: 1, numRuns: RUNS },
  );
});

test("review() survives values replaced by values of any kind", () => {
  const value: fc.Arbitrary<Json> = fc.oneof(
    fc.constantFrom<Json>(
      null,
      true,
      false,
      0,
      -1,
      1.5,
      2 ** 31,
      2 ** 53,
      -(2 ** 63),
      1e300,
      "",
      "Indexed",
      "Always",
      "True",
      "0-9",
      '𝒳\u0000"\\',
      [],
      {},
      [null],
      [[]],
      { "": null },
    ),
    fc.string({ unit: "binary" }),
    fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>,
  );
  fc.assert(
    fc.property(
      fc.constantFrom(...requests),
      fc.array(fc.tuple(fc.nat(), value), { minLength: 1, maxLength: 4 }),
      (request, replacements) => {
        const copy = structuredClone(request);
        for (const [at, replacement] of replacements) {
          const all = places(copy);
          const [holder, key] = all[at % all.length]!;
          holder[key] = structuredClone(replacement);
        }
        ask(reviewText(copy));
      },
    ),
    { seed: 2, numRuns: RUNS },
  );
});

test("review() survives any bytes", () => {
  fc.assert(
    fc.property(fc.uint8Array({ maxLength: 200 }), (bytes) => void ask(bytes)),
    { seed: 3, numRuns: RUNS },
  );
});

test("review() refuses input that is no review with a sentence", () => {
  expect(ask("")).toContain("the review cannot be read");
  expect(ask("{}")).toContain("only an AdmissionReview of admission.k8s.io/v1 is answered");
  expect(ask('{"apiVersion":"admission.k8s.io/v1beta1","kind":"AdmissionReview"}')).toContain(
    '"admission.k8s.io/v1beta1"',
  );
  expect(ask('{"apiVersion":"admission.k8s.io/v1","kind":"AdmissionReview","request":{}}')).toContain(
    "no request with a uid",
  );
  expect(ask(`${reviewText(requests[0]!)} x`)).toContain("something follows");
  expect(ask(reviewText({ uid: "r", deep: JSON.parse("[".repeat(120) + "]".repeat(120)) as Json }))).toContain(
    "nested deeper than 100",
  );
  expect(ask(reviewText({ uid: "r", many: Array.from({ length: 250_001 }, () => 0) }))).toContain(
    "more than 250000 values",
  );
  expect(ask(" ".repeat(MAX_REVIEW_BYTES + 1))).toContain("at most 8388608 are read");
});

const MANY = 40_000;
const many = <T>(make: (index: number) => T): T[] => Array.from({ length: MANY }, (_, index) => make(index));
const created = requests.find(
  (request) => request["operation"] === "CREATE" && (request["object"] as JsonObject)["kind"] === "Job",
)!;

// What takes quadratic time here takes longer than the test may. Each case has one list or map of a size that no
// Kubernetes object reaches.
test.each<
  [
    string,
    (job: {
      metadata: JsonObject;
      spec: JsonObject & { template: { spec: JsonObject & { containers: JsonObject[] } } };
    }) => void,
  ]
>([
  ["labels", (job) => (job.metadata["labels"] = Object.fromEntries(many((i) => [`k${i}`, "v"])))],
  [
    "owners, each of them the controller",
    (job) => (job.metadata["ownerReferences"] = many(() => ({ controller: true, kind: "K", name: "n" }))),
  ],
  ["finalizers", (job) => (job.metadata["finalizers"] = many((i) => `x${i}`))],
  [
    "selector expressions over many labels",
    (job) => {
      job.spec["manualSelector"] = true;
      (job.spec.template as JsonObject)["metadata"] = { labels: Object.fromEntries(many((i) => [`k${i}`, "v"])) };
      job.spec["selector"] = { matchExpressions: many((i) => ({ key: `k${MANY - 1 - i}`, operator: "Exists" })) };
    },
  ],
  ["containers of one name", (job) => (job.spec.template.spec.containers = many(() => ({ name: "c", image: "x" })))],
  [
    "ports with one number",
    (job) =>
      (job.spec.template.spec.containers[0]!["ports"] = many((i) => ({
        containerPort: 1,
        hostPort: 1 + (i % 60_000),
      }))),
  ],
  ["variables of one name", (job) => (job.spec.template.spec.containers[0]!["env"] = many(() => ({ name: "A" })))],
  [
    "mounts of missing volumes",
    (job) =>
      (job.spec.template.spec.containers[0]!["volumeMounts"] = many((i) => ({ name: `v${i}`, mountPath: `/${i}` }))),
  ],
  [
    "exit codes",
    (job) =>
      (job.spec["podFailurePolicy"] = {
        rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: many((i) => -i) } }],
      }),
  ],
  [
    "index text",
    (job) =>
      Object.assign(job.spec, {
        completionMode: "Indexed",
        completions: MANY * 2,
        successPolicy: { rules: [{ succeededIndexes: many((i) => 2 * i).join(",") }] },
      }),
  ],
])("%s by the ten thousand", (_name, enlarge) => {
  const request = structuredClone(created);
  enlarge(request["object"] as never);
  expect(ask(reviewText(request))).toContain('"allowed":');
});

test("two large objects are compared in time", () => {
  const labels = (from: number) => Object.fromEntries(many((i) => [`k${(i + from) % MANY}`, "v"]));
  const of = (from: number) => ({
    ...(created["object"] as JsonObject),
    spec: { template: { metadata: { annotations: labels(from) }, spec: { nodeSelector: labels(from) } } },
  });
  expect(ask(reviewText({ ...created, operation: "UPDATE", object: of(0), oldObject: of(MANY / 2) }))).toContain(
    '"allowed":',
  );
});

test("memory stays at its high-water mark", async () => {
  const fresh = await freshEngine();
  const texts = requests.map(reviewText);
  const round = (): void => texts.forEach((text) => void fresh.review(text));
  for (let i = 0; i < 3; i++) round();
  const before = fresh.memoryBytes;
  for (let i = 0; i < 10; i++) round();
  expect(fresh.memoryBytes).toBe(before);
});
