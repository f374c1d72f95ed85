/**
 * Finds conditions of a status. If several conditions have one type, the first one counts, as in upstream's look-ups.
 */
import { after, JsonNode } from "../json/tree";

/** Whether the status has the condition of this type with status True. */
export function conditionIsTrue(status: JsonNode, type: string): bool {
  return conditionStatus(status, type) == "True";
}

/** The status of the condition of this type; "" if there is none. */
export function conditionStatus(status: JsonNode, type: string): string {
  const condition = findCondition(status, type);
  return condition === null ? "" : condition.string("status");
}

/** The first condition of this type, whatever its status; null if there is none. */
export function findCondition(status: JsonNode, type: string): JsonNode | null {
  const conditions = status.list("conditions");
  if (conditions === null) return null;
  for (let condition = conditions.first; condition !== null; condition = after(condition)) {
    if (condition.string("type") == type) return condition;
  }
  return null;
}
