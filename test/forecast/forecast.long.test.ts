/**
 * Forecasts, compared with what Jobs do: `npm run forecast` with few Jobs; CI runs it with more. And a forecast that is
 * wrong is found.
 */
import { readFileSync } from "node:fs";
import { expect, test } from "vitest";
import { Engine, type Forecast } from "../../bindings/js/engine.ts";
import { modulePath } from "../../scripts/build-engine.ts";
import { judge, newTallies } from "./judge.ts";
import { outcomesFor } from "./outcomes.ts";
import { prove } from "./prove.ts";
import { Chance } from "../simulation/chance.ts";
import type { JobSpec } from "./specs.ts";
import { runWhole } from "./whole-runs.ts";
import { tries } from "../tries.ts";

const JOBS = tries(60, 20);
const JOBS_A_TEST = JOBS / 2;
/** A test runs a thousand Jobs; this is for machines that are busy. */
const TIMEOUT_MS = 300_000;
/** Of the exact numbers that say how many, so many are reached: the search is not perfect. */
const MIN_REACHED = 0.85;
const COUNTS = ["pods.least", "pods.most", "containerStarts.most", "peak"];

const firstSeeds = Array.from({ length: JOBS / JOBS_A_TEST }, (_none, i) => 1 + i * JOBS_A_TEST);

test.each(firstSeeds)(
  `Jobs from seed %i on`,
  async (seed) => {
    const { outside, tallies } = await prove({ seed, jobs: JOBS_A_TEST, randoms: 2 });
    expect(outside).toEqual([]);
    for (const name of COUNTS) {
      const { exact, reachedExact } = tallies.get(name)!;
      expect(exact, name).toBeGreaterThan(JOBS_A_TEST / 4);
      expect(reachedExact / exact, name).toBeGreaterThan(MIN_REACHED);
    }
  },
  TIMEOUT_MS,
);

const spec: JobSpec = {
  parallelism: 2,
  completions: 3,
  backoffLimit: 2,
  template: {
    spec: {
      restartPolicy: "Never",
      terminationGracePeriodSeconds: 5,
      containers: [{ name: "main", image: "busybox" }],
      initContainers: [],
    },
  },
};

test.each([
  ["pods.most", (forecast: Forecast) => ({ ...forecast, pods: { ...forecast.pods, most: less(forecast.pods.most) } })],
  [
    "pods.least",
    (forecast: Forecast) => ({ ...forecast, pods: { ...forecast.pods, least: more(forecast.pods.least) } }),
  ],
  ["peak", (forecast: Forecast) => ({ ...forecast, peak: { value: 1, is: "bound" } })],
  [
    "end.latestMs",
    (forecast: Forecast) => ({ ...forecast, end: { ...forecast.end, latestMs: { value: 60_000, is: "bound" } } }),
  ],
])("a wrong %s is found", async (name, change) => {
  const engine = await Engine.create(await WebAssembly.compile(readFileSync(modulePath("engine"))));
  const runs = outcomesFor(spec, new Chance(1, "wrong"), 2).map((outcome) => ({ spec, outcome }));
  const seen = await runWhole(runs);
  const wrong = { forecast: (...asked: Parameters<Engine["forecast"]>) => change(engine.forecast(...asked)) };
  expect(judge(engine, runs, seen, newTallies())).toEqual([]);
  expect(judge(wrong as Engine, runs, seen, newTallies()).join("\n")).toContain(`${name} is`);
});

function less(amount: Forecast["peak"]): object {
  return { ...amount, value: amount.value! - 1 };
}

function more(amount: Forecast["peak"]): object {
  return { ...amount, value: amount.value! + 1 };
}
