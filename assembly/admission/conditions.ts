/**
 * Reading conditions of a status. Of conditions with the same type the first one counts, as in upstream's look-ups.
 * Leaves out their times, reasons and messages, on which no rule depends.
 */
import { after, JsonNode } from "../json/tree";

/** Whether the status has that condition with status True. */
export function conditionIsTrue(status: JsonNode, type: string): bool {
  return conditionStatus(status, type) == "True";
}

/** The status of that condition; "" where there is none. */
export function conditionStatus(status: JsonNode, type: string): string {
  const conditions = status.list("conditions");
  if (conditions === null) return "";
  for (let condition = conditions.first; condition !== null; condition = after(condition)) {
    if (condition.string("type") == type) return condition.string("status");
  }
  return "";
}
