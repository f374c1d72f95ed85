/**
 * `npm run parity -- --random N`: random scenarios, some at a time, and what is printed of them. Returns whether none differs.
 */
import { type Aspect, ASPECTS } from "../scenario.ts";
import { Theatre } from "../theatre.ts";
import type { Ending } from "./agreement.ts";
import { perform, type RandomResult, TAKES } from "./perform.ts";
import { randomScenario } from "./scenario.ts";

/** Pods of four runs each are drawn, so that few begin at the same moment. */
const LANE_DELAY_MS = 500;
/** What pod events cause waits for a second, as upstream does: so both see the same states. */
const STINT_FLAGS = ["--sync-burst=0"];

export interface RandomOptions {
  readonly count: number;
  /** Of the first; the next ones follow. */
  readonly seed: number;
  readonly jobs: number;
  readonly isVerbose: boolean;
}

export async function playRandom({ count, seed, jobs, isVerbose }: RandomOptions): Promise<boolean> {
  const problems = new Map<string, number>();
  const beganMs = performance.now();
  const seconds = (): string => ((performance.now() - beganMs) / 1000).toFixed(0);
  const scenarios = [randomScenario(seed)];
  const theatre = await Theatre.open({ scenarios, takes: TAKES.length, recordsHistory: false, stintFlags: STINT_FLAGS, onProblem: (problem) => problems.set(problem, (problems.get(problem) ?? 0) + 1) });
  try {
    console.log(`Kubernetes ${theatre.controlPlane.version}; ${count} random Jobs from seed ${seed}, ${jobs} at once, each twice by each controller; ready after ${seconds()} s\n`);
    const results: RandomResult[] = [];
    let next = seed;
    await Promise.all(
      Array.from({ length: jobs }, async (_none, lane) => {
        await new Promise((resolve) => setTimeout(resolve, lane * LANE_DELAY_MS));
        while (next < seed + count) {
          const result = await perform(theatre, next++);
          results.push(result);
          console.log(lineOf(result));
          if (result.differences.length > 0 || isVerbose) console.log(detailsOf(result, isVerbose));
        }
      }),
    );
    for (const [problem, times] of problems) console.log(`note (${times}×): ${problem}`);
    console.log(`\ncompared: ${comparedIn(results)}`);
    const failed = results.filter(({ differences }) => differences.length > 0);
    console.log(`played again for a difference that did not last: ${results.filter(({ performances, differences }) => performances > 1 && differences.length === 0).length}`);
    console.log(`\n${results.length - failed.length} passed, ${failed.length} failed; ${seconds()} s`);
    return failed.length === 0;
  } finally {
    await theatre.close();
  }
}

function lineOf({ seed, seconds, performances, differences, undecided, endings }: RandomResult): string {
  const [ending] = endings.upstream;
  const verdict = differences.length > 0 ? "DIFFERS" : "same   ";
  const notes = [performances > 1 ? `played ${performances} times` : "", undecided.length > 0 ? `undecided: ${undecided.join(", ")}` : ""].filter((note) => note !== "");
  return `${verdict}  seed ${String(seed).padEnd(9)}  ${seconds.toFixed(1).padStart(5)} s  ${endOf(ending!)}${notes.length > 0 ? `  (${notes.join("; ")})` : ""}`;
}

function endOf(ending: Ending): string {
  if ("problem" in ending) return ending.problem.slice(0, 60);
  const pods = Object.values(ending.podsCreated).reduce((sum, count) => sum + count, 0);
  const end = ending.order.findLast(({ what }) => /^(Complete|Failed|Suspended) True/.test(what))?.what.replace(/ True (\w+).*/, " $1") ?? "no end";
  return `${String(pods).padStart(3)} pods  ${end}`;
}

function detailsOf({ seed, scenario, differences, endings }: RandomResult, isVerbose: boolean): string {
  const { job, outcome, actions } = scenario;
  return [
    ...differences.map(({ aspect, text }) => `  DIFFERS in ${aspect}: ${text}`),
    `  ${JSON.stringify({ job, outcome, actions })}`,
    `  alone: npm run parity -- --random 1 --seed ${seed} --verbose`,
    ...(isVerbose ? [JSON.stringify(endings, null, 1)] : []),
  ].join("\n");
}

/** What the verdicts rest on: an aspect that is undecided everywhere would find nothing. */
function comparedIn(results: readonly RandomResult[]): string {
  const decided = (aspect: Aspect): number => results.filter(({ undecided }) => !undecided.includes(aspect)).length;
  return `${ASPECTS.filter((aspect) => aspect !== "objects").map((aspect) => `${aspect} ${decided(aspect)}`).join(", ")} of ${results.length}`;
}
