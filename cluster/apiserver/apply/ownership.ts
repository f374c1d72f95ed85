/**
 * How the owners of fields change with a write. An update gives its manager every field that it changes, and takes
 * these from all others. An apply gives its manager every field of the configuration, and conflicts with others that
 * own one of them with another value. Source: structured-merge-diff's merge.Updater.
 */
import type { Json, JsonObject } from "../../values/types.ts";
import { deepEqual } from "../../values/json.ts";
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
import {
  capped,
  type Manager,
  managerId,
  managerOf,
  type Managers,
  newManager,
  withFields,
  withManager,
} from "./managers.ts";
import { merge } from "./merge.ts";
import { removeFields } from "./remove.ts";
import type { MapShape, Shape } from "./shape.ts";

/** Fields without an owner: only the server sets them, or they identify the object. */
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

/** The object of a write in the API version of the request, and its conversion to the other versions. */
export interface Versions {
  readonly apiVersion: string;
  readonly shape: MapShape;
  /** Undefined: the kind is not served in that version. */
  convert(object: JsonObject, apiVersion: string): { readonly object: JsonObject; readonly shape: Shape } | undefined;
}

export interface Writer {
  readonly name: string;
  readonly subresource: string;
  readonly time: string;
  /** Fields that this write does not change, whatever it contains: status, on the main resource. */
  readonly resets: FieldSet;
}

/** Fields that an apply would take from managers with another value. */
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
  changes = compare(live, next, versions.shape),
): Managers {
  const { name, subresource, time, resets } = writer;
  const others = dispossessed(live, next, changes, managers, undefined, { writer, versions }).managers;
  const fields = difference(recursiveDifference(changes.written, resets), unowned);
  if (isEmptySet(fields)) return capped(others);
  const identity = { name, operation: "Update", apiVersion: versions.apiVersion, subresource } as const;
  const known = managerOf(others, identity);
  const owned = known === undefined ? fields : union(known.fieldsV1, fields);
  return capped(withManager(others, known, newManager(identity, time, owned)));
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
  const identity = { name, operation: "Apply", apiVersion, subresource } as const;
  const last = managerOf(managers, identity);
  const fields = recursiveDifference(fieldsOf(configuration, shape), resets);
  const self = newManager(identity, last?.time, fields);
  const claimed = withManager(managers, last, self);
  const merged = merge(live, configuration, shape) as JsonObject;
  const next = last === undefined ? merged : pruned(merged, last, claimed, shape);
  const changes = compare(live, next, shape);
  const { managers: others, conflicts } = dispossessed(live, next, changes, claimed, self, { writer, versions });
  if (conflicts.length > 0 && !isForced) throw new ApplyConflict(conflicts);
  const isSame = deepEqual(live, next);
  const owner = newManager(identity, isSame ? last?.time : writer.time, difference(fields, unowned));
  return { object: isSame ? undefined : next, managers: withFields(withManager(others, self, owner)) };
}

/** Removes from every manager but `self` what the write changes or removes. @returns also what it changed of theirs */
function dispossessed(
  live: JsonObject,
  next: JsonObject,
  changes: Comparison,
  managers: Managers,
  self: Manager | undefined,
  { writer, versions }: { writer: Writer; versions: Versions },
): { managers: Managers; conflicts: readonly Conflict[] } {
  const inVersion = new Map([[versions.apiVersion, withoutFields(changes, writer.resets)]]);
  const left: Manager[] = [];
  const conflicts: Conflict[] = [];
  for (const manager of managers) {
    if (manager === self) {
      left.push(manager);
      continue;
    }
    const { apiVersion } = manager;
    const seen = inVersion.get(apiVersion) ?? comparedIn(apiVersion, live, next, versions);
    if (seen === undefined) continue;
    inVersion.set(apiVersion, seen);
    const taken = intersection(manager.fieldsV1, seen.written);
    if (!isEmptySet(taken)) conflicts.push({ manager, fields: taken });
    const fieldsV1 = difference(difference(manager.fieldsV1, taken), seen.removed);
    left.push(fieldsV1 === manager.fieldsV1 ? manager : { ...manager, fieldsV1 });
  }
  const isSame = left.length === managers.length && left.every((manager, place) => manager === managers[place]);
  conflicts.sort((a, b) => (managerId(a.manager) < managerId(b.manager) ? -1 : 1));
  return { managers: withFields(isSame ? managers : left), conflicts };
}

function withoutFields({ removed, written }: Comparison, fields: FieldSet): Comparison {
  return { removed: recursiveDifference(removed, fields), written: recursiveDifference(written, fields) };
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
 * The merged object without the fields that the manager applied last time, does not apply now, and that no other
 * manager owns.
 *
 * First removes everything applied last time, with what is below it. Then restores what any manager owns, and last what
 * was below, but had no owner or belonged to an updater.
 */
function pruned(merged: JsonObject, last: Manager, claimed: Managers, shape: Shape): JsonObject {
  if (isEmptySet(last.fieldsV1)) return merged;
  const named = (set: FieldSet): FieldSet => withStructs(set, shape);
  const without = (fields: FieldSet): Json => removeFields(merged, fields, shape);
  const all = named(fieldsOf(merged, shape));
  const bare = without(named(last.fieldsV1));
  let owned: FieldSet = noFields;
  for (const { fieldsV1 } of claimed) owned = union(owned, fieldsV1);
  const restored = without(difference(all, union(named(fieldsOf(bare, shape)), named(owned))));
  return without(intersection(difference(all, named(fieldsOf(restored, shape))), named(last.fieldsV1))) as JsonObject;
}
