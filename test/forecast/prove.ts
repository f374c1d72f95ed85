/** Generates Jobs, runs each with many outcomes, and compares all with the forecasts. The same seed gives the same. */
import { readFileSync } from "node:fs";
import { Engine } from "../../bindings/js/engine.ts";
import { buildModule, modulePath } from "../../scripts/build-engine.ts";
import { Chance } from "../simulation/chance.ts";
import { judge, newTallies, type Tally } from "./judge.ts";
import { outcomesFor } from "./outcomes.ts";
import { generateSpec } from "./specs.ts";
import { runWhole } from "./whole-runs.ts";

/** Jobs of one cluster. */
const JOBS_AT_ONCE = 20;

export interface Proof {
  runs: number;
  readonly outside: string[];
  readonly tallies: Map<string, Tally>;
}

/** @param onProgress gets how many Jobs are done */
export async function prove(
  { seed, jobs, randoms }: { seed: number; jobs: number; randoms: number },
  onProgress: (done: number, proof: Proof) => void = () => {},
): Promise<Proof> {
  await buildModule("engine");
  const engine = await Engine.create(await WebAssembly.compile(readFileSync(modulePath("engine"))));
  const proof: Proof = { runs: 0, outside: [], tallies: newTallies() };
  for (let done = 0; done < jobs;) {
    const groups = Array.from({ length: Math.min(JOBS_AT_ONCE, jobs - done) }, (_none, i) => {
      const chance = new Chance(seed + done + i, "forecast");
      const spec = generateSpec(chance);
      return outcomesFor(spec, chance, randoms).map((outcome) => ({ spec, outcome }));
    });
    const seen = await runWhole(groups.flat());
    let from = 0;
    for (const runs of groups) {
      proof.outside.push(...judge(engine, runs, seen.slice(from, from + runs.length), proof.tallies));
      from += runs.length;
    }
    proof.runs += seen.length;
    done += groups.length;
    onProgress(done, proof);
  }
  return proof;
}
