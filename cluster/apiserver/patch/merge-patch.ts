/** JSON merge patch (RFC 7386): objects merge, null removes, everything else replaces. The document is not changed. */
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject, setMember } from "../../values/json.ts";

/** The document after the patch. Undefined: the document does not exist yet. */
export function applyMergePatch(document: Json | undefined, patch: Json): Json {
  if (!isObject(patch)) return patch;
  const merged: JsonObject = isObject(document) ? { ...document } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete merged[key];
    else setMember(merged, key, applyMergePatch(Object.hasOwn(merged, key) ? merged[key] : undefined, value));
  }
  return merged;
}
