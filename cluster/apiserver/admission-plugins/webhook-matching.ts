/** The fields of a webhook, and the CEL conditions on which it matches a write. */
import { celEnvironment, celValue, compile } from "../../cel/environment.ts";
import type { JsonObject } from "../../values/types.ts";
import type { Criteria } from "./matching.ts";
import type { ClientConfig } from "../contract/webhook-call.ts";

export interface Webhook extends Criteria {
  readonly name: string;
  readonly clientConfig: ClientConfig;
  readonly failurePolicy: "Fail" | "Ignore";
  readonly timeoutSeconds: number;
  readonly admissionReviewVersions: readonly string[];
  readonly reinvocationPolicy?: "Never" | "IfNeeded";
  readonly matchConditions?: readonly { readonly name: string; readonly expression: string }[];
}

/** What an expression may ask. */
export const CONDITION_VARIABLES = { object: "dyn", oldObject: "dyn", request: "dyn" };

/** Whether all conditions hold. @throws Error with the reason why one could not be evaluated, if no other one fails */
export function meetsConditions({ matchConditions = [] }: Webhook, review: JsonObject): boolean {
  if (matchConditions.length === 0) return true;
  const environment = celEnvironment(CONDITION_VARIABLES);
  const { object = null, oldObject = null, ...request } = review;
  const variables = { object: celValue(object), oldObject: celValue(oldObject), request: celValue(request) };
  const errors = new Set<string>();
  for (const { expression } of matchConditions) {
    try {
      if (compile(expression, environment, ["bool"]).evaluate(variables) !== true) return false;
    } catch (error) {
      errors.add(`expression '${expression}' resulted in error: ${(error as Error).message}`);
    }
  }
  if (errors.size > 0) throw new Error(aggregated(errors));
  return true;
}

/** Several errors in one text, as upstream writes them. */
export function aggregated(errors: ReadonlySet<string>): string {
  const list = [...errors].join(", ");
  return errors.size === 1 ? list : `[${list}]`;
}
