/**
 * What counts as a difference when each controller has played a scenario twice: what both of its runs agree in, and the
 * other's do not.
 *
 * Where a controller does not agree with itself, chance or the machine decided, and nothing is said about that aspect;
 * but where upstream does and Stint does not, Stint leaves to chance what upstream decides. A run that came to no end
 * is a way to end, too.
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

/**
 * What must not be left to chance. The others hang on moments: which changes one write shows, what an event combines.
 */
const STEADY_ASPECTS: readonly Aspect[] = ["status", "pods created", "pods left", "pod contents"];

type Pair = readonly [Ending, Ending];

export function verdictOf(upstream: Pair, stint: Pair): Verdict {
  const ofUpstream = aspectsOf(withinOne(...upstream));
  const withinStint = withinOne(...stint);
  const undecided = new Set([...ofUpstream, ...aspectsOf(withinStint)]);
  const again = new Set(between(upstream[1], stint[1]).map(({ aspect }) => aspect));
  return {
    differences: [
      ...between(upstream[0], stint[0]).filter(({ aspect }) => !undecided.has(aspect) && again.has(aspect)),
      ...withinStint
        .filter(({ aspect }) => STEADY_ASPECTS.includes(aspect) && !ofUpstream.includes(aspect))
        .map(({ aspect, text }) => ({
          aspect,
          text: `only Stint leaves it to chance: ${text.replace("upstream", "once").replace("Stint", "once")}`,
        })),
    ],
    undecided: ASPECTS.filter((aspect) => undecided.has(aspect)),
  };
}

const hasProblem = (ending: Ending): ending is { readonly problem: string } => "problem" in ending;

const aspectsOf = (differences: readonly Difference[]): readonly Aspect[] => differences.map(({ aspect }) => aspect);

/**
 * In what two runs of the same controller differ. Counters that go back are no difference here: they are one from what
 * should be.
 */
function withinOne(one: Ending, other: Ending): readonly Difference[] {
  if (!hasProblem(one) && !hasProblem(other)) return differencesOf(one, { ...other, backwards: [] });
  return hasProblem(one) && hasProblem(other)
    ? []
    : ASPECTS.map((aspect) => ({ aspect, text: "one run came to no end" }));
}

function between(upstream: Ending, stint: Ending): readonly Difference[] {
  if (!hasProblem(upstream) && !hasProblem(stint)) return differencesOf(upstream, stint);
  const told = (who: string, ending: Ending): string =>
    `${who} ${hasProblem(ending) ? ending.problem : "came to an end"}`;
  // Both: the scenario is at fault, or the machine.
  return [{ aspect: "status", text: `${told("upstream:", upstream)}; ${told("Stint:", stint)}` }];
}
