/**
 * Keeps account of who owns which fields of each object, in metadata.managedFields: what a server is given to serve
 * server-side apply (ServerContext.fieldOwners).
 *
 * Invariant: the entries follow from the stored states before and after a write. So a component that writes without a
 * manager, such as the binding of a pod, changes no owner.
 */
import type { JsonObject, KubeObject, ObjectMeta } from "../../types.ts";
import type { FieldOwners, ResourceRequest } from "../context.ts";
import type { ResourceDefinition } from "../definition.ts";
import { normalize } from "../decode.ts";
import { deepEqual } from "../json.ts";
import type { StructType } from "../schema.ts";
import { byteLength } from "../text.ts";
import { formatTime } from "../times.ts";
import { MAX_MANAGER_BYTES } from "../field-manager.ts";
import { apply } from "./apply-request.ts";
import { compare } from "./compare.ts";
import { type FieldSet, isEmptySet, noFields, setOf } from "./field-set.ts";
import { isReset, type Managers, readManagersIfValid, writeManagers } from "./managers.ts";
import { updated, type Versions, type Writer } from "./ownership.ts";
import { structShape } from "./shape.ts";

const noManagers: Managers = [];

/** Fields that a write to the main resource, or to a subresource, leaves as they are. */
const statusFields = setOf(["status"]);
const resetFields: Readonly<Record<string, FieldSet>> = {
  "": statusFields,
  finalize: statusFields,
  status: setOf(["spec"]),
  "Pod/status": setOf(["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]),
  "PodGroup/status": setOf(["spec"], ["metadata"]),
};

const jobLabels = ["controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"];

type Path = readonly string[];

/**
 * What the server adds to a new object after its defaults. It is nobody's, unless the client sent it too. Paths of one
 * list come together: a client that sent one of them sent them all.
 */
const additions: Readonly<Record<string, readonly (readonly Path[])[]>> = {
  Namespace: [[["spec", "finalizers"]]],
  Job: [
    [["spec", "selector"]],
    // A Job without labels of its own has those of its template.
    ...jobLabels.map((label) => [
      ["spec", "template", "metadata", "labels", label],
      ["metadata", "labels", label],
    ]),
    [["spec", "template", "metadata", "labels"]],
    [
      ["metadata", "labels"],
      ["spec", "template", "metadata", "labels"],
    ],
  ],
  Pod: [
    [["spec", "tolerations"]],
    [["spec", "priority"]],
    [["spec", "preemptionPolicy"]],
    [
      ["spec", "serviceAccountName"],
      ["spec", "serviceAccount"],
    ],
  ],
};

/** Tracks the fields of everything that a server stores. */
export const trackFields: FieldOwners = {
  created(object, given, request) {
    const managers = isReset(given.metadata.managedFields)
      ? noManagers
      : (readManagersIfValid(given.metadata.managedFields) ?? noManagers);
    const own = withoutAdditions(object, given, request.definition);
    return withManagers(
      object,
      updated(newObject(request.definition), plain(own), managers, writerOf(request), versionsOf(request)),
    );
  },
  updated(object, current, given, request) {
    const before = current.metadata.managedFields;
    const managers = managersOf(given, before, request);
    if (managers.length === 0) return withManagers(object, noManagers);
    // A list that both have is no difference, and copies without it cost more than all that follows.
    const isSameList = object.metadata.managedFields === before;
    const [live, next] = isSameList ? [asJson(current), asJson(object)] : [plain(current), plain(object)];
    const versions = versionsOf(request);
    const changes = compare(live, next, versions.shape);
    const tracked = withManagers(object, updated(live, next, managers, writerOf(request), versions, changes));
    return isEmptySet(changes.written) && isEmptySet(changes.removed) ? keepingTimes(tracked, current) : tracked;
  },
  apply,
};

/** What a client sends counts, but for a subresource, and if it can be read. */
function managersOf(given: ObjectMeta, before: unknown[] | undefined, { subresource }: ResourceRequest): Managers {
  const stored = readManagersIfValid(before) ?? noManagers;
  if (subresource !== undefined || given.managedFields === before) return stored;
  if (isReset(given.managedFields)) return noManagers;
  const sent = readManagersIfValid(given.managedFields);
  return sent === undefined || sent.length === 0 ? stored : sent;
}

/** The object with these managers. */
export function withManagers(object: KubeObject, managers: Managers): KubeObject {
  const before = object.metadata.managedFields;
  if (before === managers) return object;
  const managedFields = writeManagers(managers) as ObjectMeta["managedFields"];
  if (managedFields !== undefined) return { ...object, metadata: { ...object.metadata, managedFields } };
  return before === undefined ? object : (plain(object) as unknown as KubeObject);
}

/** A write that changes nothing but times of managers changes nothing. */
export function keepingTimes(object: KubeObject, current: KubeObject): KubeObject {
  const [entries, before] = [object.metadata.managedFields, current.metadata.managedFields];
  if (entries === before || entries === undefined || entries.length !== before?.length) return object;
  const untimed = (entry: unknown): object => ({ ...(entry as object), time: undefined });
  if (!deepEqual(entries.map(untimed), before.map(untimed))) return object;
  const kept = { ...object, metadata: { ...object.metadata, managedFields: before } };
  return deepEqual(kept, current) ? kept : object;
}

const newObjects = new WeakMap<StructType, JsonObject>();

/** An object of the kind before anybody has written it. */
export function newObject({ body }: ResourceDefinition): JsonObject {
  const { kind, apiVersion, type } = body;
  const known = newObjects.get(type) ?? normalize({ kind, apiVersion }, type);
  newObjects.set(type, known as JsonObject);
  return known as JsonObject;
}

function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

/** The object without its managers, as plain data. */
export function plain(object: KubeObject): JsonObject {
  if (object.metadata?.managedFields === undefined) return asJson(object);
  const { managedFields: _managers, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}

export function writerOf({ query, headers, subresource, definition, server }: ResourceRequest): Writer {
  const name = subresource?.name ?? "";
  return {
    name: query.text("fieldManager") || agentName(headers["user-agent"] ?? "") || "unknown",
    subresource: name,
    time: formatTime(server.clock.now()),
    resets: hasStatus(definition)
      ? (customResetFields(definition, name) ??
        resetFields[`${definition.body.kind}/${name}`] ??
        resetFields[name] ??
        noFields)
      : noFields,
  };
}

/** The status of a custom resource is written alone. */
function customResetFields({ body }: ResourceDefinition, subresource: string): FieldSet | undefined {
  return body.read && subresource === "status" ? setOf(["spec"], ["metadata"]) : undefined;
}

function hasStatus({ subresources }: ResourceDefinition): boolean {
  return subresources.some(({ name }) => name === "status");
}

/** The program's name in a User-Agent: what stands before the first slash, as far as it can be printed. */
function agentName(userAgent: string): string {
  let name = "";
  let bytes = 0;
  for (const character of userAgent.split("/")[0]!) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue;
    bytes += byteLength(character);
    if (bytes > MAX_MANAGER_BYTES) break;
    name += character;
  }
  return name;
}

export function versionsOf({ definition, server }: ResourceRequest): Versions {
  return {
    apiVersion: definition.body.apiVersion,
    shape: structShape(definition.body.type),
    convert(object, apiVersion) {
      const other = server.definitions.find(
        ({ storage, body }) =>
          storage === definition.storage && body.kind === definition.body.kind && body.apiVersion === apiVersion,
      );
      if (other === undefined) return undefined;
      const stored = definition.conversion?.toStored(object as unknown as KubeObject) ?? object;
      const converted = other.conversion?.fromStored(stored as KubeObject) ?? stored;
      return { object: converted as unknown as JsonObject, shape: structShape(other.body.type) };
    },
  };
}

function withoutAdditions(object: KubeObject, given: KubeObject, { body }: ResourceDefinition): KubeObject {
  let own = object;
  for (const together of additions[body.kind] ?? []) {
    if (together.some((path) => valueAt(given, path) !== undefined)) continue;
    for (const path of together) own = without(own, path);
  }
  return own;
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object as Record<string, unknown> | undefined;
  for (const name of path) value = value?.[name] as typeof value;
  return value;
}

/** A copy without the value that the path leads to. */
function without<T extends object>(object: T, [name, ...rest]: readonly string[]): T {
  const value = (object as Record<string, unknown>)[name!];
  if (value === undefined) return object;
  if (rest.length > 0) return { ...object, [name!]: without(value as object, rest) };
  const { [name as keyof T]: _left, ...others } = object;
  return others as T;
}
