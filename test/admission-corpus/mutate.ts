/**
 * One change of a document, drawn from what the schema says of the place where it happens: another value of the type, a
 * value of another type, a field more or less, an element twice, a key that is none.
 *
 * Invariant: the same draws make the same change. What a server should say about it is not known here.
 */
import { isObject } from "../../cluster/values/json.ts";
import type { Json, JsonObject } from "../../cluster/values/types.ts";
import type { Chance } from "../simulation/chance.ts";
import type { Field } from "./schema.ts";

const LABEL_CHARS = 63;
const NAME_CHARS = 253;
const DEPTH = 40;
/** Of the elements that are repeated: how many are it often, to meet the limits of lists. */
const MANY_SHARE = 0.1;

const STRINGS: readonly string[] = [
  "",
  " ",
  "a",
  "A",
  "a b",
  "a_b",
  "-a",
  "a-",
  "a.b",
  "a..b",
  "a/b",
  "example.com/a",
  "Example.com/A",
  "a/b/c",
  "ä",
  "日本",
  "😀",
  "0",
  "-1",
  "65536",
  "true",
  "null",
  "/",
  "/a/../b",
  "../a",
  "a:b",
  'say "a"',
  "back\\slash",
  "new\nline",
  "tab\t",
  "\u0007",
  "<a&b>",
  "[a]",
  "$(A)",
  "10.0.0.1",
  "010.0.0.1",
  "::1",
  "fe80::1%eth0",
  "a".repeat(LABEL_CHARS),
  "a".repeat(LABEL_CHARS + 1),
  "a".repeat(NAME_CHARS),
  "a".repeat(NAME_CHARS + 1),
];
const INTEGERS: readonly number[] = [
  -2_147_483_649, -2_147_483_648, -1, 0, 1, 2, 5, 20, 100, 101, 255, 256, 512, 1023, 65_535, 65_536, 100_000, 100_001,
  2_147_483_647, 2_147_483_648,
];
const FRACTIONS: readonly number[] = [0.5, -1.5, 1e20];
const QUANTITIES: readonly Json[] = [
  "1",
  "0",
  "-1",
  "1.5",
  "0.5m",
  "100m",
  "1Ki",
  "1ki",
  "1k",
  "1e3",
  "1E",
  "+1",
  ".5",
  "1.",
  "",
  "a",
  "1 Gi",
  "1Gi ",
  "1024Mi",
  "99999999999999999999",
  "0.0000000001",
  1,
  1.5,
  -2,
];
const UNKNOWN_FIELDS: readonly string[] = ["unknown", "Parallelism", "image ", "x.y", "ä"];

/** A place in a document: the value, what may replace it, and what holds it. */
interface Place {
  readonly field: Field;
  readonly holder: JsonObject | Json[];
  readonly key: string | number;
}

/**
 * Changes the document, which has a member at least, at one place.
 *
 * @param within one of its members, whose `template` is left alone; none: anywhere
 */
export function mutate(document: JsonObject, kind: Field, chance: Chance, within?: string): void {
  const places: Place[] = [];
  collect(document, kind, places);
  const wanted = within === undefined ? [] : places.filter((place) => isWithin(document, place, within, "template"));
  const place = chance.pick(wanted.length > 0 ? wanted : places);
  const value = valueAt(place);
  const { field } = place;
  const members = isObject(value) ? value : undefined;
  const elements = Array.isArray(value) ? value : undefined;
  const isStruct = field.form === "struct" && members !== undefined;
  const isMap = field.form === "map" && members !== undefined;
  const isEmpty = elements?.length === 0;
  const change = chance.weighted([
    { weight: isStruct ? 8 : 0, apply: () => addField(members!, field, chance) },
    { weight: isStruct ? 1 : 0, apply: () => put(members!, chance.pick(UNKNOWN_FIELDS), 1) },
    { weight: isMap ? 8 : 0, apply: () => put(members!, chance.pick(STRINGS), made(elementOf(field), chance)) },
    { weight: elements !== undefined && !isEmpty ? 5 : 0, apply: () => repeat(elements!, chance) },
    { weight: members === undefined ? 10 : 2, apply: () => set(place, made(field, chance)) },
    { weight: 2, apply: () => remove(place) },
    { weight: 1, apply: () => set(place, null) },
    { weight: 1, apply: () => set(place, ofAnyType(chance)) },
    { weight: members !== undefined || elements !== undefined ? 2 : 0, apply: () => set(place, isMap ? {} : []) },
  ]);
  change.apply();
}

const valueAt = ({ holder, key }: Place): Json | undefined => (holder as Record<string | number, Json>)[key];

function isWithin(document: JsonObject, { holder, key }: Place, name: string, except: string): boolean {
  const parent = document[name];
  if (!isObject(parent)) return false;
  if (holder === parent) return key !== except;
  return Object.entries(parent).some(([member, value]) => member !== except && holds(value, holder));
}

function holds(value: Json, holder: Place["holder"]): boolean {
  return (
    value === holder ||
    (typeof value === "object" && value !== null && Object.values(value).some((inner) => holds(inner, holder)))
  );
}

function collect(value: Json | undefined, field: Field, places: Place[]): void {
  const visit = (holder: JsonObject | Json[], key: string | number, of: Field): void => {
    places.push({ field: of, holder, key });
    collect((holder as Record<string | number, Json>)[key], of, places);
  };
  if (field.form === "list" && Array.isArray(value)) value.forEach((_one, index) => visit(value, index, field.element));
  if (!isObject(value)) return;
  const members = field.form === "struct" ? field.members() : undefined;
  for (const name of Object.keys(value)) {
    if (name === "apiVersion" || name === "kind") continue;
    const of = field.form === "map" ? field.element : members?.get(name);
    if (of !== undefined) visit(value, name, of);
  }
}

function set({ holder, key }: Place, value: Json): void {
  put(holder, key, value);
}

// A member called `__proto__` would be none.
function put(holder: JsonObject | Json[], key: string | number, value: Json): void {
  Object.defineProperty(holder, key, { value, enumerable: true, configurable: true, writable: true });
}

function remove({ holder, key }: Place): void {
  if (Array.isArray(holder)) holder.splice(key as number, 1);
  else delete holder[key as string];
}

function addField(value: JsonObject, field: Field, chance: Chance): void {
  const members = field.form === "struct" ? field.members() : new Map<string, Field>();
  const missing = [...members.keys()].filter((name) => !(name in value));
  if (missing.length === 0) return;
  const name = chance.pick(missing);
  value[name] = made(members.get(name)!, chance);
}

function repeat(list: Json[], chance: Chance): void {
  const copies = chance.isHit(MANY_SHARE) ? chance.integer(10, 30) : 1;
  for (let i = 0; i < copies; i++) list.push(structuredClone(list[0]!));
}

const elementOf = (field: Field): Field =>
  field.form === "list" || field.form === "map" ? field.element : { form: "anything" };

/** A value of the type, right or wrong. */
function made(field: Field, chance: Chance): Json {
  switch (field.form) {
    case "string":
      return field.words.length > 0 && chance.isHit(0.6)
        ? chance.pick([...field.words, field.words[0]!.toLowerCase()])
        : chance.pick(STRINGS);
    case "integer":
      return chance.isHit(0.05) ? chance.pick(FRACTIONS) : chance.pick(INTEGERS);
    case "boolean":
      return chance.isHit(0.5);
    case "quantity":
      return chance.pick(QUANTITIES);
    case "integer or string":
      return chance.isHit(0.5) ? chance.pick(INTEGERS) : chance.pick(STRINGS);
    case "time":
      return chance.pick(["2026-01-01T00:00:00Z", "2026-01-01", "yesterday", ""]);
    case "list":
      return Array.from({ length: chance.integer(0, 2) }, () => made(field.element, chance));
    case "map":
      return chance.isHit(0.2) ? {} : { [chance.isHit(0.5) ? "a" : chance.pick(STRINGS)]: made(field.element, chance) };
    case "struct":
      return someMembers(field, chance);
    case "anything":
      return ofAnyType(chance);
  }
}

function someMembers(field: Field, chance: Chance): JsonObject {
  const members = field.form === "struct" ? [...field.members()] : [];
  if (members.length === 0) return {};
  const { count } = chance.weighted([
    { weight: 1, count: 0 },
    { weight: 4, count: 1 },
    { weight: 2, count: 2 },
  ]);
  return Object.fromEntries(
    Array.from({ length: count }, () => chance.pick(members)).map(([name, member]) => [name, made(member, chance)]),
  );
}

function ofAnyType(chance: Chance): Json {
  return chance.pick<() => Json>([
    () => chance.pick(INTEGERS),
    () => chance.pick(STRINGS),
    () => true,
    () => [],
    () => ({}),
    () => [null],
    () => ({ a: 1 }),
    () => Array.from({ length: DEPTH }).reduce<Json>((inner) => [inner], 1),
  ])();
}
