/**
 * Hooks for the rules of spec.scheduling, at the points at which upstream checks them. Invariant: the hooks here do
 * nothing, so that the core (`core.ts`) stays small, whose host never turns gang scheduling on; `index.ts` installs the
 * rules of validate-scheduling.ts.
 */
import { JsonNode } from "../json/tree";
import { FieldErrors } from "./field-errors";

/** The hooks, in the order in which validation calls them. */
export class SchedulingRules {
  /** What the fields must be together. */
  together(_spec: JsonNode, _errors: FieldErrors): void {}

  /** What an update may not change, but for the declared rules. */
  changes(_spec: JsonNode, _oldSpec: JsonNode, _errors: FieldErrors): void {}

  /** The declared rules. `old` is the Job before an update; null: there was none. */
  declared(_job: JsonNode, _old: JsonNode | null, _errors: FieldErrors): void {}
}

let chosen: SchedulingRules = new SchedulingRules();

/** The rules that this module has. */
export function schedulingRules(): SchedulingRules {
  return chosen;
}

/** Installs these rules. Called once, when the module starts. */
export function chooseSchedulingRules(rules: SchedulingRules): void {
  chosen = rules;
}
