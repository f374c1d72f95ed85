/**
 * The same proof as prove.ts, by upstream's own controller on a real API server. Each Job is first run on virtual time
 * with all its outcomes; those that are over soon enough are candidates, and of these some are run for real: the ones
 * that reach most of the bounds.
 *
 * Left out are therefore outcomes with long waits: a third failure in a row makes the controller wait 40 s, a sixth
 * more than five minutes.
 *
 * A busy machine makes ends late. So a Job with something outside is run again when all others are over, with few at
 * once; it has failed if something is outside again.
 */
import { readFileSync } from "node:fs";
import { Engine } from "../../bindings/js/engine.ts";
import { buildModule, modulePath } from "../../scripts/build-engine.ts";
import { Chance } from "../simulation/chance.ts";
import type { Run, Seen } from "./courses.ts";
import { judge, newTallies } from "./judge.ts";
import { outcomesFor } from "./outcomes.ts";
import type { Proof } from "./prove.ts";
import type { Pace } from "./script.ts";
import { generateSpec } from "./specs.ts";
import { MAX_RUN_MS, runOnUpstream } from "./upstream-runs.ts";
import { runWhole } from "./whole-runs.ts";

/** Real pods take their time to start, the more so on a busy machine. */
const PACE: Pace = { leastMs: 1_000, mostMs: 6_000, startMs: 4_000 };
/** Of each Job. */
const OUTCOMES = 3;
const RUNS_AT_ONCE = 100;
const AGAIN_AT_ONCE = 9;
/** If more than that are left alone before they have ended, something is wrong. */
const MAX_LEFT_SHARE = 0.1;
/** On virtual time, until it has ended and, with a time to live, is deleted. */
const LONGEST_MS = 50_000;

export interface UpstreamProof extends Proof {
  readonly version: string;
  /** Jobs that were passed over: none of their outcomes is over soon enough. */
  readonly tooLong: number;
  /** Runs that were left alone before they had ended. */
  readonly left: number;
  /** What lay outside once, and not again. */
  readonly once: readonly string[];
}

/** Some of the runs of one Job. */
interface Chosen {
  readonly seed: number;
  readonly places: readonly number[];
}

/** @param onProgress gets how many runs are done, of how many */
export async function proveOnUpstream(
  { seed, jobs, randoms }: { readonly seed: number; readonly jobs: number; readonly randoms: number },
  onProgress: (done: number, all: number) => void,
): Promise<UpstreamProof> {
  await buildModule("engine");
  const engine = await Engine.create(await WebAssembly.compile(readFileSync(modulePath("engine"))));
  const chosen: Chosen[] = [];
  let tooLong = 0;
  for (let next = seed; chosen.length < jobs; next++) {
    const virtual = runsOf(next, randoms);
    const places = chosenAmong(engine, virtual, await runWhole(virtual));
    if (places.length > 0) chosen.push({ seed: next, places });
    else tooLong++;
  }
  const tallies = newTallies();
  const perform = async (some: readonly Chosen[], atOnce: number, into: typeof tallies) => {
    // An outcome counts what it has done, so each run gets a new one.
    const groups = some.map((each) => each.places.map((place) => runsOf(each.seed, randoms)[place]!));
    const all = groups.flat();
    const { version, seen, left } = await runOnUpstream(all, atOnce, (done) => onProgress(done, all.length));
    let from = 0;
    const outside = groups.map((group) => {
      const own = seen.slice(from, from + group.length);
      from += group.length;
      return judge(engine, group, own, into, PACE);
    });
    return { version, runs: all.length, left, outside };
  };
  const { version, runs, left, outside: first } = await perform(chosen, RUNS_AT_ONCE, tallies);
  const suspects = chosen.filter((_each, i) => first[i]!.length > 0);
  const again = suspects.length === 0 ? [] : (await perform(suspects, AGAIN_AT_ONCE, newTallies())).outside;
  const outside = again.flat();
  if (left > Math.max(1, runs * MAX_LEFT_SHARE))
    outside.push(`${left} of ${runs} Jobs had not ended after ${MAX_RUN_MS / 1000} s`);
  return {
    runs,
    outside,
    tallies,
    version,
    tooLong,
    left,
    once: first.filter((lines, i) => lines.length > 0 && again[suspects.indexOf(chosen[i]!)]!.length === 0).flat(),
  };
}

function runsOf(seed: number, randoms: number): Run[] {
  const chance = new Chance(seed, "forecast");
  const spec = generateSpec(chance);
  return outcomesFor(spec, chance, randoms, PACE).map((outcome) => ({ spec, outcome }));
}

/** The places of the runs that are over soon enough, those first that reach what no other has reached. */
function chosenAmong(engine: Engine, runs: readonly Run[], seen: readonly Seen[]): number[] {
  const isShort = ({ endMs = Infinity, deletedMs = 0 }: Seen): boolean => Math.max(endMs, deletedMs) <= LONGEST_MS;
  const candidates = runs
    .map((run, at) => ({ at, reaches: isShort(seen[at]!) ? reachedBy(engine, run, seen[at]!) : [] }))
    .filter(({ at }) => isShort(seen[at]!));
  const reached = new Set<string>();
  const chosen: number[] = [];
  while (chosen.length < OUTCOMES && candidates.length > 0) {
    const news = ({ reaches }: (typeof candidates)[number]): number =>
      reaches.filter((name) => !reached.has(name)).length;
    const best = candidates.reduce((one, other) => (news(other) > news(one) ? other : one));
    candidates.splice(candidates.indexOf(best), 1);
    for (const name of best.reaches) reached.add(name);
    chosen.push(best.at);
  }
  return chosen;
}

/** What one run reaches. */
function reachedBy(engine: Engine, run: Run, seen: Seen): string[] {
  const tallies = newTallies();
  judge(engine, [run], [seen], tallies, PACE);
  return [...tallies].flatMap(([name, { reachedExact, reachedBounds }]) =>
    reachedExact + reachedBounds > 0 ? [name] : [],
  );
}
