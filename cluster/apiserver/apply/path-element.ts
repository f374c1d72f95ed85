/**
 * One step of a path in an object, as text: `f:spec` is a field or a member of a map, `k:{"name":"c"}` an element of a
 * keyed list, `v:"a"` an element of a set. Leaves out positions (`i:0`): no set that is written here has one.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject, quote, setMember, stringify } from "../../values/json.ts";
import { parseJson } from "../../values/go-json.ts";

export type PathElement = string;

export function fieldElement(name: string): PathElement {
  return `f:${name}`;
}

/** @param keys the key fields of the list element, in any order */
export function keyElement(keys: JsonObject): PathElement {
  const names = Object.keys(keys);
  if (names.length === 1) return `k:${stringify(keys)}`;
  const sorted: JsonObject = {};
  for (const name of names.toSorted()) setMember(sorted, name, keys[name]!);
  return `k:${stringify(sorted)}`;
}

export function valueElement(value: Json): PathElement {
  return `v:${stringify(value)}`;
}

/** The name of a field; undefined for an element of a list. */
export function fieldOf(element: PathElement): string | undefined {
  return element.startsWith("f:") ? element.slice(2) : undefined;
}

/**
 * Normalizes a client's text of an element. Undefined: the kind of element is unknown, and the element is dropped.
 * @throws SyntaxError for a text that is no element
 */
export function normalElement(text: string): PathElement | undefined {
  if (text.length < 2 || text[1] !== ":") throw new SyntaxError(`missing colon: ${text}`);
  const rest = text.slice(2);
  switch (text[0]) {
    case "f":
      return text;
    case "v":
      return valueElement(parseJson(rest));
    case "k": {
      const keys = parseJson(rest);
      if (!isObject(keys)) throw new SyntaxError(`the key ${rest} is no object`);
      return keyElement(keys);
    }
    case "i":
      if (!/^[+-]?\d+$/.test(rest)) throw new SyntaxError(`the position ${rest} is no number`);
      return text;
    default:
      return undefined;
  }
}

/** The element as conflicts name it: `.spec`, `[name="c"]`, `[="a"]`. */
export function printElement(element: PathElement): string {
  const rest = element.slice(2);
  switch (element[0]) {
    case "f":
      return `.${rest}`;
    case "k":
      return `[${Object.entries(JSON.parse(rest) as JsonObject)
        .map(([name, value]) => `${name}=${printValue(value)}`)
        .join(",")}]`;
    case "v":
      return `[=${printValue(JSON.parse(rest) as Json)}]`;
    default:
      return `[${rest}]`;
  }
}

function printValue(value: Json): string {
  return typeof value === "string" ? quote(value) : String(value);
}

const kinds = "fkvi";

interface Read {
  readonly element: PathElement;
  readonly kind: number;
  /** What a key or a value holds. */
  readonly held: Json;
}

/** Sorts elements in the written order: fields by name, then keys and values by what they hold. */
export function inOrder(elements: readonly PathElement[]): readonly PathElement[] {
  if (elements.every((element) => element[0] === "f")) return isSorted(elements) ? elements : elements.toSorted();
  return elements
    .map((element) => ({ element, kind: kinds.indexOf(element[0]!), held: heldBy(element) }))
    .sort(compareRead)
    .map(({ element }) => element);
}

function isSorted(texts: readonly string[]): boolean {
  for (let place = 1; place < texts.length; place++) if (texts[place - 1]! > texts[place]!) return false;
  return true;
}

function heldBy(element: PathElement): Json {
  const rest = element.slice(2);
  return element[0] === "f" ? rest : (JSON.parse(rest) as Json);
}

function compareRead(a: Read, b: Read): number {
  if (a.kind !== b.kind) return a.kind - b.kind;
  return isObject(a.held) && isObject(b.held) ? compareKeys(a.held, b.held) : compareValues(a.held, b.held);
}

function compareKeys(a: JsonObject, b: JsonObject): number {
  const [left, right] = [Object.entries(a), Object.entries(b)];
  for (let index = 0; index < Math.min(left.length, right.length); index++) {
    const [name, value] = left[index]!;
    const [otherName, otherValue] = right[index]!;
    const order = compareValues(name, otherName) || compareValues(value, otherValue);
    if (order !== 0) return order;
  }
  return left.length - right.length;
}

const scalarOrder = ["number", "string", "boolean"];

function compareValues(a: Json, b: Json): number {
  if (typeof a !== typeof b) return scalarOrder.indexOf(typeof a) - scalarOrder.indexOf(typeof b);
  return a! < b! ? -1 : a! > b! ? 1 : 0;
}
