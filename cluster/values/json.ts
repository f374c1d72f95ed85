/**
 * Plain JSON values: comparing them, and writing them as Go does. The API server never changes an object. It makes a
 * new one: it copies the path to the change, and shares the rest.
 */
import { memoize } from "./memoize.ts";
import type { Json, JsonObject } from "./types.ts";

export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** Whether a value has no members and no items. Scalars have none. It does not list the members of a large object. */
export function isWithoutParts(value: Json | undefined): boolean {
  if (Array.isArray(value)) return value.length === 0;
  if (!isObject(value)) return true;
  for (const _name in value) return false;
  return true;
}

/** Sets a member of an object that the caller has made. A plain assignment to `__proto__` would not make a member. */
export function setMember(object: JsonObject, key: string, value: Json): void {
  if (key === "__proto__")
    Object.defineProperty(object, key, { value, writable: true, enumerable: true, configurable: true });
  else object[key] = value;
}

/** Deep equality. The order of members in an object does not count; the order of elements in a list does. */
export function deepEqual(a: unknown, b: unknown): boolean {
  if (a === b) return true;
  if (typeof a !== "object" || typeof b !== "object" || a === null || b === null) return false;
  if (Array.isArray(a)) {
    if (!Array.isArray(b) || a.length !== b.length) return false;
    for (let index = 0; index < a.length; index++) if (!deepEqual(a[index], b[index])) return false;
    return true;
  }
  if (Array.isArray(b)) return false;
  const left = a as Record<string, unknown>;
  const right = b as Record<string, unknown>;
  let difference = 0;
  for (const key in left) {
    if (!Object.hasOwn(right, key) || !deepEqual(left[key], right[key])) return false;
    difference++;
  }
  for (const _key in right) difference--;
  return difference === 0;
}

/**
 * The same value, but with the parts of `sample` where the two are equal. So objects of one template share what they
 * have in common. The order of members counts here, because the text has that order.
 */
export function sharing(value: Json, sample: Json | undefined): Json {
  if (value === sample || typeof value !== "object" || value === null || typeof sample !== "object" || sample === null)
    return value;
  return Array.isArray(value)
    ? Array.isArray(sample)
      ? value.length > 1
        ? knownSharing(value, sample)
        : sharingList(value, sample)
      : value
    : Array.isArray(sample)
      ? value
      : sharingObject(value, sample);
}

function sharingList(value: Json[], sample: Json[]): Json[] {
  let copy: Json[] | undefined;
  let isSame = value.length === sample.length;
  for (let index = 0; index < value.length; index++) {
    const part = sharing(value[index]!, sample[index]);
    if (part !== value[index]) (copy ??= [...value])[index] = part;
    if (part !== sample[index]) isSame = false;
  }
  return isSame ? sample : (copy ?? value);
}

/** Components send the same list objects again and again. */
const knownSharing = memoize(sharingList);

function sharingObject(value: JsonObject, sample: JsonObject): JsonObject {
  let copy: JsonObject | undefined;
  let isSame = true;
  // V8 compiles a recursive for…in that meets many shapes again and again, and is slower than with no compiled code.
  for (const key of Object.keys(value)) {
    const member = value[key]!;
    // Scalars need no sharing. Once the objects differ, they need no look-up.
    if (!isSame && (typeof member !== "object" || member === null)) continue;
    const part = sharing(member, sample[key]);
    if (part !== member) (copy ??= { ...value })[key] = part;
    if (part !== sample[key]) isSame = false;
  }
  return isSame && hasSameKeys(value, sample) ? sample : (copy ?? value);
}

/** In the same order. */
function hasSameKeys(a: JsonObject, b: JsonObject): boolean {
  const keys = Object.keys(b);
  let place = 0;
  for (const key in a) if (keys[place++] !== key) return false;
  return place === keys.length;
}

const htmlCharacters = /[<>&\u2028\u2029]/g;
const hasHtmlCharacter = /[<>&\u2028\u2029]/;
const escapes: Readonly<Record<string, string>> = {
  "<": "\\u003c",
  ">": "\\u003e",
  "&": "\\u0026",
  "\u2028": "\\u2028",
  "\u2029": "\\u2029",
};

/** Compact JSON with the escapes of Go's encoder: `<`, `>`, `&`, U+2028 and U+2029 as \uXXXX. */
export function stringify(value: unknown): string {
  const text = JSON.stringify(value);
  // Few texts have such a character, and a search takes less time than a replacement without matches.
  return hasHtmlCharacter.test(text) ? text.replace(htmlCharacters, (character) => escapes[character]!) : text;
}

/** JSON indented by two spaces, with the same escapes. */
export function stringifyIndented(value: unknown): string {
  return JSON.stringify(value, undefined, 2).replace(htmlCharacters, (character) => escapes[character]!);
}

/** A string in double quotes as Go's %q writes it. */
export function quote(text: string): string {
  return JSON.stringify(text).replace(/\\u00(..)/g, (_all, code: string) => goEscapes[code] ?? `\\x${code}`);
}

const goEscapes: Readonly<Record<string, string>> = { "07": "\\a", "0b": "\\v" };

/** A JSON value as Go's %v prints it: `map[spec:map[parallelism:x]]`, `[a b]`, `<nil>`. */
export function goValue(value: Json | undefined): string {
  if (value === null || value === undefined) return "<nil>";
  if (Array.isArray(value)) return `[${value.map(goValue).join(" ")}]`;
  if (isObject(value))
    return `map[${Object.keys(value)
      .toSorted()
      .map((key) => `${key}:${goValue(value[key])}`)
      .join(" ")}]`;
  return String(value);
}

/** The name of a value's kind in errors of Go's JSON decoder. */
export function goJsonKind(value: unknown): "object" | "array" | "string" | "number" | "bool" {
  if (Array.isArray(value)) return "array";
  switch (typeof value) {
    case "string":
      return "string";
    case "number":
      return "number";
    case "boolean":
      return "bool";
    default:
      return "object";
  }
}
