/** Whether an object is like a pattern: it has at least what that has. */
import { milliOf } from "../../cluster/values/quantities.ts";
import type { Json } from "../../cluster/values/types.ts";

const COMPARISON = /^(>=|<)\s*(\S+)$/;

/**
 * Maps are like when each member of the pattern is; `null` stands for a member that is not there. Of lists each entry
 * of the pattern has to be like the entry of its name, or like any. `>=1Gi` and `<30` compare quantities.
 */
export function isLike(given: unknown, pattern: Json): boolean {
  if (pattern === null) return given === undefined || given === null;
  if (Array.isArray(pattern))
    return Array.isArray(given) && pattern.every((wanted) => given.some((each) => isLike(each, wanted)));
  if (typeof pattern === "object") {
    if (typeof given !== "object" || given === null) return false;
    const members = given as Readonly<Record<string, unknown>>;
    return Object.entries(pattern).every(([name, wanted]) => isLike(members[name], wanted as Json));
  }
  const [, comparison, limit] = COMPARISON.exec(String(pattern)) ?? [];
  if (comparison === undefined) return given === pattern;
  if (typeof given !== "string" && typeof given !== "number") return false;
  const isLess = milliOf(String(given)) < milliOf(limit!);
  return comparison === "<" ? isLess : !isLess;
}
