/**
 * `npm run parity -- --random N`: random scenarios, some at a time, and what is printed of them.
 *
 * Invariant: a difference is reported only if each of {@link PERFORMANCES} performances shows it, the later ones when
 * the machine is less busy: races do not repeat, a fault does.
 */
import { type Aspect, ASPECTS } from "../scenario.ts";
import { Theatre } from "../theatre.ts";
import type { Ending } from "./agreement.ts";
import { inLanes } from "./lanes.ts";
import { perform, type RandomResult, TAKES } from "./perform.ts";
import { randomScenario } from "./scenario.ts";

/** Of a scenario that differs, the first one included. */
const PERFORMANCES = 3;
/** Of those that are played again, at once. */
const MAX_REPLAYS_AT_ONCE = 3;
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
  const theatre = await Theatre.open({
    scenarios,
    takes: TAKES.length,
    recordsHistory: false,
    stintFlags: STINT_FLAGS,
    onProblem: (problem) => problems.set(problem, (problems.get(problem) ?? 0) + 1),
  });
  try {
    console.log(
      `Kubernetes ${theatre.controlPlane.version}; ${count} random Jobs from seed ${seed}, ${jobs} at once, each twice by each controller; ready after ${seconds()} s\n`,
    );
    const tell = (result: RandomResult, isLast: boolean): void => {
      console.log(lineOf(result, isLast));
      if ((isLast && differs(result)) || isVerbose) console.log(detailsOf(result, isVerbose));
    };
    const first = await inLanes(
      Array.from({ length: count }, (_none, at) => seed + at),
      jobs,
      async (each) => {
        const result = await perform(theatre, each, 1);
        tell(result, !differs(result));
        return result;
      },
    );
    const replayed = await inLanes(first.filter(differs), Math.min(jobs, MAX_REPLAYS_AT_ONCE), async (suspect) => {
      const result = await replay(theatre, suspect);
      tell(result, true);
      return result;
    });
    const results = [...first.filter((result) => !differs(result)), ...replayed];
    for (const [problem, times] of problems) console.log(`note (${times}×): ${problem}`);
    console.log(`\ncompared: ${comparedIn(results)}`);
    const failed = results.filter(differs);
    console.log(`differences that did not come again: ${replayed.length - failed.length}`);
    console.log(`\n${results.length - failed.length} passed, ${failed.length} failed; ${seconds()} s`);
    return failed.length === 0;
  } finally {
    await theatre.close();
  }
}

const differs = ({ differences }: RandomResult): boolean => differences.length > 0;

/** Until nothing is left of its differences, or it was played often enough. */
async function replay(theatre: Theatre, suspect: RandomResult): Promise<RandomResult> {
  let result = suspect;
  while (differs(result) && result.performances < PERFORMANCES) {
    const before = result.differences;
    const again = await perform(theatre, suspect.seed, result.performances + 1);
    result = {
      ...again,
      differences: again.differences.filter(({ aspect }) => before.some((difference) => difference.aspect === aspect)),
    };
  }
  return result;
}

function lineOf(
  { seed, seconds, performances, differences, undecided, endings }: RandomResult,
  isLast: boolean,
): string {
  const [ending] = endings.upstream;
  const verdict = differences.length === 0 ? "same   " : isLast ? "DIFFERS" : "again  ";
  const notes = [
    performances > 1 ? `played ${performances} times` : "",
    undecided.length > 0 ? `undecided: ${undecided.join(", ")}` : "",
  ].filter((note) => note !== "");
  const time = `${seconds.toFixed(1).padStart(5)} s`;
  const noteText = notes.length > 0 ? `  (${notes.join("; ")})` : "";
  return `${verdict}  seed ${String(seed).padEnd(9)}  ${time}  ${endOf(ending!)}${noteText}`;
}

function endOf(ending: Ending): string {
  if ("problem" in ending) return ending.problem.slice(0, 60);
  const pods = Object.values(ending.podsCreated).reduce((sum, count) => sum + count, 0);
  const end =
    ending.order
      .findLast(({ what }) => /^(Complete|Failed|Suspended) True/.test(what))
      ?.what.replace(/ True (\w+).*/, " $1") ?? "no end";
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
  return `${ASPECTS.filter((aspect) => aspect !== "objects")
    .map((aspect) => `${aspect} ${decided(aspect)}`)
    .join(", ")} of ${results.length}`;
}
