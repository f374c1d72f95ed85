/**
 * A random scenario from beginning to end: played four times at the same time, twice by each controller, and then
 * compared. Leaves out what follows from a difference: run.ts.
 */
import { type Outcome, outcomeOf } from "../outcome.ts";
import { play } from "../play.ts";
import type { Aspect, Scenario } from "../scenario.ts";
import { type Difference } from "../compare.ts";
import { namespaceOf, SIDES, type Side, type Theatre } from "../theatre.ts";
import { type Ending, type Verdict, verdictOf } from "./agreement.ts";
import { randomScenario } from "./scenario.ts";

/** How long a difference may last before it is one: events are written late on a busy machine. */
const MAX_LATENESS_MS = 30_000;
/** And how long two runs of one controller may differ. */
const MAX_DISAGREEMENT_MS = 8_000;
const COMPARE_INTERVAL_MS = 500;
export const TAKES = [0, 1] as const;

export interface RandomResult {
  readonly seed: number;
  readonly scenario: Scenario;
  readonly seconds: number;
  /** How often it was played. */
  readonly performances: number;
  /** In every performance. */
  readonly differences: readonly Difference[];
  readonly undecided: readonly Aspect[];
  /** Of the last performance: upstream's two runs and Stint's two. */
  readonly endings: Readonly<Record<Side, readonly Ending[]>>;
}

/** Never rejects: what goes wrong is the result. @param nth of its performances, from 1 */
export async function perform(theatre: Theatre, seed: number, nth: number): Promise<RandomResult> {
  const beganMs = performance.now();
  const scenario = randomScenario(seed, nth);
  const { verdict, endings } = await once(theatre, scenario);
  return { seed, scenario, seconds: (performance.now() - beganMs) / 1000, performances: nth, ...verdict, endings };
}

async function once(
  theatre: Theatre,
  scenario: Scenario,
): Promise<{ readonly verdict: Verdict; readonly endings: RandomResult["endings"] }> {
  const runs = {
    upstream: TAKES.map((take) => startRun(theatre, scenario, "upstream", take)),
    stint: TAKES.map((take) => startRun(theatre, scenario, "stint", take)),
  };
  const problems = {
    upstream: await Promise.all(runs.upstream.map(({ over }) => over)),
    stint: await Promise.all(runs.stint.map(({ over }) => over)),
  };
  const endingsOf = (side: Side): readonly [Ending, Ending] => {
    const [one, other] = runs[side].map(({ outcome }, take): Ending =>
      problems[side][take] === undefined ? outcome() : { problem: problems[side][take] },
    );
    return [one!, other!];
  };
  const deadlineMs = performance.now() + MAX_LATENESS_MS;
  for (;;) {
    const endings = { upstream: endingsOf("upstream"), stint: endingsOf("stint") };
    const verdict = verdictOf(endings.upstream, endings.stint);
    const leftMs = deadlineMs - performance.now();
    const mayChange =
      verdict.differences.length > 0
        ? leftMs > 0
        : verdict.undecided.length > 0 && leftMs > MAX_LATENESS_MS - MAX_DISAGREEMENT_MS;
    if (!mayChange) {
      await Promise.all(SIDES.flatMap((side) => runs[side].map(({ remove }) => remove())));
      return { verdict, endings };
    }
    await new Promise((resolve) => setTimeout(resolve, COMPARE_INTERVAL_MS));
  }
}

interface Run {
  /** Resolves when it is over, with what went wrong. */
  readonly over: Promise<string | undefined>;
  outcome(): Outcome;
  /** Takes its objects away: thousands of them would slow the server down. */
  remove(): Promise<void>;
}

function startRun({ observer, client, kubernetes }: Theatre, scenario: Scenario, side: Side, take: number): Run {
  const namespace = namespaceOf(scenario, side, take);
  const sighting = observer.sight(namespace, scenario.name);
  const path = `/apis/batch/v1/namespaces/${namespace}/jobs/${scenario.name}`;
  return {
    over: play({ scenario, sighting, client, kubernetes, side }).then(
      () => undefined,
      (error: Error) => error.message,
    ),
    outcome: () => outcomeOf(sighting),
    remove: async () => {
      observer.forget(sighting);
      await client.request("DELETE", path, {
        kind: "DeleteOptions",
        apiVersion: "v1",
        propagationPolicy: "Background",
      });
    },
  };
}
