/**
 * Strategic merge patch: a merge patch that knows which lists are keyed. Elements of a keyed list merge by that key,
 * lists of plain values may be sets, and directives (`$patch`, `$retainKeys`, `$setElementOrder/…`,
 * `$deleteFromPrimitiveList/…`) control the rest. The document is not changed, and the result shares with it everything
 * that the patch does not touch. Source: apimachinery's strategicpatch. The merge keys are a part of the schema.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { memoize } from "../../values/memoize.ts";
import { conform, withMembers } from "../schema/decode.ts";
import { deepEqual, goValue, isObject, setMember, stringify } from "../../values/json.ts";
import { mergeKeyOf, type StructType, type Type } from "../schema/schema.ts";

/** An invalid patch, which the server answers with a plain 500. */
export class StrategicPatchError extends Error {}

const setOrder = "$setElementOrder/";
const deleteFromList = "$deleteFromPrimitiveList/";
const DOLLAR = 0x24;

/** @throws StrategicPatchError */
export function applyStrategicMergePatch(document: JsonObject, patch: JsonObject, type: StructType): JsonObject {
  return mergeObject(document, patch, type);
}

/**
 * The same for a document in written form, and a patch whose parts are so, apart from metadata
 * (ServerRequest.isWritten). The result is in written form too, so it need not be decoded. Undefined: the patch does
 * something else than to set fields of structs.
 */
export function mergeWritten(document: JsonObject, patch: JsonObject, type: StructType): JsonObject | undefined {
  let merged = document;
  for (const key in patch) {
    const field = type.fields.get(key);
    const [before, part] = [document[key], patch[key]!];
    if (field?.type.form !== "struct" || !isObject(before) || !isObject(part)) return undefined;
    const next = key === "metadata" ? mergeObject(before, part, field.type) : mergeStruct(before, part, field.type);
    if (next === before) continue;
    if (next === undefined || key === "metadata") return undefined;
    merged = ownCopy(merged, document);
    merged[key] = next;
  }
  return merged;
}

function mergeStruct(original: JsonObject, patch: JsonObject, type: StructType): JsonObject | undefined {
  let changes: JsonObject | undefined;
  for (const key in patch) {
    if (isDirectiveKey(key)) {
      if (key.startsWith(setOrder) && key.slice(setOrder.length) in patch) continue;
      return undefined;
    }
    const before = original[key];
    const value = patch[key]!;
    if (value === before) continue;
    const next = Array.isArray(value) ? mergeWrittenList(before, value, type, key, patch) : value;
    if (next === undefined || next === null || isObject(next)) return undefined;
    if (next !== before) (changes ??= {})[key] = next;
  }
  return changes === undefined ? original : withMembers(original, changes, type);
}

function mergeWrittenList(
  before: Json | undefined,
  value: Json[],
  owner: StructType,
  field: string,
  patch: JsonObject,
): Json | undefined {
  if (keyOf(owner, field) === undefined) return deepEqual(before, value) ? before : value;
  const merged = mergeValue(before, value, owner, field, patch[`${setOrder}${field}`]);
  // Elements of a keyed list are merged one by one, and so may have lost their order.
  return merged === before ? before : conform({ [field]: merged }, owner, { [field]: before! }).object[field];
}

function mergeObject(original: JsonObject, patch: JsonObject, type: Type | undefined): JsonObject {
  if (patch === original) return original;
  const directive = patch["$patch"];
  if (directive === "delete") return {};
  if (directive !== undefined && directive !== "replace" && directive !== "merge") {
    throw new StrategicPatchError(`unknown patch type: ${goValue(directive)} in map: ${goValue(patch)}`);
  }
  let merged = directive === "replace" ? {} : retained(original, patch["$retainKeys"]);
  const directives = directivesOf(patch);
  // Building the name of the order directive for each of a hundred thousand members would take longer than everything
  // else.
  const hasOrders = directives.some((key) => key.startsWith(setOrder));
  for (const key of directives) {
    if (!key.startsWith(deleteFromList)) continue;
    merged = ownCopy(merged, original);
    deleteValues(merged, key.slice(deleteFromList.length), patch[key]!);
  }
  for (const key in patch) {
    if (isDirectiveKey(key)) continue;
    const value = patch[key]!;
    const before = Object.hasOwn(merged, key) ? merged[key] : undefined;
    if (value !== null) {
      const next = mergeValue(before, value, type, key, hasOrders ? patch[`${setOrder}${key}`] : undefined);
      if (next === before) continue;
      merged = ownCopy(merged, original);
      setMember(merged, key, next);
    } else if (before !== undefined && before !== null) {
      // Keep a null that exists already: unset fields are written so.
      merged = ownCopy(merged, original);
      delete merged[key];
    }
  }
  for (const key of directives) {
    const field = key.slice(setOrder.length);
    // If the patch also has the list, this order was applied together with it.
    if (!key.startsWith(setOrder) || field in patch) continue;
    merged = ownCopy(merged, original);
    reorder(merged, field, patch[key]!, type);
  }
  return merged;
}

/** `merged`; or a copy of it, if it is still the original. */
function ownCopy(merged: JsonObject, original: JsonObject): JsonObject {
  return merged === original ? { ...original } : merged;
}

const noDirectives: readonly string[] = [];

function directivesOf(patch: JsonObject): readonly string[] {
  let directives: string[] | undefined;
  for (const key in patch) if (isDirectiveKey(key)) (directives ??= []).push(key);
  return directives ?? noDirectives;
}

function isDirectiveKey(key: string): boolean {
  return key.charCodeAt(0) === DOLLAR;
}

function retained(original: JsonObject, keys: Json | undefined): JsonObject {
  if (!Array.isArray(keys)) return original;
  const kept = new Set<Json>(keys);
  const names = Object.keys(original);
  if (names.every((name) => kept.has(name))) return original;
  const members: JsonObject = {};
  for (const name of names) if (kept.has(name)) setMember(members, name, original[name]!);
  return members;
}

function deleteValues(merged: JsonObject, field: string, values: Json): void {
  const list = merged[field];
  if (!Array.isArray(list) || !Array.isArray(values)) return;
  const deleted = new Set(values);
  merged[field] = list.filter((item) => !deleted.has(item));
}

/** Applies an order directive without a list: it sorts the existing list. */
function reorder(merged: JsonObject, field: string, order: Json, type: Type | undefined): void {
  const list = merged[field];
  const key = keyOf(type, field);
  if (!Array.isArray(list) || !Array.isArray(order) || key === undefined) return;
  merged[field] = sortElements(list, order, list, key);
}

function keyOf(type: Type | undefined, field: string): string | undefined {
  return type?.form === "struct" ? mergeKeyOf(type.name, field) : undefined;
}

function fieldType(type: Type | undefined, field: string): Type | undefined {
  if (type?.form === "struct") return type.fields.get(field)?.type;
  return type?.form === "map" ? type.element : undefined;
}

function mergeValue(
  original: Json | undefined,
  value: Json,
  owner: Type | undefined,
  field: string,
  order: Json | undefined,
): Json {
  const type = fieldType(owner, field);
  if (isObject(value)) {
    if (!isObject(original)) return asNew(value, type);
    return keyOf(owner, field) === "replace" ? value : mergeObject(original, value, type);
  }
  if (!Array.isArray(value)) return value;
  // The value is a part of the document itself, so it changes nothing.
  if (value === original) return original;
  const key = keyOf(owner, field);
  if (key === undefined) return deepEqual(original, value) ? original! : value;
  const list = Array.isArray(original) ? original : [];
  const element = type?.form === "list" ? type.element : undefined;
  // Without an existing list there is nothing to merge with.
  if (original === undefined && !value.some((item) => isObject(item) && "$patch" in item))
    return value.map((item) => (isObject(item) ? asNew(item, element) : item));
  if (value.length > 1) return knownMerge(list, value, order, key, element);
  return singleMerge(list, value, key, element) ?? mergeList(list, value, order, key, element);
}

/** The merge of lists of at most one element, if these have the same key. Such a list needs no order. */
function singleMerge(list: Json[], value: Json[], key: string, element: Type | undefined): Json[] | undefined {
  const [item] = value;
  const [before] = list;
  if (list.length > 1 || !isObject(item) || typeof item[key] !== "string" || "$patch" in item) return undefined;
  if (before !== undefined && (!isObject(before) || before[key] !== item[key])) return undefined;
  const merged = before === undefined ? asNew(item, element) : mergeObject(before, item, element);
  if (merged === before) return list;
  return merged === item ? value : [merged];
}

function mergeList(
  list: Json[],
  value: readonly Json[],
  order: Json | undefined,
  key: string,
  element: Type | undefined,
): Json[] {
  const orderBy = Array.isArray(order) ? order : value.filter((item) => !isDirective(item));
  if (key === "") return sortElements([...new Set([...list, ...value])], orderBy, list, key);
  const sorted = sortElements(mergeElements(list, value, key, element), orderBy, list, key);
  return sorted.length === list.length && sorted.every((item, place) => item === list[place]) ? list : sorted;
}

/** Memoized, because a kubelet sends the same conditions for many pods. */
const knownMerge = memoize(mergeList);

/** The result of a patch of nothing: mostly the patch itself. */
function asNew(patch: JsonObject, type: Type | undefined): JsonObject {
  return isWritten(patch, type) ? patch : mergeObject({}, patch, type);
}

/**
 * Whether a patch is already a plain value: it has no directive, no keyed list, and no null except where unset fields
 * are written so.
 */
function isWritten(patch: JsonObject, type: Type | undefined): boolean {
  for (const key in patch) {
    if (isDirectiveKey(key)) return false;
    const value = patch[key]!;
    if (value === null && !(type?.form === "struct" && type.fields.get(key)?.absent === null)) return false;
    if (typeof value !== "object" || value === null) continue;
    if (Array.isArray(value) ? keyOf(type, key) !== undefined : !isWritten(value, fieldType(type, key))) return false;
  }
  return true;
}

function isDirective(item: Json): boolean {
  return isObject(item) && (item["$patch"] === "delete" || item["$patch"] === "replace");
}

function mergeElements(original: readonly Json[], patch: readonly Json[], key: string, type: Type | undefined): Json[] {
  const replaces = patch.some((item) => isObject(item) && item["$patch"] === "replace" && !(key in item));
  const merged = new KeyedList(replaces ? [] : original, key);
  for (const item of patch) {
    if (isObject(item) && item["$patch"] === "replace" && !(key in item)) continue;
    if (!isObject(item) || !(key in item))
      throw new StrategicPatchError(`map: ${goValue(item)} does not contain declared merge key: ${key}`);
    const id = item[key]!;
    if (item["$patch"] === "delete") merged.delete(id);
    else merged.set(id, (before) => (before === undefined ? asNew(item, type) : mergeObject(before, item, type)));
  }
  return merged.items();
}

/** A list whose elements are identified by one of their members. */
class KeyedList {
  /** Deleted elements are replaced by undefined. */
  readonly #items: (Json | undefined)[];
  /** The positions of the elements with a key, in ascending order. */
  readonly #places = new Map<Json, number[]>();

  constructor(items: readonly Json[], key: string) {
    this.#items = [...items];
    items.forEach((item, place) => {
      if (isObject(item) && item[key] !== undefined) this.#note(item[key], place);
    });
  }

  /** Replaces the first element with that key, or adds one. */
  set(id: Json, next: (before: JsonObject | undefined) => Json): void {
    const place = this.#places.get(identity(id))?.[0];
    if (place !== undefined) {
      this.#items[place] = next(this.#items[place] as JsonObject);
      return;
    }
    this.#note(id, this.#items.length);
    this.#items.push(next(undefined));
  }

  delete(id: Json): void {
    for (const place of this.#places.get(identity(id)) ?? []) this.#items[place] = undefined;
    this.#places.delete(identity(id));
  }

  items(): Json[] {
    return this.#items.filter((item) => item !== undefined);
  }

  #note(id: Json, place: number): void {
    const places = this.#places.get(identity(id));
    if (places === undefined) this.#places.set(identity(id), [place]);
    else places.push(place);
  }
}

/** A value that is equal for equal keys. Stored elements have only plain values as keys. */
function identity(id: Json): Json {
  return typeof id === "object" ? stringify(id) : id;
}

/**
 * Puts the elements that `order` names into that order. The others keep their old order, and go as far forward as that
 * allows.
 */
function sortElements(merged: readonly Json[], order: readonly Json[], before: readonly Json[], key: string): Json[] {
  if (key !== "" && isInOrder(merged, order, key)) return [...merged];
  const inOrder = ranks(order, key);
  const inBefore = ranks(before, key);
  // Look each element up once. A sort of a hundred thousand elements compares most of them a dozen times.
  const ranked = merged.map((item) => ({ item, ordered: inOrder(item), before: inBefore(item) }));
  const named = ranked.filter(({ ordered }) => ordered >= 0).toSorted((a, b) => a.ordered - b.ordered);
  const others = ranked.filter(({ ordered }) => ordered < 0).toSorted((a, b) => a.before - b.before);
  const sorted: Json[] = [];
  let next = 0;
  for (const { item, before: rank } of named) {
    for (; next < others.length && others[next]!.before < rank; next++) sorted.push(others[next]!.item);
    sorted.push(item);
  }
  for (; next < others.length; next++) sorted.push(others[next]!.item);
  return sorted;
}

/** A function that returns the position of an element in a list, by its key; −1: the list does not have it. */
function ranks(list: readonly Json[], key: string): (item: Json) => number {
  const identity = (item: Json): Json | undefined => (key === "" ? item : isObject(item) ? item[key] : undefined);
  const places = new Map<Json | undefined, number>();
  for (let place = list.length - 1; place >= 0; place--) places.set(identity(list[place]!), place);
  return (item) => places.get(identity(item)) ?? -1;
}

/** Whether the elements are already exactly in the given order. */
function isInOrder(merged: readonly Json[], order: readonly Json[], key: string): boolean {
  return (
    merged.length === order.length &&
    merged.every((item, place) => {
      const other = order[place]!;
      return isObject(item) && isObject(other) && item[key] !== undefined && item[key] === other[key];
    })
  );
}
