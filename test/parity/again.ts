/**
 * Scenarios that differ are played again, when all others are over: a fault comes again, haste does not.
 *
 * Invariant: a scenario that passes differed in one of {@link PERFORMANCES} performances at most. One that came to no
 * end, or in which a request was refused, is not played again: it has failed. So have more than {@link MAX_SUSPECTS}
 * that differ: that is no chance.
 */
import type { Result } from "./run.ts";
import type { Scenario } from "./scenario.ts";

/** Of a scenario that differs, the first one included. */
export const PERFORMANCES = 3;
/** Played again, they take some five minutes. */
export const MAX_SUSPECTS = 8;

/** All performances of one scenario, the first one first. */
export type Performances = readonly [Result, ...Result[]];

const differs = ({ differences }: Result): boolean => differences.length > 0;
const hasProblem = ({ problem }: Result): boolean => problem !== undefined;

/** Whether it must be played again. */
function isSuspect(performances: Performances): boolean {
  if (performances.some(hasProblem) || performances.length === PERFORMANCES) return false;
  return performances.filter(differs).length === 1;
}

export function hasFailed(performances: Performances): boolean {
  return performances.some(hasProblem) || performances.filter(differs).length > 1 || isSuspect(performances);
}

/** Whether it passes although it differed. */
export function differedOnce(performances: Performances): boolean {
  return performances.some(differs) && !hasFailed(performances);
}

/** Plays what may be chance until it is known. @param play all of some scenarios, each once */
export async function playAgain(
  first: readonly Result[],
  play: (scenarios: readonly Scenario[]) => Promise<readonly Result[]>,
): Promise<Performances[]> {
  let all: Performances[] = first.map((result) => [result]);
  for (;;) {
    const suspects = all.filter(isSuspect);
    if (suspects.length === 0 || suspects.length > MAX_SUSPECTS) return all;
    const results = await play(suspects.map(([{ scenario }]) => scenario));
    all = all.map((performances) => {
      const result = results.find(({ scenario }) => scenario === performances[0].scenario);
      return result === undefined ? performances : [...performances, result];
    });
  }
}
