/** The difference of two objects, as a JSON merge patch. */
import { isObject } from "../../../cluster/values/json.ts";
import type { JsonObject } from "../../../cluster/values/types.ts";

/** Fields that a vector leaves to its runner, or that a Job controller does not read. */
const LEFT_OUT: ReadonlySet<string> = new Set(["resourceVersion", "managedFields"]);

/**
 * Undefined: no difference. In a pod's spec only the node counts: the rest are defaults of what the engine requested
 * itself.
 */
export function difference(from: JsonObject, to: JsonObject): JsonObject | undefined {
  const isPod = to["kind"] === "Pod";
  const patch = changes(isPod ? withoutSpec(from) : from, isPod ? withoutSpec(to) : to);
  return Object.keys(patch).length === 0 ? undefined : patch;
}

function withoutSpec({ spec, ...pod }: JsonObject): JsonObject {
  const { nodeName } = (spec ?? {}) as JsonObject;
  return { ...pod, spec: nodeName === undefined ? {} : { nodeName } };
}

function changes(from: JsonObject, to: JsonObject): JsonObject {
  const patch: JsonObject = {};
  for (const [name, value] of Object.entries(to)) {
    const before = from[name];
    if (LEFT_OUT.has(name) || value === null) continue;
    if (isObject(value)) {
      const nested = changes(isObject(before) ? before : {}, value);
      if (!isObject(before) || Object.keys(nested).length > 0) patch[name] = nested;
    } else if (JSON.stringify(value) !== JSON.stringify(before)) patch[name] = value;
  }
  for (const name of Object.keys(from)) if ((to[name] ?? null) === null && from[name] !== null) patch[name] = null;
  for (const name of LEFT_OUT) delete patch[name];
  return patch;
}
