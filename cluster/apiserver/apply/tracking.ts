/**
 * Keeps account of who owns which fields of each object, in metadata.managedFields: what a server is given to serve
 * server-side apply (ServerContext.fieldOwners).
 *
 * Invariant: the entries follow from the stored states before and after a write. So a component that writes without a
 * manager, such as the binding of a pod, changes no owner.
 */
import { remembering } from "../../remembering.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "../../types.ts";
import type { FieldOwners, ResourceDefinition, ResourceRequest } from "../context.ts";
import { normalize } from "../decode.ts";
import { deepEqual, isObject } from "../json.ts";
import type { StructType } from "../schema.ts";
import { byteLength } from "../text.ts";
import { formatTime } from "../times.ts";
import { MAX_MANAGER_BYTES } from "../field-manager.ts";
import { apply } from "./apply-request.ts";
import { type Comparison, compare } from "./compare.ts";
import { type FieldSet, isEmptySet, noFields, recursiveDifference, setOf, union } from "./field-set.ts";
import { isReset, type Managers, readManagersIfValid, writeManagers } from "./managers.ts";
import { updated, type Versions, type Writer } from "./ownership.ts";
import { fieldElement } from "./path-element.ts";
import { BareItem, KeptOwners, takeApart } from "./owners-later.ts";
import { type MapShape, type Shape, structShape } from "./shape.ts";

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

/** Fields that come together: a client that sent one of them sent them all. */
interface Addition {
  readonly paths: readonly (readonly string[])[];
  readonly fields: FieldSet;
}

function together(...paths: readonly (readonly string[])[]): Addition {
  return { paths, fields: setOf(...paths) };
}

/** What the server adds to a new object after its defaults. It is nobody's, unless the client sent it too. */
const additions: Readonly<Record<string, readonly Addition[]>> = {
  Namespace: [together(["spec", "finalizers"])],
  Job: [
    together(["spec", "selector"]),
    // A Job without labels of its own has those of its template.
    ...jobLabels.map((label) =>
      together(["spec", "template", "metadata", "labels", label], ["metadata", "labels", label]),
    ),
    together(["spec", "template", "metadata", "labels"]),
    together(["metadata", "labels"], ["spec", "template", "metadata", "labels"]),
  ],
  Pod: [
    together(["spec", "tolerations"]),
    together(["spec", "priority"]),
    together(["spec", "preemptionPolicy"]),
    together(["spec", "serviceAccountName"], ["spec", "serviceAccount"]),
  ],
};

/** Tracks the fields of everything that a server stores. */
export const trackFields: FieldOwners = {
  created(object, given, request) {
    if (request.omitsOwners) return object;
    const managers = isReset(given.metadata.managedFields)
      ? noManagers
      : (readManagersIfValid(given.metadata.managedFields) ?? noManagers);
    const added = additionsTo(given, request.definition);
    return withManagers(object, ownersOfNew(object, managers, added, writerOf(request), request), request);
  },
  updated(object, current, given, request) {
    if (request.omitsOwners) return object;
    const before = current.metadata.managedFields;
    const managers = managersOf(given, before, request);
    if (managers.length === 0) return withManagers(object, noManagers, request);
    // A list that both have is no difference, and copies without it cost more than all that follows.
    const isSameList = object.metadata.managedFields === before;
    const [live, next] = isSameList ? [asJson(current), asJson(object)] : [plain(current), plain(object)];
    const versions = versionsOf(request);
    const changes = compare(live, next, versions.shape);
    const owners = updated(live, next, managers, writerOf(request), versions, changes);
    const tracked = withManagers(object, owners, request);
    return isEmptySet(changes.written) && isEmptySet(changes.removed) ? keepingTimes(tracked, current) : tracked;
  },
  apply,
  takeApart,
  mayOmit(request, { conversion, body }, server) {
    const { omitsOwners, content } = request;
    if (omitsOwners !== true || conversion !== undefined || body.read !== undefined) return false;
    if (isObject(content?.["metadata"]) && "managedFields" in content["metadata"]) return false;
    return !server.plugins?.looksAtOwners(server);
  },
  ownedAtFirst(given, request) {
    if (!request.omitsOwners) return undefined;
    const added = additionsTo(given, request.definition);
    const [writer, context] = [writerOf(request), contextOf(request)];
    return KeptOwners.later((object) =>
      entriesOf(ownersOfNew(object, noManagers, added, writer, context), context.definition),
    );
  },
  ownedAfter(current, request) {
    if (!request.omitsOwners || current.owned === undefined) return undefined;
    const [writer, context] = [writerOf(request), contextOf(request)];
    return KeptOwners.later((object, before, entries) => {
      const managers = readManagersIfValid(entries) ?? noManagers;
      if (managers.length === 0) return undefined;
      const { resourceVersion } = before!.metadata;
      const next = asJson({ ...object, metadata: { ...object.metadata, resourceVersion } });
      const owners = updated(asJson(before!), next, managers, writer, versionsOf(context));
      return owners === entries ? entries : entriesOf(owners, context.definition);
    }, current);
  },
  bareItem: (stored) => new BareItem(stored),
};

/** What is needed of a request later. The request itself has its body. */
type WriteContext = Pick<ResourceRequest, "definition" | "server">;

function contextOf({ definition, server }: ResourceRequest): WriteContext {
  return { definition, server };
}

/** The managers of a new object. @param added what the server has added to it */
function ownersOfNew(
  object: KubeObject,
  managers: Managers,
  added: FieldSet,
  writer: Writer,
  context: WriteContext,
): Managers {
  const [start, next] = [newObject(context.definition), plain(object)];
  const versions = versionsOf(context);
  const { removed, written } = changesOfNew(start, next, versions.shape);
  const changes = { removed, written: recursiveDifference(written, added) };
  return updated(start, next, managers, writer, versions, changes);
}

/** The entries that were made last for a resource: the next ones are mostly alike, and share equal parts. */
const latestEntries = new WeakMap<ResourceDefinition, Managers>();

function entriesOf(managers: Managers, definition: ResourceDefinition): ObjectMeta["managedFields"] {
  const entries = writeManagers(managers, latestEntries.get(definition));
  if (entries !== undefined) latestEntries.set(definition, entries);
  return entries as ObjectMeta["managedFields"];
}

/** What a client sends counts, but for a subresource, and if it can be read. */
function managersOf(given: ObjectMeta, before: unknown[] | undefined, { subresource }: ResourceRequest): Managers {
  const stored = readManagersIfValid(before) ?? noManagers;
  if (subresource !== undefined || given.managedFields === before) return stored;
  if (isReset(given.managedFields)) return noManagers;
  const sent = readManagersIfValid(given.managedFields);
  return sent === undefined || sent.length === 0 ? stored : sent;
}

/** The object with these managers. */
export function withManagers(object: KubeObject, managers: Managers, { definition }: WriteContext): KubeObject {
  const before = object.metadata.managedFields;
  if (before === managers) return object;
  const managedFields = entriesOf(managers, definition);
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
const agentName = remembering((userAgent: string): string => {
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

/** What a new object has beyond that of its kind which nobody has written. */
function changesOfNew(start: JsonObject, object: JsonObject, shape: MapShape): Comparison {
  const [before, spec, specShape] = [start["spec"], object["spec"], shape.field("spec")];
  if (!isObject(before) || !isObject(spec) || specShape === undefined) return compare(start, object, shape);
  const own = changesOfSpec(before, spec, specShape);
  const others = compare(start, { ...object, spec: before }, shape);
  return { removed: union(others.removed, own.removed), written: union(others.written, own.written) };
}

/** Thousands of pods share one spec. */
const changesOfSpec = remembering((before: JsonObject, spec: JsonObject, shape: Shape): Comparison => {
  const { removed, written } = compare(before, spec, shape);
  const below = (set: FieldSet): FieldSet => (isEmptySet(set) ? noFields : { [fieldElement("spec")]: set });
  return { removed: below(removed), written: below(written) };
});

function additionsTo(given: KubeObject, { body }: ResourceDefinition): FieldSet {
  const added = additions[body.kind]?.filter(({ paths }) => paths.every((path) => valueAt(given, path) === undefined));
  return (added ?? []).reduce((set, { fields }) => union(set, fields), noFields);
}

function valueAt(object: unknown, path: readonly string[]): unknown {
  let value = object as Record<string, unknown> | undefined;
  for (const name of path) value = value?.[name] as typeof value;
  return value;
}
