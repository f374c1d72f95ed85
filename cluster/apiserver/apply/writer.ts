/**
 * One write, as managedFields see it: the writer, its version, the object before, and the object with its managers.
 * Tracking and server-side apply use it.
 */
import { memoize } from "../../values/memoize.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "../../values/types.ts";
import type { ResourceDefinition, ResourceRequest, Subresource } from "../contract/context.ts";
import { normalize } from "../schema/decode.ts";
import { MAX_MANAGER_BYTES } from "../verbs/field-manager.ts";
import { deepEqual } from "../../values/json.ts";
import type { StructType } from "../schema/schema.ts";
import { byteLength } from "../../values/text.ts";
import { formatTime } from "../../values/times.ts";
import { type FieldSet, noFields, setOf } from "./field-set.ts";
import { type Managers, writeManagers } from "./managers.ts";
import type { Versions, Writer } from "./ownership.ts";
import { structShape } from "./shape.ts";

/** Fields that a write to the main resource, or to a subresource, does not change; first those of single kinds. */
const statusFields = setOf(["status"]);
const resetFields: Readonly<Record<string, FieldSet>> = {
  "Deployment/status": setOf(["spec"], ["metadata", "labels"]),
  "Pod/status": setOf(["spec"], ["metadata", "deletionTimestamp"], ["metadata", "ownerReferences"]),
  "": statusFields,
  finalize: statusFields,
  status: setOf(["spec"]),
};
/** Those of a subresource that keeps the metadata. */
const allButStatus = setOf(["spec"], ["metadata"]);

/** The part of a request that is needed later. The request itself holds its body. */
export type WriteContext = Pick<ResourceRequest, "definition" | "server">;

/** The last entries of each resource: the next ones are mostly equal, and share parts. */
const latestEntries = new WeakMap<ResourceDefinition, Managers>();

/** What metadata.managedFields has of these managers; undefined: nothing. */
export function entriesOf(managers: Managers, definition: ResourceDefinition): ObjectMeta["managedFields"] {
  const entries = writeManagers(managers, latestEntries.get(definition));
  if (entries !== undefined) latestEntries.set(definition, entries);
  return entries as ObjectMeta["managedFields"];
}

/** The object with these managers. */
export function withManagers(object: KubeObject, managers: Managers, { definition }: WriteContext): KubeObject {
  const before = object.metadata.managedFields;
  if (before === managers) return object;
  const managedFields = entriesOf(managers, definition);
  if (managedFields !== undefined) return { ...object, metadata: { ...object.metadata, managedFields } };
  return before === undefined ? object : (plain(object) as unknown as KubeObject);
}

/** Keeps the current object if a write changes only the times of managers. */
export function keepingTimes(object: KubeObject, current: KubeObject): KubeObject {
  const [entries, before] = [object.metadata.managedFields, current.metadata.managedFields];
  if (entries === before || entries === undefined || entries.length !== before?.length) return object;
  const untimed = (entry: unknown): object => ({ ...(entry as object), time: undefined });
  if (!deepEqual(entries.map(untimed), before.map(untimed))) return object;
  const kept = { ...object, metadata: { ...object.metadata, managedFields: before } };
  return deepEqual(kept, current) ? kept : object;
}

const newObjects = new WeakMap<StructType, JsonObject>();

/** The empty object of a kind, before any client writes it. */
export function newObject({ body }: ResourceDefinition): JsonObject {
  const { kind, apiVersion, type } = body;
  const known = newObjects.get(type) ?? normalize({ kind, apiVersion }, type);
  newObjects.set(type, known as JsonObject);
  return known as JsonObject;
}

/** An object as plain data. */
export function asJson(object: KubeObject): JsonObject {
  return object as unknown as JsonObject;
}

/** The object without its managers, as plain data. */
export function plain(object: KubeObject): JsonObject {
  if (object.metadata?.managedFields === undefined) return asJson(object);
  const { managedFields: _managers, ...metadata } = object.metadata;
  return { ...object, metadata } as unknown as JsonObject;
}

/** The sender of the request, as managedFields name it. */
export function writerOf({ query, headers, subresource, definition, server }: ResourceRequest): Writer {
  return {
    name: query.text("fieldManager") || agentName(headers["user-agent"] ?? "") || "unknown",
    subresource: subresource?.name ?? "",
    time: formatTime(server.clock.now()),
    resets: hasStatus(definition) ? resetFieldsOf(definition.body.kind, subresource) : noFields,
  };
}

function resetFieldsOf(kind: string, subresource: Subresource | undefined): FieldSet {
  if (subresource?.keepsMetadata) return allButStatus;
  const name = subresource?.name ?? "";
  return resetFields[`${kind}/${name}`] ?? resetFields[name] ?? noFields;
}

function hasStatus({ subresources }: ResourceDefinition): boolean {
  return subresources.some(({ name }) => name === "status");
}

/** The program's name in a User-Agent: the printable part before the first slash. */
const agentName = memoize((userAgent: string): string => {
  let name = "";
  let bytes = 0;
  for (const character of userAgent.split("/")[0]!) {
    if (!/[\p{L}\p{M}\p{N}\p{P}\p{S} ]/u.test(character)) continue;
    bytes += byteLength(character);
    if (bytes > MAX_MANAGER_BYTES) break;
    name += character;
  }
  return name;
});

/** How an object looks in the versions of its kind. */
export function versionsOf({ definition, server }: WriteContext): Versions {
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
