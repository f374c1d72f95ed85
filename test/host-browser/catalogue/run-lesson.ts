/** Runs a scenario whole, as the Worker does, and lets a witness see it. */
import { allTools } from "../../cluster/simulation/tools.ts";
import type { Scenario } from "../../../cluster/simulation/scenario.ts";
import { World } from "../../../cluster/simulation/world.ts";
import { Witness } from "./witness.ts";

/** More callbacks than any lesson needs. */
const MAX_CALLBACKS = 5_000_000;

export function runLesson(engineModule: WebAssembly.Module, scenario: Scenario): Witness {
  return runWhole(engineModule, scenario).witness;
}

export function runWhole(
  engineModule: WebAssembly.Module,
  scenario: Scenario,
): { readonly witness: Witness; readonly digest: string } {
  const witness = new Witness();
  const world = new World(engineModule, scenario, recorderOf(witness), allTools);
  const errors = world.problems(allTools.lazyParts()).filter(({ severity }) => severity === "error");
  if (errors.length > 0) throw new Error(errors.map(({ message }) => message).join("\n"));
  for (let i = 0; !world.isFinished(); i++) {
    if (i === MAX_CALLBACKS) throw new Error(`the run has not ended after ${MAX_CALLBACKS} callbacks`);
    world.runNext();
  }
  return { witness, digest: world.digest };
}

/** What the witness does not want to know is not told. */
function recorderOf(witness: Witness): ConstructorParameters<typeof World>[2] {
  const nothing = (): void => {};
  return {
    onWrite: (write, nowMs) => witness.onWrite(write, nowMs),
    onDecisions: (decisions, nowMs) => witness.onDecisions(decisions, nowMs),
    onFlag: (flag) => witness.onFlag(flag),
    onRequest: nothing,
    onSent: nothing,
    onAnswer: nothing,
    onInstant: nothing,
  };
}
