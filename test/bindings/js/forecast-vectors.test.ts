/** Plays the forecast vectors (test/vectors/forecast/README.md) on the built engine. */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, test } from "vitest";
import { EngineError, ErrorCode, type ForecastQuestion } from "../../../bindings/js/engine.ts";
import { newEngine } from "./vector-files.ts";
import { vectorsFolder } from "./verdict-corpus.ts";

interface ForecastVector {
  readonly name: string;
  readonly nowMs: number;
  readonly input?: ForecastQuestion;
  readonly text?: string;
  readonly expect?: object;
  readonly refused?: string;
}

const folder = path.join(vectorsFolder, "forecast");
const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
const casesOf = (file: string): readonly ForecastVector[] =>
  (JSON.parse(readFileSync(path.join(folder, file), "utf8")) as { cases: ForecastVector[] }).cases;
const all = files.flatMap((file) => casesOf(file));

const engine = await newEngine();

describe.each(files)("%s", (file) => {
  test.each(casesOf(file))("$name", ({ text, input, nowMs, expect: wanted, refused }) => {
    const ask = () => engine.forecast(text ?? input!, nowMs);
    if (refused === undefined) {
      expect(ask()).toMatchObject(wanted!);
      return;
    }
    expect(ask).toThrow(EngineError);
    expect(ask).toThrow(refused);
  });
});

test("the names of forecast vectors are unique", () => {
  expect(all.map(({ name }) => name).filter((name, i, names) => names.indexOf(name) !== i)).toEqual([]);
});

test("forecast() changes nothing, and works before configure()", async () => {
  const fresh = await newEngine();
  const { input, nowMs } = all[0]!;
  const first = fresh.forecast(input!, nowMs);
  fresh.configure({
    instance: "f",
    sources: [
      { id: 0, resource: "jobs" },
      { id: 1, resource: "pods" },
    ],
  });
  const before = fresh.poll(1000, 10);
  expect(fresh.forecast(input!, nowMs)).toEqual(first);
  expect(fresh.poll(1000, 10)).toEqual(before);
  expect(fresh.metrics()["jobs"]).toBe(0);
});

test("the status of a Job changes nothing", () => {
  const { input, nowMs } = all[0]!;
  const job = { ...input!.job, status: { failed: 3, active: 1, startTime: "2026-01-01T00:00:00Z" } };
  expect(engine.forecast({ job }, nowMs)).toEqual(engine.forecast(input!, nowMs));
});

test.each([-1, 0.5, NaN, Infinity, 1e18])("a time of %s is refused", (nowMs) => {
  const ask = () => engine.forecast(all[0]!.input!, nowMs);
  expect(ask).toThrow(expect.objectContaining({ code: ErrorCode.badJson }));
  expect(ask).toThrow("now must be a whole number of milliseconds");
});
