/**
 * Forks a scenario: the user acts at an instant, in the past or now. Invariant: a changed scenario keeps every input up
 * to its instant and drops the later ones, because they reacted to events that no longer happen.
 */
import { type Action, MAX_INPUTS, type Scenario } from "../../cluster/simulation/scenario.ts";

/** The scenario with one more action at an instant, which is rounded up to a whole millisecond. */
export function forkedAt(scenario: Scenario, atMs: number, action: Action): Scenario {
  const instant = Math.max(0, Math.ceil(atMs));
  const before = scenario.inputs.filter((input) => input.atMs <= instant);
  if (before.length >= MAX_INPUTS)
    throw new RangeError(`the scenario has ${before.length} inputs already; at most ${MAX_INPUTS} are allowed`);
  return { ...scenario, inputs: [...before, { atMs: instant, action }] };
}

/** The scenario without one of its inputs. */
export function withoutInput(scenario: Scenario, index: number): Scenario {
  return { ...scenario, inputs: scenario.inputs.filter((_, i) => i !== index) };
}
