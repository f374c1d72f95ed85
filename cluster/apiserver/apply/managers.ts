/**
 * metadata.managedFields: who owns which fields of an object. Reads what is stored or what a client sends, and writes
 * it in the server's order. A manager is known by its name, its operation, its subresource, and for updates the API
 * version. Source: apimachinery's managedfields package.
 */
import type { Json, JsonObject } from "../../types.ts";
import { isObject } from "../json.ts";
import { parseTime } from "../times.ts";
import { type FieldSet, isEmptySet, readFieldSet, sorted, union } from "./field-set.ts";

export interface Manager {
  readonly name: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  /** Empty for the main resource. */
  readonly subresource: string;
  readonly time: string | undefined;
  readonly fields: FieldSet;
}

/** By identity (managerId). */
export type Managers = ReadonlyMap<string, Manager>;

/** More managers than this that update are merged, the oldest first. */
export const MAX_UPDATE_MANAGERS = 10;
/** The manager that owns what the merged ones did. */
const ANCIENT = "ancient-changes";

/** What makes two entries the same manager. The text is also the order in which managers are taken. */
export function managerId({ name, operation, apiVersion, subresource }: Omit<Manager, "time" | "fields">): string {
  return JSON.stringify({
    ...(name !== "" && { manager: name }),
    operation,
    ...(operation === "Update" && { apiVersion }),
    ...(subresource !== "" && { subresource }),
  });
}

/** An object has the same list again and again, and most writes do not change it. */
const known = new WeakMap<object, Managers>();

/** @throws SyntaxError for entries that no server would write */
export function readManagers(entries: readonly unknown[] | undefined): Managers {
  if (entries === undefined) return new Map();
  const remembered = known.get(entries);
  if (remembered !== undefined) return remembered;
  const managers = new Map<string, Manager>();
  for (const entry of entries) {
    const manager = readManager(entry as Json);
    managers.set(managerId(manager), manager);
  }
  known.set(entries, managers);
  return managers;
}

/** Who owns what: nobody, if the entries cannot be read. */
export function readManagersIfValid(entries: readonly unknown[] | undefined): Managers | undefined {
  try {
    return readManagers(entries);
  } catch (error) {
    if (error instanceof SyntaxError) return undefined;
    throw error;
  }
}

function readManager(entry: Json): Manager {
  if (!isObject(entry)) throw new SyntaxError("an entry of managedFields is an object");
  const { manager = "", operation, apiVersion, subresource = "", time, fieldsType, fieldsV1 = {} } = entry;
  if (operation !== "Apply" && operation !== "Update") throw new SyntaxError("operation must be `Apply` or `Update`");
  if (typeof apiVersion !== "string" || apiVersion === "") throw new SyntaxError("apiVersion must not be empty");
  if (fieldsType !== "FieldsV1") throw new SyntaxError("fieldsType must be FieldsV1");
  return {
    name: manager as string,
    operation,
    apiVersion,
    subresource: subresource as string,
    time: time as string | undefined,
    fields: readFieldSet(fieldsV1),
  };
}

/** Whether a client wants to forget who owns what: no entries, or one that is empty. */
export function isReset(entries: readonly unknown[] | undefined): boolean {
  if (entries === undefined) return false;
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] as object).length === 0);
}

/** The entries as they are stored. Undefined: there are none. */
export function writeManagers(managers: Managers): JsonObject[] | undefined {
  if (managers.size === 0) return undefined;
  const inOrder = [...managers.values()].sort(
    (a, b) =>
      compareText(a.operation, b.operation) ||
      secondsOf(a) - secondsOf(b) ||
      compareText(a.name, b.name) ||
      compareText(a.apiVersion, b.apiVersion) ||
      compareText(a.subresource, b.subresource),
  );
  const entries = inOrder.map(writeManager);
  known.set(entries, new Map(inOrder.map((manager) => [managerId(manager), manager])));
  return entries;
}

/** Sets are put into order once, and mostly stay as they are. */
const sortedSets = new WeakMap<FieldSet, FieldSet>();

function inOrder(fields: FieldSet): FieldSet {
  const ordered = sortedSets.get(fields) ?? sorted(fields);
  sortedSets.set(fields, ordered);
  sortedSets.set(ordered, ordered);
  return ordered;
}

function writeManager({ name, operation, apiVersion, time, fields, subresource }: Manager): JsonObject {
  return {
    ...(name !== "" && { manager: name }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: "FieldsV1",
    fieldsV1: inOrder(fields) as JsonObject,
    ...(subresource !== "" && { subresource }),
  };
}

function secondsOf({ time }: Manager): number {
  return time === undefined ? 0 : Math.floor(parseTime(time) / 1000);
}

function compareText(a: string, b: string): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Merges the oldest managers that update into one for each API version, until there are few enough. The first of a
 * version is only taken when a second one comes.
 */
export function capped(managers: Managers): Managers {
  const updating = [...managers].filter(([, { operation }]) => operation === "Update");
  let excess = updating.length - MAX_UPDATE_MANAGERS;
  if (excess <= 0) return managers;
  updating.sort(([a, left], [b, right]) => secondsOf(left) - secondsOf(right) || compareText(a, b));
  const result = new Map(managers);
  const firstOf = new Map<string, string>();
  for (const [id, manager] of updating) {
    if (excess <= 0) break;
    const { apiVersion, time } = manager;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, id);
      continue;
    }
    const bucket = { name: ANCIENT, operation: "Update", apiVersion, subresource: "" } as const;
    const bucketId = managerId(bucket);
    const others = result.get(bucketId) ?? result.get(first)!;
    if (!result.has(bucketId)) result.delete(first);
    result.set(bucketId, { ...bucket, time, fields: union(manager.fields, others.fields) });
    result.delete(id);
    excess--;
  }
  return result;
}

/** The managers that own anything. */
export function withFields(managers: Managers): Managers {
  for (const { fields } of managers.values())
    if (isEmptySet(fields)) return new Map([...managers].filter(([, manager]) => !isEmptySet(manager.fields)));
  return managers;
}
