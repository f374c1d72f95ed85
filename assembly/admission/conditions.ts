/**
 * Reads conditions of a status. If several conditions have one type, the first one counts, as in upstream's look-ups.
 * Times, reasons and messages are left out, because no rule depends on them.
 */
import { after, JsonNode } from "../json/tree";

/** Whether the status has the condition of this type with status True. */
export function conditionIsTrue(status: JsonNode, type: string): bool {
  return conditionStatus(status, type) == "True";
}

/** The status of the condition of this type; "" if there is none. */
export function conditionStatus(status: JsonNode, type: string): string {
  const conditions = status.list("conditions");
  if (conditions === null) return "";
  for (let condition = conditions.first; condition !== null; condition = after(condition)) {
    if (condition.string("type") == type) return condition.string("status");
  }
  return "";
}
