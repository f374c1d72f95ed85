/**
 * Where an object that is being read comes from, and whether it may be applied. It must have an identity and belong to
 * its source, and its source must not have gone beyond it.
 */
import { acquireName, releaseName } from "../memory/names";
import { blobIs } from "../memory/blob";
import { findSource, sourceOf } from "../model/sources";
import { MAX_UID_BYTES } from "../model/uid-list";
import { ObjectFacts } from "./object-facts";

const NO_SOURCE: i32 = -1;

/** Where an object comes from. */
@unmanaged
export class Origin {
  /** The id of the source that shows the object; NO_SOURCE: it is in the answer to an own request. */
  sourceId: i32;
  /** The number of the list that shows it; 0: a watch shows it, or it is in the answer to an own request. */
  listEpoch: u32;

  /** Whether the object is in the answer to an own request. Then no source has shown it yet. */
  get isAnswer(): bool {
    return this.sourceId == NO_SOURCE;
  }
}

const present = changetype<Origin>(memory.data(offsetof<Origin>(), 8));

/**
 * The origin of what comes from this source. `listEpoch` is that of the list under way, or 0. It lasts until the next
 * call.
 */
export function fromSource(id: u32, listEpoch: u32): Origin {
  present.sourceId = i32(id);
  present.listEpoch = listEpoch;
  return present;
}

/** The origin of what is in the answer to an own request. It lasts until the next call. */
export function fromAnswer(): Origin {
  present.sourceId = NO_SOURCE;
  present.listEpoch = 0;
  return present;
}

/**
 * Whether the object has a name, a UID and a version, and belongs to its source; if not, notes the problem. Such an
 * object belongs to no Job, so it can block none.
 */
export function hasIdentity(facts: ObjectFacts, origin: Origin): bool {
  if (facts.nameSize == 0) facts.noteProblem("metadata.name: missing");
  else if (facts.uidSize == 0) facts.noteProblem("metadata.uid: missing");
  else if (facts.uidSize > MAX_UID_BYTES) facts.noteProblem("metadata.uid: longer than 63 bytes");
  else if (facts.resourceVersion == 0) facts.noteProblem("metadata.resourceVersion: missing, or not a decimal number");
  else if (!isOfItsSource(facts, origin))
    facts.noteProblem("metadata.namespace: not the one that its source is limited to");
  else return true;
  return false;
}

// A source that is limited to one namespace must show no other. Otherwise the host has mixed up its sources, and
// perhaps no source shows the pods of a Job there.
function isOfItsSource(facts: ObjectFacts, origin: Origin): bool {
  if (origin.isAnswer) return true;
  const namespace = findSource(u32(origin.sourceId))!.namespace;
  return namespace == 0 || blobIs(namespace, facts.namespace, facts.namespaceSize);
}

/**
 * Whether the object is outdated. Call it for an object that this engine does not know. If its source has already
 * reached this version, the object has been deleted, and an answer or an event came late. An object in a list exists.
 */
export function isOutdated(facts: ObjectFacts, origin: Origin, resource: u8): bool {
  if (origin.listEpoch != 0) return false;
  if (!origin.isAnswer) return facts.resourceVersion <= findSource(u32(origin.sourceId))!.version;
  const namespace = acquireName(facts.namespace, facts.namespaceSize);
  const source = findSource(u32(sourceOf(resource, namespace)));
  releaseName(namespace);
  return source !== null && facts.resourceVersion <= source.version;
}

/**
 * Records which source shows the object and, while that is listed, in which list. An object that only the answer to an
 * own request has shown counts as one of the source that will show it. `record`: a Job, a Pod or a GangObject.
 */
export function markShown<T>(record: T, resource: u8, origin: Origin): void {
  if (origin.isAnswer) {
    if (record.resourceVersion == 0) record.source = sourceOf(resource, record.namespace);
    return;
  }
  record.source = u8(origin.sourceId);
  if (origin.listEpoch != 0) record.listEpoch = origin.listEpoch;
}
