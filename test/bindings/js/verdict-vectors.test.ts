/**
 * Plays the verdict vectors (test/vectors/verdict/README.md) on the built engine. Their answers are compared with
 * the naive twin, too: a mistake would have to be made twice.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { EngineError, ErrorCode, VerdictReason, VerdictWord } from "../../../bindings/js/engine.ts";
import { naiveVerdict } from "../../naive/verdict.ts";
import { newEngine } from "./vector-files.ts";
import { type VerdictVector, vectorsFolder } from "./verdict-corpus.ts";

const folder = path.join(vectorsFolder, "verdict");
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
const casesOf = (file: string): readonly VerdictVector[] =>
  (JSON.parse(readFileSync(path.join(folder, file), "utf8")) as { cases: VerdictVector[] }).cases;
const all = files.flatMap((file) => casesOf(file));

const engine = await newEngine();

describe.each(files)("%s", (file) => {
  test.each(casesOf(file))("$name", ({ text, input, nowMs, expect: wanted, refused }) => {
    const ask = () => engine.verdict(text ?? input!, nowMs);
    if (refused !== undefined) {
      expect(ask).toThrow(EngineError);
      expect(ask).toThrow(refused);
      return;
    }
    const verdict = ask();
    expect(verdict).toMatchObject(wanted!);
    expect(verdict.sentence).toMatch(/^the Job .*[^ ]$/s);
    expect(valueAt(input!, verdict.evidence)).not.toBe("nowhere");
    const twin = Object.entries(naiveVerdict(input!.job, input!.pods, nowMs));
    expect(Object.fromEntries(twin.filter(([name]) => name in wanted!))).toEqual(
      Object.fromEntries(Object.entries(wanted!).filter(([name]) => twin.some(([known]) => known === name))),
    );
  });
});

/** The value at a path like `job.status.conditions[1]`; "nowhere": the object that should hold it is not there. */
function valueAt(input: object, evidence: string): unknown {
  const parts = evidence.split(/[.[\]]+/).filter((part) => part !== "");
  const last = parts.pop()!;
  let value = input as Record<string, unknown>;
  for (const part of parts) {
    // Defaults may make an object that was not given.
    if ((value[part] ?? null) === null) return part === "status" || part === "spec" ? undefined : "nowhere";
    value = value[part] as Record<string, unknown>;
  }
  return value[last];
}

test("there are at least 400 vectors, each with another name", () => {
  expect(all.length).toBeGreaterThanOrEqual(400);
  expect(all.map(({ name }) => name).filter((name, i, names) => names.indexOf(name) !== i)).toEqual([]);
});

test("every verdict and every reason of ABI.md has a vector", () => {
  const said = new Set(all.flatMap(({ expect: wanted }) => [wanted?.verdict, wanted?.reason]));
  const words = [...Object.values(VerdictWord), ...Object.values(VerdictReason)];
  expect(words.filter((word) => !said.has(word))).toEqual([]);
});

test("verdict() changes nothing, and works before configure()", async () => {
  const fresh = await newEngine();
  const { input, nowMs } = all.find(({ expect: wanted }) => wanted?.verdict === "Retrying")!;
  const first = fresh.verdict(input!, nowMs);
  fresh.configure({
    instance: "v",
    sources: [
      { id: 0, resource: "jobs" },
      { id: 1, resource: "pods" },
    ],
  });
  const before = fresh.poll(1000, 10);
  expect(fresh.verdict(input!, nowMs)).toEqual(first);
  expect(fresh.poll(1000, 10)).toEqual(before);
  expect(fresh.metrics()["jobs"]).toBe(0);
});

test.each([-1, 0.5, NaN, Infinity, 1e18])("a time of %s is refused", (nowMs) => {
  const { input } = all.find(({ input }) => input !== undefined)!;
  expect(() => engine.verdict(input!, nowMs)).toThrow(expect.objectContaining({ code: ErrorCode.badJson }));
  expect(() => engine.verdict(input!, nowMs)).toThrow("now must be a whole number of milliseconds");
});

test("a question of more than 8 MiB is refused", () => {
  const text = `{"job":{},"x":"${"x".repeat(8 * 1024 * 1024)}"}`;
  expect(() => engine.verdict(text, 0)).toThrow("at most 8388608 are read");
});
