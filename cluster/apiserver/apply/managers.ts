/**
 * metadata.managedFields: who owns which fields of an object. Reads what is stored or what a client sends, and brings
 * it into the server's order. A manager is known by its name, its operation, its subresource, and for updates the API
 * version. Source: apimachinery's managedfields package.
 *
 * Invariant: a manager is the entry that is stored of it, so one that a write leaves alone costs nothing.
 */
import type { Json } from "../../values/types.ts";
import { isObject, sharing } from "../../values/json.ts";
import { parseTime } from "../../values/times.ts";
import { type FieldSet, isEmptySet, noFields, readFieldSet, union } from "./field-set.ts";

/** Its members are in the order in which they are written. */
export interface Manager {
  /** Absent: it has no name. */
  readonly manager?: string;
  readonly operation: "Apply" | "Update";
  readonly apiVersion: string;
  readonly time?: string;
  readonly fieldsType: "FieldsV1";
  readonly fieldsV1: FieldSet;
  /** Absent: it is the main resource. */
  readonly subresource?: string;
}

/** No two are the same manager. */
export type Managers = readonly Manager[];

/** The writer's identity. Texts may be empty. */
export interface ManagerIdentity {
  readonly name: string;
  readonly operation: Manager["operation"];
  readonly apiVersion: string;
  readonly subresource: string;
}

/** If more managers than this update, the oldest are merged. */
export const MAX_UPDATE_MANAGERS = 10;
/** The manager that owns the fields of the merged ones. */
const ANCIENT = "ancient-changes";

export function newManager(identity: ManagerIdentity, time: string | undefined, fieldsV1: FieldSet): Manager {
  const { name, operation, apiVersion, subresource } = identity;
  return {
    ...(name !== "" && { manager: name }),
    operation,
    apiVersion,
    ...(time !== undefined && { time }),
    fieldsType: "FieldsV1",
    fieldsV1,
    ...(subresource !== "" && { subresource }),
  };
}

export function managerOf(managers: Managers, identity: ManagerIdentity): Manager | undefined {
  const { name, operation, apiVersion, subresource } = identity;
  return managers.find(
    (other) =>
      other.operation === operation &&
      (other.manager ?? "") === name &&
      (other.subresource ?? "") === subresource &&
      (operation === "Apply" || other.apiVersion === apiVersion),
  );
}

/** The managers with `manager` in the place of `known`. `known` undefined: `manager` is added. */
export function withManager(managers: Managers, known: Manager | undefined, manager: Manager): Managers {
  if (known === undefined) return [...managers, manager];
  return known === manager ? managers : managers.map((other) => (other === known ? manager : other));
}

/** Identifies the manager of an entry. The text is also the sort key of managers. */
export function managerId({ manager, operation, apiVersion, subresource }: Manager): string {
  return JSON.stringify({ manager, operation, ...(operation === "Update" && { apiVersion }), subresource });
}

function byId(managers: Managers): Map<string, Manager> {
  return new Map(managers.map((manager) => [managerId(manager), manager]));
}

/** Caches parsed lists, and lists made here, which need no parsing. */
const known = new WeakMap<object, Managers>();

/** @throws SyntaxError for entries that no server would write */
export function readManagers(entries: readonly unknown[] | undefined): Managers {
  if (entries === undefined) return [];
  const remembered = known.get(entries);
  if (remembered !== undefined) return remembered;
  const managers = [...byId(entries.map((entry) => readManager(entry as Json))).values()];
  known.set(entries, managers);
  return managers;
}

/** Who owns which field. If the entries cannot be read, no manager owns any. */
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
  const identity = { name: manager as string, operation, apiVersion, subresource: subresource as string } as const;
  return newManager(identity, time as string | undefined, readFieldSet(fieldsV1));
}

/** Whether a client asks to reset the owners: no entries, or one that is empty. */
export function isReset(entries: readonly unknown[] | undefined): boolean {
  if (entries === undefined) return false;
  return entries.length === 0 || (entries.length === 1 && Object.keys(entries[0] as object).length === 0);
}

/**
 * The entries as they are stored. Undefined: there are none.
 * @param latest entries of the object that the store will share equal parts with: they are shared here, because a list
 * that the store copied for that would have to be read again
 */
export function writeManagers(managers: Managers, latest: readonly unknown[] | undefined): Managers | undefined {
  if (managers.length === 0) return undefined;
  const inOrder = managers.toSorted(
    (a, b) =>
      compareText(a.operation, b.operation) ||
      compareTimes(a, b) ||
      compareText(a.manager, b.manager) ||
      compareText(a.apiVersion, b.apiVersion) ||
      compareText(a.subresource, b.subresource),
  );
  const entries = sharing(inOrder as unknown as Json, latest as Json | undefined) as unknown as Managers;
  known.set(entries, entries);
  return entries;
}

function compareTimes(a: Manager, b: Manager): number {
  return a.time === b.time ? 0 : secondsOf(a) - secondsOf(b);
}

function secondsOf({ time }: Manager): number {
  return time === undefined ? 0 : Math.floor(parseTime(time) / 1000);
}

function compareText(a = "", b = ""): number {
  return a < b ? -1 : a > b ? 1 : 0;
}

/**
 * Merges the oldest managers that update into one for each API version, until there are few enough. The first of a
 * version is only taken when a second one comes.
 */
export function capped(managers: Managers): Managers {
  if (managers.length <= MAX_UPDATE_MANAGERS) return managers;
  const updating = managers.filter(({ operation }) => operation === "Update");
  let excess = updating.length - MAX_UPDATE_MANAGERS;
  updating.sort((a, b) => compareTimes(a, b) || compareText(managerId(a), managerId(b)));
  const result = byId(managers);
  const firstOf = new Map<string, Manager>();
  for (const manager of updating) {
    if (excess <= 0) break;
    const { apiVersion, time } = manager;
    const first = firstOf.get(apiVersion);
    if (first === undefined) {
      firstOf.set(apiVersion, manager);
      continue;
    }
    const bucket = newManager({ name: ANCIENT, operation: "Update", apiVersion, subresource: "" }, time, noFields);
    const ancient = result.get(managerId(bucket));
    const { fieldsV1 } = ancient ?? first;
    if (ancient === undefined) result.delete(managerId(first));
    result.set(managerId(bucket), { ...bucket, fieldsV1: union(manager.fieldsV1, fieldsV1) });
    result.delete(managerId(manager));
    excess--;
  }
  return [...result.values()];
}

/** The managers that own anything. */
export function withFields(managers: Managers): Managers {
  return managers.some(({ fieldsV1 }) => isEmptySet(fieldsV1))
    ? managers.filter(({ fieldsV1 }) => !isEmptySet(fieldsV1))
    : managers;
}
