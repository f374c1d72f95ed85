/**
 * Plays every vector of test/vectors/engine/ (test/vectors/README.md has the format) on the built engine.
 * Leaves out recordings of a real cluster (recordings.test.ts) and hostile bytes (engine-fuzz.long.test.ts).
 */
import { describe, expect, test } from "vitest";
import schema from "../../vectors/engine.schema.json" with { type: "json" };
import { loadVectors, newEngine } from "./vector-files.ts";
import { runVector } from "./vector-runner.ts";
import type { Step } from "./vector-types.ts";

const vectors = loadVectors();
const files = [...new Set(vectors.map(({ file }) => file))];

describe.each(files)("%s", (file) => {
  const ofFile = vectors.filter((entry) => entry.file === file).map((entry) => ({ ...entry, name: entry.vector.name }));
  test.each(ofFile)("$name", async ({ vector, objects }) => {
    await expect(runVector(vector, objects, { newEngine })).resolves.toBeUndefined();
  });
});

test("names of vectors are unique, and every case names the section of its rule", () => {
  const names = vectors.map(({ file, vector }) => `${file}: ${vector.name}`);
  expect(names.filter((name, i) => names.indexOf(name) !== i)).toEqual([]);
  expect(
    vectors.filter(({ vector }) => !/^(controller|api)\.md \S/.test(vector.spec)).map(({ vector }) => vector.name),
  ).toEqual([]);
});

// A word that is misspelt would be no expectation at all.
test("steps and requests have the members of the schema and no others", () => {
  const { step, request } = schema.$defs;
  const unknownIn = (value: object, allowed: object): string[] => Object.keys(value).filter((key) => !(key in allowed));
  const steps = vectors.flatMap(({ vector }) => vector.steps);
  const wrongSteps = steps.filter((entry) => {
    const kind = step.oneOf.find(({ required }) => required.every((key) => key in entry));
    return kind === undefined || unknownIn(entry, kind.properties).length > 0;
  });
  expect(wrongSteps).toEqual([]);
  const requests = steps.flatMap((entry) => ("run" in entry ? (entry.requests ?? []).flat() : []));
  expect(requests.filter((entry) => unknownIn(entry, request.properties).length > 0)).toEqual([]);
});

test.each([
  [
    "a request that does not come",
    { run: 3000, requests: [{ create: "p1" }, { status: "<any>" }, { strip: "p1" }] },
    /missing: .*strip/,
  ],
  [
    "a request that is not expected",
    { run: 3000, requests: [{ create: "p1" }] },
    /one request too many: PATCH .*status/,
  ],
  ["another request", { run: 3000, requests: [{ strip: "p1" }] }, /the request is POST .*\n {2}expected PATCH/],
  [
    "another index",
    { run: 3000, requests: [{ create: "p1", index: 1 }] },
    /expected the annotation of completion index 1/,
  ],
  ["another status", { run: 3000, requests: [{ create: "p1" }, { status: { active: 1 } }] }, /expected status/],
  [
    "another event",
    {
      run: 3000,
      requests: [{ create: "p1" }, { status: "<any>" }],
      events: [["Normal", "SuccessfulCreate", "Created pod: p2"]],
    },
    /events are/,
  ],
  [
    "another wake-up",
    { run: 3000, requests: [{ create: "p1" }, { status: "<any>" }], nextWakeUp: 4000 },
    /the next wake-up is Infinity, expected 4000/,
  ],
  ["another explanation", { explain: "j", expect: { state: "Running" } }, /"state" is "Waiting", expected "Running"/],
  [
    "another sample",
    { metrics: { families: { "workqueue_adds_total{name=job}": 1 } } },
    /"workqueue_adds_total\{name=job\}" is null, expected 1/,
  ],
  [
    "a family that is misspelt",
    { metrics: { families: { "workqueue_add_total{name=job}": null } } },
    /is of no family that the engine has/,
  ],
] as const)("the runner finds %s", async (_, wrong, message) => {
  const { objects } = vectors[0]!;
  const vector = {
    name: "",
    spec: "",
    steps: [{ start: { j: { from: "job", spec: { parallelism: 1 } } } }, wrong as unknown as Step],
  };
  await expect(runVector(vector, objects, { newEngine })).rejects.toThrow(message);
});
