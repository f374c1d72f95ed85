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

/** Up to which instant two runs of the same manifests are the same; Infinity: always. */
export function sameUntilMs(one: Scenario, other: Scenario): number {
  const worldOf = ({ yaml, seed, nodes, outcomes, kubernetes }: Scenario): string =>
    JSON.stringify([yaml, seed, nodes, outcomes, kubernetes]);
  if (worldOf(one) !== worldOf(other)) return -Infinity;
  const differs = Array.from({ length: Math.max(one.inputs.length, other.inputs.length) }, (_, i) => i).find(
    (i) => JSON.stringify(one.inputs[i]) !== JSON.stringify(other.inputs[i]),
  );
  if (differs === undefined) return Infinity;
  return Math.min(one.inputs[differs]?.atMs ?? Infinity, other.inputs[differs]?.atMs ?? Infinity);
}

/** The scenario without one of its inputs. */
export function withoutInput(scenario: Scenario, index: number): Scenario {
  return { ...scenario, inputs: scenario.inputs.filter((_, i) => i !== index) };
}
