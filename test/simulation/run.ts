/**
 * A run from its seed to its verdict: some steps full of faults, then calm, in which everything that can end must end
 * within a bound, and then silence, in which nothing more may be sent. The same seed and number of steps give the same
 * run.
 */
import { Chance } from "./chance.ts";
import type { Plant } from "./controller-process.ts";
import { Course } from "./course.ts";
import { type InvariantName, Violation, violate } from "./invariants/check.ts";
import { unclaimed } from "./invariants/claims.ts";
import { describePlan } from "./plan.ts";
import { World } from "./world.ts";

/** After the faults have stopped: the longest back-off is ten minutes, and some may follow one another. */
const MAX_CALM_MS = 4 * 3600_000;
/** The longest that a sync waits to be tried again is a minute, and it may have to be twice. */
const MAX_CLAIM_MS = 130_000;
const CALM_SLICE_MS = 30_000;
/** How long it has to be silent. */
const SILENCE_MS = 15 * 60_000;
const SHOWN_TRACE_LINES = 80;

export const DEFAULT_STEPS = 80;

export interface RunOptions {
  readonly seed: number;
  readonly steps?: number;
  /** A bug to be found. */
  readonly plant?: Plant;
  /** Is given every line of the trace. */
  readonly print?: (line: string) => void;
}

/** Not a rule that was broken, but an error in the simulation or in the cluster. */
export const SIMULATION_ERROR = "the simulation works";

export interface Failure {
  readonly invariant: InvariantName | typeof SIMULATION_ERROR;
  readonly message: string;
  /** 1-based; one more than there are steps: after the faults. */
  readonly step: number;
  /** The last things that happened, oldest first. */
  readonly trace: readonly string[];
}

export interface Outcome {
  readonly seed: number;
  readonly steps: number;
  readonly failure: Failure | undefined;
  /** What the run was made of. */
  readonly plan: string;
  readonly jobs: number;
  readonly pods: number;
  /** SHA-256 of all that the controllers sent and decided: two builds of the engine that give the same do the same. */
  readonly digest: string;
}

export async function simulate({ seed, steps = DEFAULT_STEPS, plant, print }: RunOptions): Promise<Outcome> {
  const chance = new Chance(seed, "run");
  const world = new World({
    chance,
    ...(plant === undefined ? {} : { plant }),
    ...(print === undefined ? {} : { print }),
  });
  let step = 0;
  let failure: Failure | undefined;
  try {
    await world.stockEngines();
    const course = new Course(world, chance.fork("course"));
    while (step < steps) {
      step++;
      await world.stockEngines();
      course.step();
    }
    step++;
    course.calm();
    rest(world);
    course.explain();
    world.users.settle();
    settle(world, course);
    course.measure();
  } catch (error) {
    const violation = world.judge.violation ?? (error instanceof Violation ? error : undefined);
    failure = {
      invariant: violation?.invariant ?? SIMULATION_ERROR,
      message: violation?.message ?? String((error as Error).stack),
      step,
      trace: world.trace.lines(SHOWN_TRACE_LINES),
    };
  }
  return {
    seed,
    steps,
    failure,
    plan: describePlan(world.plan),
    jobs: world.ledger.jobs.size,
    pods: world.ledger.pods.size,
    digest: world.judge.digest(),
  };
}

/** The fewest steps with which this seed fails in the same way; found by trying, from few to many. */
export async function shrink(failed: Outcome, plant?: Plant): Promise<Outcome> {
  const { seed, failure } = failed;
  let best = failed;
  for (let steps = Math.min(failed.steps, failure!.step); steps >= 0; steps--) {
    const outcome = await simulate({ seed, steps, ...(plant === undefined ? {} : { plant }) });
    if (outcome.failure?.invariant !== failure!.invariant) break;
    best = outcome;
  }
  return best;
}

/** Jobs that are suspended or want no pods do not end: what their pods are is seen before people let them continue. */
function rest(world: World): void {
  world.clock.advance(MAX_CLAIM_MS);
  const before = new Set(unclaimed(world.ledger));
  if (before.size === 0) return;
  // Something may just have happened.
  world.clock.advance(MAX_CLAIM_MS);
  const left = unclaimed(world.ledger).filter((problem) => before.has(problem));
  if (left.length > 0)
    violate(
      "pods are claimed in the end",
      `${(2 * MAX_CLAIM_MS) / 1000} s after the faults stopped: ${left.join("; ")}`,
    );
}

function settle(world: World, course: Course): void {
  const { clock } = world;
  const endMs = clock.now() + MAX_CALM_MS;
  while (world.unfinished().length > 0) {
    if (clock.now() >= endMs)
      violate(
        "everything comes to its end",
        `${MAX_CALM_MS / 60_000} minutes after the faults stopped: ${world.unfinished().join("; ")}`,
      );
    clock.advance(CALM_SLICE_MS);
    course.explain();
  }
  // The last answers and events.
  clock.advance(CALM_SLICE_MS);
  const { writes } = world.judge;
  clock.advance(SILENCE_MS);
  if (world.judge.writes > writes)
    violate(
      "silence when all is done",
      `${world.judge.writes - writes} requests were sent in ${SILENCE_MS / 60_000} minutes without anything to do`,
    );
}
