/**
 * Where the object comes from that is being taken in, and whether it may be taken: it has an identity, it is of its
 * source, and its source has not gone beyond it.
 */
import { acquireName, releaseName } from "../memory/names";
import { blobIs } from "../memory/blob";
import { findSource, sourceOf } from "../model/sources";
import { MAX_UID_BYTES } from "../model/uid-list";
import { ObjectFacts } from "./object-facts";

const NO_SOURCE: i32 = -1;

@unmanaged
export class Origin {
  /** Id of the source that shows the object. */
  sourceId: i32;
  /** Number of the list that it is in; 0: a watch shows it, or it is in the answer to an own request. */
  listEpoch: u32;

  /** It is in the answer to an own request: no source has shown it yet. */
  get isAnswer(): bool {
    return this.sourceId == NO_SOURCE;
  }
}

const present = changetype<Origin>(memory.data(offsetof<Origin>(), 8));

/** What comes from this source. `listEpoch`: of the list under way, or 0. Lasts until the next call. */
export function fromSource(id: u32, listEpoch: u32): Origin {
  present.sourceId = i32(id);
  present.listEpoch = listEpoch;
  return present;
}

/** What is in the answer to an own request. Lasts until the next call. */
export function fromAnswer(): Origin {
  present.sourceId = NO_SOURCE;
  present.listEpoch = 0;
  return present;
}

/** Without a name, a UID and a version an object is nobody's: there is nothing to block. */
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

// A source of one namespace that shows another's is mixed up: the pods of a Job there may be shown by nobody.
function isOfItsSource(facts: ObjectFacts, origin: Origin): bool {
  if (origin.isAnswer) return true;
  const namespace = findSource(u32(origin.sourceId))!.namespace;
  return namespace == 0 || blobIs(namespace, facts.namespace, facts.namespaceSize);
}

/**
 * The source has come as far as the object just read, which this engine does not know: it has been deleted, and an
 * answer or an event came late. A list says what is there.
 */
export function isOutdated(facts: ObjectFacts, origin: Origin, resource: u8): bool {
  if (origin.listEpoch != 0) return false;
  if (!origin.isAnswer) return facts.resourceVersion <= findSource(u32(origin.sourceId))!.version;
  const namespace = acquireName(facts.namespace, facts.namespaceSize);
  const source = findSource(u32(sourceOf(resource, namespace)));
  releaseName(namespace);
  return source !== null && facts.resourceVersion <= source.version;
}
