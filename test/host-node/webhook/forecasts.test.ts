/** What is handed over for a forecast gives the same forecast as the whole Job. */
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, describe, expect, it } from "vitest";
import { Engine } from "../../../bindings/js/engine.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";
import { loadEngineModule } from "../../../host-node/engine-module.ts";
import { essentialsOf, Forecasts } from "../../../host-node/webhook/forecasts.ts";

let engine: Engine;
beforeAll(async () => {
  engine = await Engine.create((await loadEngineModule()).module);
});

interface Case {
  readonly name: string;
  readonly input?: { readonly job?: JsonObject; readonly assumptions?: { readonly disruptions?: number } };
  readonly refused?: string;
}
const cases = ["forecast", "lint"].flatMap((kind) => {
  const folder = join(import.meta.dirname, "../../vectors", kind);
  const files = readdirSync(folder).filter((file) => file.endsWith(".json"));
  return files.flatMap((file) => (JSON.parse(readFileSync(join(folder, file), "utf8")) as { cases: Case[] }).cases);
});
const jobs = cases.filter(({ input, refused }) => refused === undefined && input?.job?.["spec"] !== undefined);

describe("the forecast of what a forecast looks at", () => {
  it.each([undefined, 0, 3])("is that of the whole Job, with %s disruptions", (disruptions) => {
    const assumptions = disruptions === undefined ? { podMs: 5000 } : { disruptions };
    for (const { name, input } of jobs) {
      const { job } = input!;
      const forecast = (of: object): object => ({ ...engine.forecast({ job: of, assumptions }, 0), fromMs: 0 });
      expect([name, forecast(essentialsOf(job!))]).toEqual([name, forecast(job!)]);
    }
    expect(jobs.length).toBeGreaterThan(150);
  });

  it("is asked for once", () => {
    let asked = 0;
    const forecasts = new Forecasts(
      {
        forecast: (question, nowMs) => {
          asked++;
          return engine.forecast(question, nowMs);
        },
      },
      0,
    );
    const job = { spec: { template: { spec: { restartPolicy: "Never", containers: [{ name: "a", image: "i" }] } } } };
    expect(forecasts.of(job)).toBe(forecasts.of(job));
    expect(asked).toBe(1);
  });

  it("is refused for the same field, where it has the wrong type", () => {
    for (const spec of [5, { template: 5 }, { template: { spec: [] } }, { template: { spec: { containers: {} } } }]) {
      const refusal = (job: object): string => {
        try {
          engine.forecast({ job }, 0);
          return "";
        } catch (error) {
          return (error as Error).message;
        }
      };
      expect([spec, refusal(essentialsOf({ spec }))]).toEqual([spec, refusal({ spec })]);
    }
  });
});
