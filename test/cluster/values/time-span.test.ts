/** Time spans in words: the same here as in the engine's sentences. */
import { beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../../../bindings/js/engine.ts";
import { ageText, spanText } from "../../../cluster/values/time-span.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { createEngine } from "../../../host-node/controller/job-controller.ts";
import { buildModule } from "../../../scripts/build-engine.ts";

const YEAR_SECONDS = 31_557_600;
let engine: Engine;
beforeAll(async () => {
  await buildModule("engine");
  engine = await createEngine(await loadEngineModule());
});

/** What the engine makes of a deadline in its forecast of a Job. */
function ofEngine(seconds: number): string | undefined {
  const template = { spec: { restartPolicy: "Never", containers: [{ name: "c", image: "i" }] } };
  const spec = { backoffLimit: 2_147_483_647, activeDeadlineSeconds: seconds, template };
  const { text } = engine.forecast({ job: { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, spec } }, 0);
  return /gives up after ([^(]*) \(/.exec(text)?.[1];
}

describe("spanText", () => {
  it.each([
    [-5, "0 s"],
    [0, "0 s"],
    [0.2, "1 ms"],
    [10, "10 ms"],
    [999, "999 ms"],
    [1000, "1 s"],
    [1001, "2 s"],
    [37_000, "37 s"],
    [119_000, "119 s"],
    [119_001, "2 min"],
    [260_000, "4 min 20 s"],
    [7_199_000, "119 min 59 s"],
    [7_200_000, "2 h"],
    [7_500_000, "2 h 5 min"],
    [100 * YEAR_SECONDS * 1000, "876600 h"],
    [100 * YEAR_SECONDS * 1000 + 1, "more than 100 years"],
    [Infinity, "more than 100 years"],
  ])("%d ms is %s", (ms, text) => {
    expect(spanText(ms)).toBe(text);
  });

  it("is what the engine's sentences say", () => {
    const seconds = [1, 59, 60, 119, 120, 121, 3_599, 3_600, 7_199, 7_200, 7_261, 90_000, 100 * YEAR_SECONDS];
    for (const each of seconds) expect(ofEngine(each), `${each} s`).toBe(spanText(each * 1000));
  });
});

it.each([
  [-5, "0 s"],
  [0, "0 s"],
  [53, "1 s"],
  [1000, "1 s"],
  [59_001, "60 s"],
  [7_260_000, "2 h 1 min"],
])("an age of %j ms is to the second, as the times of the API are: %s", (ms, text) => {
  expect(ageText(ms)).toBe(text);
});
