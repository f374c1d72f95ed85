/** Sets fields that have no value. Invariant: an existing value stays. */
import { JsonNode } from "../json/tree";

/** Sets a string if it is missing or empty. */
export function defaultString(node: JsonNode, key: string, value: string): void {
  if (node.string(key).length == 0) node.set(key, JsonNode.string(value));
}

/** Sets an integer if it is missing. */
export function defaultInteger(node: JsonNode, key: string, value: i64): void {
  setIfMissing(node, key, JsonNode.integer(value));
}

/** Sets a value if it is missing. An empty one is there. */
export function setIfMissing(node: JsonNode, key: string, value: JsonNode): void {
  if (!node.has(key)) node.set(key, value);
}

/**
 * Makes sure that there is an object with this name, and returns it. Null if the node is missing, or if the field has
 * another type.
 */
export function defaultObject(node: JsonNode | null, key: string): JsonNode | null {
  if (node === null) return null;
  return node.has(key) ? node.object(key) : node.set(key, JsonNode.object());
}
