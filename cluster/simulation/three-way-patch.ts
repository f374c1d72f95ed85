/**
 * The patch of client-side apply: a merge patch that makes an object what the manifest says, without touching fields
 * that the manifest never named.
 *
 * Invariant: after the patch every field that the manifest names has its value, every field that only the manifest
 * before it named is gone, and all others are as they were. Lists are values: one that differs is replaced. kubectl
 * merges some lists by key, which has the same result as long as all of their items come from manifests and defaults.
 */
import { isObject } from "../values/json.ts";
import type { Json, JsonObject } from "../values/types.ts";

/**
 * @param original the manifest that was applied last
 * @param modified the manifest that is applied now
 * @param current the object as it is
 */
export function threeWayPatch(original: JsonObject, modified: JsonObject, current: JsonObject): JsonObject {
  const patch: Record<string, Json> = {};
  for (const [name, value] of Object.entries(modified)) {
    const before = original[name];
    const there = current[name];
    if (isObject(value)) {
      const nested = threeWayPatch(isObject(before) ? before : {}, value, isObject(there) ? there : {});
      if (!isObject(there) || Object.keys(nested).length > 0) patch[name] = nested;
    } else if (value === null ? there !== undefined : !isSame(value!, there)) patch[name] = value!;
  }
  for (const name of Object.keys(original)) if (!Object.hasOwn(modified, name)) patch[name] = null;
  return patch;
}

function isSame(one: Json, other: Json | undefined): boolean {
  if (Array.isArray(one))
    return Array.isArray(other) && one.length === other.length && one.every((item, i) => isSame(item, other[i]));
  if (!isObject(one)) return one === other;
  if (!isObject(other)) return false;
  const names = Object.keys(one);
  return names.length === Object.keys(other).length && names.every((name) => isSame(one[name]!, other[name]));
}
