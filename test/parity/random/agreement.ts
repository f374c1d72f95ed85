/**
 * What counts as a difference when each controller has played a scenario twice: what both of its runs agree in, and the other's do not.
 *
 * Where a controller does not agree with itself, chance or the machine decided, and nothing is said about that aspect. A run that came to no end is
 * a way to end, too.
 */
import { type Difference, differencesOf } from "../compare.ts";
import type { Outcome } from "../outcome.ts";
import { type Aspect, ASPECTS } from "../scenario.ts";

/** What came out of a run, or why nothing did. */
export type Ending = Outcome | { readonly problem: string };

export interface Verdict {
  readonly differences: readonly Difference[];
  /** Aspects in which a controller differs from itself. */
  readonly undecided: readonly Aspect[];
}

type Pair = readonly [Ending, Ending];

export function verdictOf(upstream: Pair, stint: Pair): Verdict {
  const undecided = new Set([...aspectsOf(...upstream), ...aspectsOf(...stint)]);
  const again = new Set(between(upstream[1], stint[1]).map(({ aspect }) => aspect));
  return {
    differences: between(upstream[0], stint[0]).filter(({ aspect }) => !undecided.has(aspect) && again.has(aspect)),
    undecided: ASPECTS.filter((aspect) => undecided.has(aspect)),
  };
}

const hasProblem = (ending: Ending): ending is { readonly problem: string } => "problem" in ending;

/** In what two runs of the same controller differ. Counters that go back are no difference here: they are one from what should be. */
function aspectsOf(one: Ending, other: Ending): readonly Aspect[] {
  if (hasProblem(one) || hasProblem(other)) return hasProblem(one) && hasProblem(other) ? [] : ASPECTS;
  return differencesOf(one, { ...other, backwards: [] }).map(({ aspect }) => aspect);
}

function between(upstream: Ending, stint: Ending): readonly Difference[] {
  if (!hasProblem(upstream) && !hasProblem(stint)) return differencesOf(upstream, stint);
  const told = (who: string, ending: Ending): string => `${who} ${hasProblem(ending) ? ending.problem : "came to an end"}`;
  // Both: the scenario is at fault, or the machine.
  return [{ aspect: "status", text: `${told("upstream:", upstream)}; ${told("Stint:", stint)}` }];
}
