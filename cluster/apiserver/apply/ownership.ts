/**
 * How the owners of fields change with a write. An update gives its manager every field that it changes, and takes
 * these from all others. An apply gives its manager every field of the configuration, and conflicts with others that
 * own one of them with another value. Source: structured-merge-diff's merge.Updater.
 */
import type { Json, JsonObject } from "../../types.ts";
import { deepEqual } from "../json.ts";
import { type Comparison, compare } from "./compare.ts";
import {
  difference,
  type FieldSet,
  intersection,
  isEmptySet,
  noFields,
  recursiveDifference,
  setOf,
  union,
} from "./field-set.ts";
import { fieldsOf, withStructs } from "./fields-of.ts";
import { capped, type Manager, managerId, type Managers, withFields } from "./managers.ts";
import { merge } from "./merge.ts";
import { removeFields } from "./remove.ts";
import type { Shape } from "./shape.ts";

/** Fields that are nobody's: the server alone sets them, or they say which object it is. */
const unowned = setOf(
  ["apiVersion"],
  ["kind"],
  ["metadata"],
  ["metadata", "name"],
  ["metadata", "namespace"],
  ["metadata", "creationTimestamp"],
  ["metadata", "selfLink"],
  ["metadata", "uid"],
  ["metadata", "clusterName"],
  ["metadata", "generation"],
  ["metadata", "managedFields"],
  ["metadata", "resourceVersion"],
);

/** The object of a write in the API version of the request, and how it looks in the others. */
export interface Versions {
  readonly apiVersion: string;
  readonly shape: Shape;
  /** Undefined: the kind is not served in that version. */
  convert(object: JsonObject, apiVersion: string): { readonly object: JsonObject; readonly shape: Shape } | undefined;
}

export interface Writer {
  readonly name: string;
  readonly subresource: string;
  readonly time: string;
  /** Fields that this write leaves as they are, whatever it says: status, on the main resource. */
  readonly resets: FieldSet;
}

/** What an apply would take from others that want something else. */
export interface Conflict {
  readonly manager: Manager;
  readonly fields: FieldSet;
}

export class ApplyConflict extends Error {
  readonly conflicts: readonly Conflict[];

  constructor(conflicts: readonly Conflict[]) {
    super("fields have other managers");
    this.conflicts = conflicts;
  }
}

/** The managers after an update of `live` to `next`. The time of the writer changes only with its fields. */
export function updated(
  live: JsonObject,
  next: JsonObject,
  managers: Managers,
  writer: Writer,
  versions: Versions,
): Managers {
  const { name, subresource, time, resets } = writer;
  const changes = compare(live, next, versions.shape);
  const others = dispossessed(live, next, changes, managers, undefined, { writer, versions }).managers;
  const fields = difference(recursiveDifference(union(changes.modified, changes.added), resets), unowned);
  if (isEmptySet(fields)) return capped(others);
  const manager = { name, operation: "Update", apiVersion: versions.apiVersion, subresource } as const;
  const id = managerId(manager);
  const owned = union(fields, others.get(id)?.fields ?? noFields);
  return capped(new Map(others).set(id, { ...manager, time, fields: owned }));
}

/** What an apply makes of an object. */
export interface Applied {
  /** Undefined: nothing but owners changes. */
  readonly object: JsonObject | undefined;
  readonly managers: Managers;
}

/** @throws ApplyConflict unless it is forced */
export function applied(
  live: JsonObject,
  configuration: JsonObject,
  managers: Managers,
  writer: Writer,
  versions: Versions,
  isForced: boolean,
): Applied {
  const { name, subresource, resets } = writer;
  const { shape, apiVersion } = versions;
  const draft = { name, operation: "Apply", apiVersion, subresource } as const;
  const id = managerId(draft);
  const last = managers.get(id);
  const fields = recursiveDifference(fieldsOf(configuration, shape), resets);
  const claimed = new Map(managers).set(id, { ...draft, time: last?.time, fields });
  const merged = merge(live, configuration, shape) as JsonObject;
  const next = last === undefined ? merged : pruned(merged, last, claimed, shape);
  const changes = compare(live, next, shape);
  const { managers: others, conflicts } = dispossessed(live, next, changes, claimed, id, { writer, versions });
  if (conflicts.length > 0 && !isForced) throw new ApplyConflict(conflicts);
  const isSame = deepEqual(live, next);
  const manager = others.get(id);
  const result = new Map(others);
  if (manager !== undefined)
    result.set(id, {
      ...manager,
      time: isSame ? manager.time : writer.time,
      fields: difference(manager.fields, unowned),
    });
  return { object: isSame ? undefined : next, managers: withFields(result) };
}

/**
 * Takes from every manager but `self` what the write changes or removes.
 * @returns also what was changed of theirs
 */
function dispossessed(
  live: JsonObject,
  next: JsonObject,
  changes: Comparison,
  managers: Managers,
  self: string | undefined,
  { writer, versions }: { writer: Writer; versions: Versions },
): { managers: Managers; conflicts: readonly Conflict[] } {
  const inVersion = new Map([[versions.apiVersion, withoutFields(changes, writer.resets)]]);
  const result = new Map(managers);
  const conflicts: Conflict[] = [];
  for (const [id, manager] of [...managers].sort(([a], [b]) => (a < b ? -1 : 1))) {
    if (id === self) continue;
    const { apiVersion } = manager;
    const seen = inVersion.get(apiVersion) ?? comparedIn(apiVersion, live, next, versions);
    if (seen === undefined) {
      result.delete(id);
      continue;
    }
    inVersion.set(apiVersion, seen);
    const taken = intersection(manager.fields, union(seen.modified, seen.added));
    if (!isEmptySet(taken)) conflicts.push({ manager, fields: taken });
    const fields = difference(difference(manager.fields, taken), seen.removed);
    if (fields !== manager.fields) result.set(id, { ...manager, fields });
  }
  return { managers: withFields(result), conflicts };
}

function withoutFields({ removed, modified, added }: Comparison, fields: FieldSet): Comparison {
  return {
    removed: recursiveDifference(removed, fields),
    modified: recursiveDifference(modified, fields),
    added: recursiveDifference(added, fields),
  };
}

function comparedIn(
  apiVersion: string,
  live: JsonObject,
  next: JsonObject,
  versions: Versions,
): Comparison | undefined {
  const [before, after] = [versions.convert(live, apiVersion), versions.convert(next, apiVersion)];
  return before && after && compare(before.object, after.object, before.shape);
}

/**
 * The merged object without what the manager applied last time, does not apply now, and nobody else owns.
 *
 * First everything of last time goes, with what is below it. Then what anybody owns comes back, and last what was
 * below, but was nobody's or an updater's.
 */
function pruned(merged: JsonObject, last: Manager, claimed: Managers, shape: Shape): JsonObject {
  if (isEmptySet(last.fields)) return merged;
  const named = (set: FieldSet): FieldSet => withStructs(set, shape);
  const without = (fields: FieldSet): Json => removeFields(merged, fields, shape);
  const all = named(fieldsOf(merged, shape));
  const bare = without(named(last.fields));
  let owned: FieldSet = noFields;
  for (const { fields } of claimed.values()) owned = union(owned, fields);
  const restored = without(difference(all, union(named(fieldsOf(bare, shape)), named(owned))));
  return without(intersection(difference(all, named(fieldsOf(restored, shape))), named(last.fields))) as JsonObject;
}
