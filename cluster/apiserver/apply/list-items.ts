/** The path elements of the items of a keyed list or a set. */
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject, setMember } from "../../values/json.ts";
import { keyElement, type PathElement, valueElement } from "./path-element.ts";
import type { ListShape } from "./shape.ts";

/** An item that has no place in its list. The message is structured-merge-diff's. */
export class ListItemError extends Error {}

/** @param list is not atomic @throws ListItemError */
export function itemElement(item: Json, { elements }: ListShape): PathElement {
  if (elements === "atomic") throw new ListItemError("invalid indexing of non-associative list");
  if (elements === "set") return setElement(item);
  if (item === null) throw new ListItemError("associative list with keys may not have a null element");
  if (!isObject(item)) throw new ListItemError("associative list with keys may not have non-map elements");
  const keys: JsonObject = {};
  let count = 0;
  for (const { name, absent } of elements) {
    const value = Object.hasOwn(item, name) ? item[name] : absent;
    if (value === undefined) continue;
    setMember(keys, name, value);
    count++;
  }
  if (count > 0) return keyElement(keys);
  const names = elements.map(({ name }) => JSON.stringify(name)).join(" ");
  throw new ListItemError(
    `associative list with keys has an element that omits all key fields [${names}] (and doesn't have default values for any key fields)`,
  );
}

function setElement(item: Json): PathElement {
  if (isObject(item)) throw new ListItemError("associative list without keys has an element that's a map type");
  if (Array.isArray(item)) throw new ListItemError("not supported: associative list with lists as elements");
  if (item === null) throw new ListItemError("associative list without keys has an element that's an explicit null");
  return valueElement(item);
}
