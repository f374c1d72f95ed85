/**
 * Applies the Workloads and PodGroups that were read to their records. As in upstream, they queue no Job: a Job checks
 * them in its syncs. Invariant: only a newer resourceVersion replaces a record. An unreadable object counts as one
 * without an owner. Source: docs/spec/controller.md 2.1 and 13.8.
 */
import { fromAnswer, hasIdentity, isOutdated, markShown, Origin } from "./origin";
import { documentOf } from "../json/blobs";
import { Source } from "../model/sources";
import * as reader from "../json/reader";
import { blobIs, blobOf, freeBlob } from "../memory/blob";
import { acquireName } from "../memory/names";
import { addObject, findObject, GangObject, refer, removeObject, sweepObjects } from "../model/gang-objects";
import { ObjectFacts } from "./object-facts";
import { GangFacts, readGangObject } from "./read-gang";

/**
 * Takes in the object in the answer to an own request. `isTaken` is false when there is no object, when it is of
 * another kind, or when it cannot be read.
 */
export function takeGangAnswer(ptr: usize, length: u32, resource: u8): ObjectFacts {
  reader.open(ptr, length);
  const facts = readGangObject(resource);
  facts.isTaken = facts.isRead && facts.isObjectOf(resource) && applyGangObject(facts, fromAnswer());
  return facts;
}

/** A list of this source has ended. An object that the list did not show is gone, unless it is newer than the list. */
export function sweepGangObjects(id: u32, source: Source): void {
  sweepObjects(u8(id), source.listEpoch, source.listVersion);
}

/** Takes in the object that was read. False when it has a problem. */
export function applyGangObject(facts: GangFacts, origin: Origin): bool {
  if (!hasIdentity(facts, origin)) return false;
  let object = known(facts);
  if (object === null) {
    if (isOutdated(facts, origin, facts.resource)) return true;
    object = addObject(
      facts.resource,
      acquireName(facts.namespace, facts.namespaceSize),
      blobOf(facts.name, facts.nameSize),
    );
  }
  markShown<GangObject>(object, object.resource, origin);
  if (facts.resourceVersion <= object.resourceVersion) return true;
  const isReadable = facts.problem === null;
  object.resourceVersion = facts.resourceVersion;
  object.uid = replaced(object.uid, facts.uid, facts.uidSize);
  object.controllerUid = replaced(object.controllerUid, facts.ownerUid, isReadable ? facts.ownerUidSize : 0);
  freeBlob(object.templates);
  object.templates = facts.templatesSize == 0 ? 0 : documentOf(facts.templates, facts.templatesSize);
  object.templateCount = facts.templateCount;
  object.minCount = facts.minCount;
  refer(object, facts.link, facts.linkSize);
  return isReadable;
}

/** Removes the object that was read, because it is gone. False when it has a problem. */
export function applyGangObjectDeleted(facts: GangFacts, origin: Origin): bool {
  if (!hasIdentity(facts, origin)) return false;
  const object = known(facts);
  if (object !== null && blobIs(object.uid, facts.uid, facts.uidSize)) removeObject(object);
  return true;
}

function known(facts: GangFacts): GangObject | null {
  return findObject(facts.resource, facts.namespace, facts.namespaceSize, facts.name, facts.nameSize);
}

function replaced(blob: usize, ptr: usize, size: u32): usize {
  freeBlob(blob);
  return size == 0 ? 0 : blobOf(ptr, size);
}
