/**
 * Merges a configuration into an object: values of the configuration win, nothing is removed, and keyed lists take over
 * the order of the configuration where it names items. Source: structured-merge-diff's typed.Merge.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { isObject, isWithoutParts, setMember } from "../../values/json.ts";
import { itemElement } from "./list-items.ts";
import type { PathElement } from "./path-element.ts";
import { deduced, type ListShape, type MapShape, memberShape, type Shape, shapeFor } from "./shape.ts";

/** Undefined: the value does not exist. Both are valid for the shape (validate.ts). */
export function merge(live: Json | undefined, applied: Json | undefined, shape: Shape): Json | undefined {
  if (applied === undefined) return live;
  const actual = shapeFor(shape, applied === null ? (live ?? null) : applied);
  if (actual.form === "scalar" || (isWithoutParts(live) && isWithoutParts(applied))) return applied;
  if (actual.form === "map") return actual.isAtomic ? applied : mergeMembers(live, applied, actual);
  return actual.elements === "atomic" ? applied : mergeItems(live, applied, actual);
}

function mergeMembers(live: Json | undefined, applied: Json, shape: MapShape): JsonObject {
  const merged: JsonObject = isObject(live) ? { ...live } : {};
  if (!isObject(applied)) return merged;
  for (const name in applied) {
    const before = Object.hasOwn(merged, name) ? merged[name] : undefined;
    setMember(merged, name, merge(before, applied[name], memberShape(shape, name) ?? deduced)!);
  }
  return merged;
}

interface Item {
  readonly element: PathElement;
  readonly value: Json;
}

function itemsOf(list: Json | undefined, shape: ListShape): Item[] {
  return (Array.isArray(list) ? list : []).map((value) => ({ element: itemElement(value, shape), value }));
}

/** The value of each element; unknown for a duplicate. */
function valuesOf(items: readonly Item[]): Map<PathElement, Json> {
  const values = new Map<PathElement, Json>();
  for (const { element, value } of items) values.set(element, values.has(element) ? null : value);
  return values;
}

/**
 * Goes through both lists at once. Items that only the live list has keep their place before the next item that both
 * lists have in the order of the configuration.
 */
function mergeItems(live: Json | undefined, applied: Json, shape: ListShape): Json[] {
  const [left, right] = [itemsOf(live, shape), itemsOf(applied, shape)];
  const [liveValues, appliedValues] = [valuesOf(left), valuesOf(right)];
  const shared = right.map(({ element }) => element).filter((element) => liveValues.has(element));
  const merged: Json[] = [];
  const done = new Set<PathElement>();
  const take = (element: PathElement): void => {
    done.add(element);
    merged.push(merge(liveValues.get(element), appliedValues.get(element), shape.element)!);
  };
  let place = 0;
  let nextShared = shared[place++];
  let [l, r] = [0, 0];
  while (l < left.length || r < right.length) {
    const liveItem = left[l];
    const appliedItem = right[r];
    if (liveItem !== undefined && appliedItem !== undefined) {
      if (liveItem.element === appliedItem.element) {
        take(liveItem.element);
        l++;
        r++;
        nextShared = shared[place++];
        continue;
      }
      // Both lists have it, but another one comes first.
      if (appliedValues.has(liveItem.element) && nextShared !== undefined && nextShared !== liveItem.element) {
        l++;
        continue;
      }
    }
    if (liveItem !== undefined) {
      if (!appliedValues.has(liveItem.element)) {
        merged.push(liveItem.value);
        l++;
        continue;
      }
      if (done.has(liveItem.element)) l++;
    }
    if (appliedItem === undefined) continue;
    take(appliedItem.element);
    r++;
    if (nextShared === appliedItem.element) nextShared = shared[place++];
  }
  return merged;
}
