/**
 * Where the object comes from that is being taken in, and whether it may be taken: it has an identity, it is of its
 * source, and its source has not gone beyond it.
 */
import { acquireName, releaseName } from "../memory/names";
import { blobIs } from "../memory/blob";
import { findSource, sourceOf } from "../model/sources";
import { MAX_UID_BYTES } from "../model/uid-list";
import * as metadata from "./metadata";

/** The object comes from the answer to an own request, not from a source. */
export const FROM_ANSWER: i32 = -1;

// Where the present object comes from: the id of its source and, while a list is taken, the number of that list.
export let origin: i32 = FROM_ANSWER;
export let epoch: u32 = 0;

/** Says where the objects applied next come from. */
export function setOrigin(sourceId: i32, listEpoch: u32): void {
  origin = sourceId;
  epoch = listEpoch;
}

/** Without a name, a UID and a version an object is nobody's: there is nothing to block. */
export function hasIdentity(): bool {
  if (metadata.nameSize == 0) metadata.noteProblem("metadata.name: missing");
  else if (metadata.uidSize == 0) metadata.noteProblem("metadata.uid: missing");
  else if (metadata.uidSize > MAX_UID_BYTES) metadata.noteProblem("metadata.uid: longer than 63 bytes");
  else if (metadata.resourceVersion == 0)
    metadata.noteProblem("metadata.resourceVersion: missing, or not a decimal number");
  else if (!isOfItsSource()) metadata.noteProblem("metadata.namespace: not the one that its source is limited to");
  else return true;
  return false;
}

// A source of one namespace that shows another's is mixed up: the pods of a Job there may be shown by nobody.
function isOfItsSource(): bool {
  if (origin == FROM_ANSWER) return true;
  const namespace = findSource(u32(origin))!.namespace;
  return namespace == 0 || blobIs(namespace, metadata.namespace, metadata.namespaceSize);
}

/**
 * The source has come as far as the object just read, which this engine does not know: it has been deleted, and an
 * answer or an event came late. A list says what is there.
 */
export function isOutdated(resource: u8): bool {
  if (epoch != 0) return false;
  if (origin != FROM_ANSWER) return metadata.resourceVersion <= findSource(u32(origin))!.version;
  const namespace = acquireName(metadata.namespace, metadata.namespaceSize);
  const source = findSource(u32(sourceOf(resource, namespace)));
  releaseName(namespace);
  return source !== null && metadata.resourceVersion <= source.version;
}
