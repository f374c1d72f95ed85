/**
 * How long a test waits for its cluster: the first of a process, for which Node compiles the code and the engine, and a
 * later one. Each round is a separate process with the bundle that users have; the quickest one counts, because other
 * processes only take time away. Leaves out loading that bundle.
 */
import { execFileSync } from "node:child_process";
import { resolve } from "node:path";
import type { Bench, Contender } from "./measure.ts";

const BUNDLE = resolve(import.meta.dirname, "../../dist/testing.mjs");
const AIM_MICROS = 50_000;
/** Prints how many microseconds the first cluster took, and the second. */
const PROGRAM = `
const { startCluster } = await import(${JSON.stringify(BUNDLE)});
const times = [];
for (let i = 0; i < 2; i++) {
  const began = performance.now();
  const cluster = await startCluster();
  times.push((performance.now() - began) * 1000);
  await cluster.stop();
}
console.log(JSON.stringify(times));`;

export function testClusterBenches(isQuick: boolean): Bench[] {
  const rounds = isQuick ? 3 : 11;
  const nth = (name: string, index: number): Contender => ({
    name,
    run: () => Math.min(...Array.from({ length: rounds }, () => oneRound()[index]!)),
  });
  return [
    {
      title: "a test cluster started in this process",
      unit: { kind: "long", per: "cluster" },
      contenders: () => [nth("the first", 0), nth("a later one", 1), { name: "aim", amount: AIM_MICROS }],
    },
  ];
}

function oneRound(): readonly number[] {
  return JSON.parse(execFileSync(process.execPath, ["--input-type=module", "-e", PROGRAM], { encoding: "utf8" }));
}
