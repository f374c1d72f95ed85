/** The corpus itself, without a server: cases repeat, changes follow the schema, and what differs is distinguished. */
import { describe, expect, test } from "vitest";
import type { JsonObject } from "../../cluster/values/types.ts";
import { Chance } from "../simulation/chance.ts";
import type { Answer, Cause } from "./ask.ts";
import { differencesOf } from "./differences.ts";
import { generate, STORED_JOBS } from "./generate.ts";
import { mutate } from "./mutate.ts";
import { kindIn, type OpenApiDocument } from "./schema.ts";
import { Tally } from "./tally.ts";

const OPEN_API: OpenApiDocument = {
  components: {
    schemas: {
      Kind: {
        type: "object",
        properties: {
          metadata: { type: "object", properties: { name: { type: "string" } } },
          spec: { allOf: [{ $ref: "#/components/schemas/Spec" }] },
        },
      },
      Spec: {
        type: "object",
        properties: {
          count: { type: "integer" },
          mode: { type: "string", enum: ["On", "Off"] },
          inner: { $ref: "#/components/schemas/Spec" },
          labels: { type: "object", additionalProperties: { type: "string" } },
          template: { type: "object", properties: { count: { type: "integer" } } },
        },
      },
    },
  },
};
const KIND = kindIn(OPEN_API, "Kind");
const KINDS = { Job: KIND, Pod: KIND };

describe("cases", () => {
  test("are functions of the seed and their number", () => {
    const objects = (seed: number): JsonObject[] =>
      Array.from({ length: 50 }, (_none, number) => generate(seed, number, KINDS).change({ spec: { count: 1 } }));
    expect(objects(1)).toEqual(objects(1));
    expect(objects(1)).not.toEqual(objects(2));
  });

  test("create Jobs and Pods and update Jobs that are there", () => {
    const cases = Array.from({ length: 200 }, (_none, number) => generate(1, number, KINDS));
    expect(new Set(cases.map(({ kind, verb }) => `${verb} ${kind}`))).toEqual(
      new Set(["create Job", "create Pod", "update Job"]),
    );
    const names = STORED_JOBS.map(({ job }) => (job["metadata"] as JsonObject)["name"]);
    expect(new Set(names).size).toBe(names.length);
    for (const { verb, name } of cases) if (verb === "update") expect(names).toContain(name);
  });
});

describe("a change", () => {
  test("reaches every field of the schema, also those that the document lacks", () => {
    const met = new Set<string>();
    for (let number = 0; number < 2_000; number++) {
      const document: JsonObject = { metadata: { name: "a" }, spec: { mode: "On", labels: { a: "b" } } };
      mutate(document, KIND, new Chance(number, "test"));
      for (const name of Object.keys((document["spec"] as JsonObject | undefined) ?? {})) met.add(name);
    }
    for (const name of ["count", "mode", "inner", "labels", "template", "unknown"]) expect(met).toContain(name);
  });

  test("stays within the member that is named, but for its template", () => {
    for (let number = 0; number < 500; number++) {
      const document: JsonObject = { metadata: { name: "a" }, spec: { count: 1, template: { count: 2 } } };
      mutate(document, KIND, new Chance(number, "test"), "spec");
      expect(document["metadata"]).toEqual({ name: "a" });
      expect((document["spec"] as JsonObject)["template"]).toEqual({ count: 2 });
    }
  });
});

describe("differences", () => {
  const cause = (field: string, message = "Required value", reason = "FieldValueRequired"): Cause => ({
    field,
    reason,
    message,
  });
  const refusal = (...causes: Cause[]): Answer => ({
    status: 422,
    reason: "Invalid",
    causes,
    warnings: [],
    message: causes.map(({ field, message }) => `${field}: ${message}`).join(", "),
  });
  const success = (object: JsonObject = {}, warnings: readonly string[] = []): Answer => ({
    status: 201,
    object,
    causes: [],
    warnings,
  });
  const a = cause("spec.suspend");
  const b = cause("spec.template.spec.containers[3].name");
  const shown = (value: string): Cause =>
    cause("spec.suspend", `Invalid value: ${value}: field is immutable`, "FieldValueInvalid");

  test.each<[string, Answer, Answer, readonly string[]]>([
    ["nothing", refusal(a, b), refusal(a, b), []],
    ["a verdict", refusal(b), success(), ["verdict: accepts pod.containers[].name Required: Required value"]],
    ["the other verdict", success(), refusal(a), ["verdict: refuses spec.suspend Required: Required value"]],
    ["a cause too few", refusal(a, b), refusal(b), ["cause: misses spec.suspend Required: Required value"]],
    ["a cause too many", refusal(a), refusal(a, b), ["cause: invents pod.containers[].name Required: Required value"]],
    [
      "the order",
      refusal(a, b),
      refusal(b, a),
      ["order: has another order from spec.suspend Required: Required value on"],
    ],
    [
      "a value",
      refusal(shown('{"A":1}')),
      refusal(shown('{"a":1}')),
      ["message: shows another value in spec.suspend Invalid: Invalid value: {…}: field is immutable"],
    ],
    ["a default", success({ spec: { suspend: 1 } }), success({ spec: {} }), ["stored object: stores no spec.suspend"]],
    ["another default", success({ a: [1] }), success({ a: [2] }), ["stored object: stores another a[]"]],
    ["a warning", success({}, ["7 apples"]), success(), ["warning: lacks the warning N apples"]],
  ])("tell %s", (_what, upstream, stint, expected) => {
    expect(differencesOf(upstream, stint).map(({ weight, what }) => `${weight}: ${what}`)).toEqual(expected);
  });

  test("are counted by class, and an unknown class is named as one", () => {
    const tally = new Tally();
    for (const number of [7, 9])
      tally.add(generate(1, number, KINDS), [{ weight: "verdict", what: "accepts something" }]);
    tally.add(generate(1, 11, KINDS), []);
    expect([tally.cases, tally.differing]).toEqual([3, 2]);
    expect(tally.report(() => undefined, undefined)).toContain("2×  accepts something  (case 7)  NOT KNOWN");
    expect(tally.report(() => "a reason", "some")).toContain("(case 7, 9)  known: a reason");
  });
});
