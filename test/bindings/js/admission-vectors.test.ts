/**
 * Runs the vectors of test/vectors/admission/ (their README.md has the format) on the built engine. Leaves out what a
 * real cluster answered (admission-recordings.test.ts) and hostile input (admission-fuzz.long.test.ts).
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import type { Json, JsonObject } from "../../../cluster/values/types.ts";
import type { EngineConfiguration } from "../../../bindings/js/abi.ts";
import { type Cause, patched, reviewConfigured, reviewRequest } from "./admission-engine.ts";

interface ExpectedCause {
  readonly field: string;
  readonly reason: string;
  readonly message?: string;
  readonly messageEnd?: string;
}

interface Vector {
  readonly name: string;
  readonly spec: string;
  readonly configuration?: EngineConfiguration;
  readonly review: JsonObject;
  readonly expect: {
    readonly allowed: boolean;
    readonly causes?: readonly ExpectedCause[];
    readonly message?: string;
    readonly code?: number;
    readonly patched?: JsonObject;
    readonly patch?: false;
    readonly warnings?: readonly string[];
  };
}

const vectorsFolder = path.resolve(import.meta.dirname, "../../vectors");
const files = readdirSync(path.join(vectorsFolder, "admission")).filter((file) => file.endsWith(".json"));

function readVectors(file: string): Vector[] {
  return JSON.parse(readFileSync(path.join(vectorsFolder, "admission", file), "utf8")) as Vector[];
}

function expectCause(found: Cause, wanted: ExpectedCause): void {
  const { message, ...rest } = found;
  expect(rest).toEqual({ field: wanted.field, reason: wanted.reason });
  if (wanted.message !== undefined) expect(message).toBe(wanted.message);
  if (wanted.messageEnd !== undefined) expect(message.endsWith(wanted.messageEnd), message).toBe(true);
}

describe.each(files)("%s", (file) => {
  test.each(readVectors(file))("$name ($spec)", async ({ configuration, review, expect: wanted }) => {
    const response =
      configuration === undefined ? reviewRequest(review) : await reviewConfigured(configuration, review);
    expect(response.uid).toBe(review["uid"]);
    expect(response.patchType).toBe(response.patch === undefined ? undefined : "JSONPatch");
    const found = response.status?.details?.causes ?? [];
    const lines = (causes: readonly { field: string; reason: string }[]) =>
      causes.map(({ field, reason }) => `${field} ${reason}`);
    expect(lines(found), response.status?.message ?? "").toEqual(lines(wanted.causes ?? []));
    wanted.causes?.forEach((cause, index) => expectCause(found[index]!, cause));
    expect(response.allowed).toBe(wanted.allowed);
    if (!wanted.allowed) expect(response.status?.code).toBe(wanted.code ?? 422);
    if (wanted.message !== undefined) expect(response.status?.message).toBe(wanted.message);
    if (wanted.patched !== undefined) expect(patched(review["object"]!, response)).toEqual(wanted.patched);
    if (wanted.patch === false) expect(response.patch).toBeUndefined();
    if (wanted.warnings !== undefined) expect(response.warnings ?? []).toEqual(wanted.warnings);
  });
});

test("the names of admission vectors are unique", () => {
  const names = files.flatMap((file) => readVectors(file).map(({ name }) => name));
  expect(names.filter((name, index) => names.indexOf(name) !== index)).toEqual([]);
});

test("what was defaulted once is not patched again", () => {
  for (const { review, expect: wanted } of readVectors("defaults.json")) {
    if (wanted.patched === undefined) continue;
    expect(reviewRequest({ ...review, object: wanted.patched }).patch).toBeUndefined();
  }
});

test("annotations of more than 262144 bytes are too long (V7)", () => {
  const [plain] = readVectors("metadata.json");
  const object = structuredClone(plain!.review["object"]) as { metadata: JsonObject };
  object.metadata["annotations"] = { a: "x".repeat(262143) };
  expect(reviewRequest({ ...plain!.review, object: object as unknown as Json }).allowed).toBe(true);
  object.metadata["annotations"] = { a: "x".repeat(262144) };
  expect(reviewRequest({ ...plain!.review, object: object as unknown as Json }).status?.details?.causes).toEqual([
    {
      field: "metadata.annotations",
      reason: "FieldValueTooLong",
      message: "Too long: may not be more than 262144 bytes",
    },
  ]);
});
