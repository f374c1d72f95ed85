/**
 * Tracks who owns which fields of each object, in metadata.managedFields. A server needs it to serve server-side apply
 * (ServerContext.fieldOwners).
 *
 * Invariant: the entries follow from the stored states before and after a write. So a component that writes without a
 * manager, such as the binding of a pod, changes no owner.
 */
import { memoize } from "../../values/memoize.ts";
import type { JsonObject, KubeObject, ObjectMeta } from "../../values/types.ts";
import type { FieldOwners, ResourceDefinition, ResourceRequest } from "../contract/context.ts";
import { isObject } from "../../values/json.ts";
import { apply } from "./apply-request.ts";
import { type Comparison, compare } from "./compare.ts";
import { type FieldSet, isEmptySet, noFields, recursiveDifference, setOf, union } from "./field-set.ts";
import { isReset, type Managers, readManagersIfValid } from "./managers.ts";
import { updated, type Writer } from "./ownership.ts";
import { fieldElement } from "./path-element.ts";
import { BareItem, DeferredOwners, takeApart } from "./deferred-owners.ts";
import type { MapShape, Shape } from "./shape.ts";
import {
  asJson,
  entriesOf,
  keepingTimes,
  newObject,
  plain,
  versionsOf,
  withManagers,
  type WriteContext,
  writerOf,
} from "./writer.ts";

const noManagers: Managers = [];

const jobLabels = ["controller-uid", "job-name", "batch.kubernetes.io/controller-uid", "batch.kubernetes.io/job-name"];

/** Fields that are set together: a client that sent one of them sent them all. */
interface Addition {
  readonly paths: readonly (readonly string[])[];
  readonly fields: FieldSet;
}

function together(...paths: readonly (readonly string[])[]): Addition {
  return { paths, fields: setOf(...paths) };
}

/** What the server adds to a new object after its defaults. It has no owner, unless the client sent it too. */
const additions: Readonly<Record<string, readonly Addition[]>> = {
  Namespace: [together(["spec", "finalizers"])],
  Job: [
    together(["spec", "selector"]),
    // A Job without its own labels gets those of its template.
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

/** Tracks field ownership of everything that a server stores. */
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
    // A shared list is no difference, and copies without it cost more than all that follows.
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
    return DeferredOwners.later((object) =>
      entriesOf(ownersOfNew(object, noManagers, added, writer, context), context.definition),
    );
  },
  ownedAfter(current, request) {
    if (!request.omitsOwners || current.owned === undefined) return undefined;
    const [writer, context] = [writerOf(request), contextOf(request)];
    return DeferredOwners.later((object, before, entries) => {
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

/** A client's managedFields count, except on a subresource, and if they can be parsed. */
function managersOf(given: ObjectMeta, before: unknown[] | undefined, { subresource }: ResourceRequest): Managers {
  const stored = readManagersIfValid(before) ?? noManagers;
  if (subresource !== undefined || given.managedFields === before) return stored;
  if (isReset(given.managedFields)) return noManagers;
  const sent = readManagersIfValid(given.managedFields);
  return sent === undefined || sent.length === 0 ? stored : sent;
}

/** What a new object has beyond `start`, the empty object of its kind. */
function changesOfNew(start: JsonObject, object: JsonObject, shape: MapShape): Comparison {
  const [before, spec, specShape] = [start["spec"], object["spec"], shape.field("spec")];
  if (!isObject(before) || !isObject(spec) || specShape === undefined) return compare(start, object, shape);
  const own = changesOfSpec(before, spec, specShape);
  const others = compare(start, { ...object, spec: before }, shape);
  return { removed: union(others.removed, own.removed), written: union(others.written, own.written) };
}

/** Thousands of pods share one spec. */
const changesOfSpec = memoize((before: JsonObject, spec: JsonObject, shape: Shape): Comparison => {
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
