/** What was once wrong in Kubernetes, planted into the engine: the vectors of its number fail, and no other. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { Engine } from "../../bindings/js/engine.ts";
import type { JsonObject } from "../../cluster/values/types.ts";
import { moduleOf } from "../../scripts/build-engine.ts";
import { reviewRequest } from "../bindings/js/admission-engine.ts";
import { loadVectors } from "../bindings/js/vector-files.ts";
import { runVector } from "../bindings/js/vector-runner.ts";
import { plantedIn } from "./planted.ts";
import { ENGINE_PLANTS, type EnginePlant } from "./plants.ts";

interface AdmissionVector {
  readonly name: string;
  readonly configuration?: JsonObject;
  readonly review: JsonObject;
  readonly expect: { readonly allowed: boolean };
}

const root = path.resolve(import.meta.dirname, "../..");
const regressions = loadVectors().filter(({ file }) => file === "regressions.json");
const updates = (
  JSON.parse(readFileSync(path.join(root, "test/vectors/admission/update.json"), "utf8")) as AdmissionVector[]
).filter(({ configuration }) => configuration === undefined);
const names = [...regressions.map(({ vector }) => vector.name), ...updates.map(({ name }) => name)];

/** A debug build, which takes a second and decides the same. */
async function engineWith({ edits }: Pick<EnginePlant, "edits">): Promise<() => Promise<Engine>> {
  const { binary } = await moduleOf("engine", "debug", (file, text) => plantedIn(file, text, edits));
  const module = await WebAssembly.compile(binary);
  return () => Engine.create(module);
}

async function failedBy(newEngine: () => Promise<Engine>): Promise<string[]> {
  const failed: string[] = [];
  for (const { vector, objects } of regressions)
    await runVector(vector, objects, { newEngine }).catch(() => failed.push(vector.name));
  const reviewer = await newEngine();
  for (const { name, review, expect: wanted } of updates)
    if (reviewRequest(review, reviewer).allowed !== wanted.allowed) failed.push(name);
  return failed;
}

describe("planted into the engine", () => {
  test.each(ENGINE_PLANTS)("$was", async ({ edits, vectors }) => {
    const meant = vectors.map((start) => names.filter((name) => name.startsWith(start)));
    expect(meant.map((found) => found.length)).not.toContain(0);
    expect(await failedBy(await engineWith({ edits }))).toEqual(meant.flat());
  });

  test("nothing: no vector fails", async () => {
    expect(await failedBy(await engineWith({ edits: [] }))).toEqual([]);
  });
});

test("a text that is in its file twice, or not at all, is no plant", () => {
  const edit = { file: "a.ts", text: "x", before: "y" };
  expect(plantedIn("a.ts", "(x)", [edit])).toBe("(y)");
  expect(plantedIn("b.ts", "(z)", [edit])).toBe("(z)");
  expect(() => plantedIn("a.ts", "(z)", [edit])).toThrow("a.ts has this 0 times instead of once: x");
  expect(() => plantedIn("a.ts", "(x, x)", [edit])).toThrow("a.ts has this 2 times instead of once: x");
});
