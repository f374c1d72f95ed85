/**
 * What was read of Workloads and PodGroups becomes what is known. No Job is queued for it, as upstream: a Job looks at
 * them in its own syncs. Invariant: only a newer resourceVersion replaces a record; an object that cannot be read is
 * known as one that belongs to nobody. Source: docs/spec/controller.md 2.1 and 13.8.
 */
import { epoch, FROM_ANSWER, hasIdentity, isOutdated, origin, setOrigin } from "./origin";
import * as documentKind from "./document-kind";
import * as metadata from "./metadata";
import { Source, sourceOf } from "../model/sources";
import * as reader from "../json/reader";
import { blobIs, blobOf, freeBlob } from "../memory/blob";
import { acquireName } from "../memory/names";
import { addObject, findObject, GangObject, refer, removeObject, sweepObjects } from "../model/gang-objects";
import * as facts from "./read-gang";

/** Takes the object that was just read; `isDeleted`: it is gone. False when it has a problem. */
export function takeObject(resource: u8, isDeleted: bool): bool {
  return isDeleted ? applyDeleted(resource) : apply(resource);
}

/** The object in the answer to an own request. False when there is none, or it cannot be read. */
export function takeAnswer(ptr: usize, length: u32, resource: u8): bool {
  setOrigin(FROM_ANSWER, 0);
  reader.open(ptr, length);
  return facts.read(resource) && reader.ok() && documentKind.isObjectOf(resource) && apply(resource);
}

export function sweepGangObjects(id: u32, source: Source): void {
  sweepObjects(u8(id), source.listEpoch, source.listVersion);
}

function apply(resource: u8): bool {
  if (!hasIdentity()) return false;
  let object = known(resource);
  if (object === null) {
    if (isOutdated(resource)) return true;
    object = addObject(
      resource,
      acquireName(metadata.namespace, metadata.namespaceSize),
      blobOf(metadata.name, metadata.nameSize),
    );
  }
  markShown(object);
  if (metadata.resourceVersion <= object.resourceVersion) return true;
  const isReadable = metadata.problem === null;
  object.resourceVersion = metadata.resourceVersion;
  object.uid = replaced(object.uid, metadata.uid, metadata.uidSize);
  object.controllerUid = replaced(object.controllerUid, metadata.ownerUid, isReadable ? metadata.ownerUidSize : 0);
  object.templateName = replaced(object.templateName, facts.templateName, facts.templateNameSize);
  object.schedulingPolicy = replaced(object.schedulingPolicy, facts.schedulingPolicy, facts.schedulingPolicySize);
  object.templateCount = facts.templateCount;
  refer(object, facts.link, facts.linkSize);
  return isReadable;
}

function applyDeleted(resource: u8): bool {
  if (!hasIdentity()) return false;
  const object = known(resource);
  if (object !== null && blobIs(object.uid, metadata.uid, metadata.uidSize)) removeObject(object);
  return true;
}

function known(resource: u8): GangObject | null {
  return findObject(resource, metadata.namespace, metadata.namespaceSize, metadata.name, metadata.nameSize);
}

function markShown(object: GangObject): void {
  if (origin == FROM_ANSWER) {
    if (object.resourceVersion == 0) object.source = sourceOf(object.resource, object.namespace);
    return;
  }
  object.source = u8(origin);
  if (epoch != 0) object.listEpoch = epoch;
}

function replaced(blob: usize, ptr: usize, size: u32): usize {
  freeBlob(blob);
  return size == 0 ? 0 : blobOf(ptr, size);
}
