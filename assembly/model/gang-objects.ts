/**
 * The Workloads and PodGroups that are known, as small records. They are found by name and by link: a Workload by the
 * object of its controllerRef, a PodGroup by its Workload. Invariant: a record is in the table of links if and only if
 * it refers to something. While gang scheduling is off, both tables are empty.
 */
import { SLASH } from "../json/punctuation";
import { Writer } from "../json/writer";
import { hashBytes } from "../memory/hash";
import { blobAt, blobIs, blobOf, blobsEqual, blobSize, dropBlob, freeBlob } from "../memory/blob";
import { release, zeroed } from "../memory/records";
import { releaseName } from "../memory/names";

/** One Workload or PodGroup. It owns its blobs. */
@unmanaged
export class GangObject {
  resourceVersion: u64;
  namespace: usize;
  name: usize;
  uid: usize;
  /**
   * What it refers to; 0: nothing. For a Workload it is the object of its controllerRef, as `writeReference` writes it;
   * for a PodGroup it is the name of its Workload.
   */
  link: usize;
  /** UID of the controlling owner, if its kind is Job; 0: it has no such owner. */
  controllerUid: usize;
  /** For a Workload: its PodGroupTemplates as JSON (0: none), and how many they are. */
  templates: usize;
  templateCount: i32;
  /** For a PodGroup: the minCount of its gang; ABSENT: it is no gang. */
  minCount: i32;
  keyHash: u32;
  linkHash: u32;
  nextByKey: GangObject | null;
  nextByLink: GangObject | null;
  listEpoch: u32;
  /** The id of the source that shows it. */
  source: u8;
  /** RESOURCE_WORKLOADS or RESOURCE_POD_GROUPS. */
  resource: u8;
}

// Two tables of the same size. Their chains follow nextByKey and nextByLink.
let byKey: usize = 0;
let byLink: usize = 0;
let bucketCount: u32 = 0;
let count: u32 = 0;

/** The object with this name; null: none is known. */
export function findObject(
  resource: u8,
  namespace: usize,
  namespaceSize: u32,
  name: usize,
  nameSize: u32,
): GangObject | null {
  if (count == 0) return null;
  const hash = hashOf(resource, namespace, namespaceSize, name, nameSize);
  let object = load<GangObject | null>(slot(byKey, hash));
  while (object !== null) {
    if (
      object.keyHash == hash &&
      object.resource == resource &&
      blobIs(object.name, name, nameSize) &&
      blobIs(object.namespace, namespace, namespaceSize)
    )
      break;
    object = object.nextByKey;
  }
  return object;
}

/** A new object that refers to nothing. It takes ownership of the blobs. */
export function addObject(resource: u8, namespace: usize, name: usize): GangObject {
  if (count >= bucketCount) grow();
  const object = zeroed<GangObject>();
  object.resource = resource;
  object.namespace = namespace;
  object.name = name;
  object.keyHash = hashOf(resource, blobAt(namespace), blobSize(namespace), blobAt(name), blobSize(name));
  push(byKey, object.keyHash, object, offsetof<GangObject>("nextByKey"));
  ++count;
  return object;
}

/** Writes the reference to an object of the same namespace, `<group>/<Kind>/<name>`: none of the three has a slash. */
export function writeReference(
  to: Writer,
  group: usize,
  groupSize: u32,
  kind: usize,
  kindSize: u32,
  name: usize,
  nameSize: u32,
): void {
  to.bytes(group, groupSize);
  to.byte(SLASH);
  to.bytes(kind, kindSize);
  to.byte(SLASH);
  to.bytes(name, nameSize);
}

/** The object refers to this from now on. With `size` 0 it refers to nothing. */
export function refer(object: GangObject, link: usize, size: u32): void {
  if (blobIs(object.link, link, size)) return;
  unrefer(object);
  if (size == 0) return;
  object.link = blobOf(link, size);
  object.linkHash = hashOf(object.resource, blobAt(object.namespace), blobSize(object.namespace), link, size);
  push(byLink, object.linkHash, object, offsetof<GangObject>("nextByLink"));
}

/** One of the objects in this namespace that have this link, or null. `nextReferring` finds the others. */
export function firstReferring(resource: u8, namespace: usize, link: usize, size: u32): GangObject | null {
  if (count == 0) return null;
  const hash = hashOf(resource, blobAt(namespace), blobSize(namespace), link, size);
  return referring(load<GangObject | null>(slot(byLink, hash)), resource, namespace, link, size);
}

/** The next object that has the same link; null: there is no other. */
export function nextReferring(object: GangObject): GangObject | null {
  const link = object.link;
  return referring(object.nextByLink, object.resource, object.namespace, blobAt(link), blobSize(link));
}

/** Takes the object out of both tables, and frees it. */
export function removeObject(object: GangObject): void {
  unrefer(object);
  pull(byKey, object.keyHash, object, offsetof<GangObject>("nextByKey"));
  --count;
  freeBlob(object.name);
  freeBlob(object.uid);
  freeBlob(object.controllerUid);
  freeBlob(object.templates);
  releaseName(object.namespace);
  release<GangObject>(object);
}

/** A list of this source has ended. An object that the list did not show is gone, unless it is newer than the list. */
export function sweepObjects(source: u8, listEpoch: u32, listVersion: u64): void {
  for (let i: u32 = 0; i < bucketCount; ++i) {
    let object = load<GangObject | null>(slot(byKey, i));
    while (object !== null) {
      const next = object.nextByKey;
      if (object.source == source && object.listEpoch != listEpoch && object.resourceVersion <= listVersion)
        removeObject(object);
      object = next;
    }
  }
}

function referring(from: GangObject | null, resource: u8, namespace: usize, link: usize, size: u32): GangObject | null {
  let object = from;
  while (
    object !== null &&
    (object.resource != resource || !blobIs(object.link, link, size) || !blobsEqual(object.namespace, namespace))
  )
    object = object.nextByLink;
  return object;
}

function unrefer(object: GangObject): void {
  if (object.link == 0) return;
  pull(byLink, object.linkHash, object, offsetof<GangObject>("nextByLink"));
  object.link = dropBlob(object.link);
}

function hashOf(resource: u8, namespace: usize, namespaceSize: u32, name: usize, nameSize: u32): u32 {
  return (hashBytes(namespace, namespaceSize) * 31 + hashBytes(name, nameSize)) * 31 + resource;
}

function slot(table: usize, hash: u32): usize {
  return table + (usize(hash & (bucketCount - 1)) << alignof<usize>());
}

// Puts the object at the head of its chain. `next` is the offset of the member that links the chain.
function push(table: usize, hash: u32, object: GangObject, next: usize): void {
  const at = slot(table, hash);
  store<usize>(changetype<usize>(object) + next, load<usize>(at));
  store<usize>(at, changetype<usize>(object));
}

function pull(table: usize, hash: u32, object: GangObject, next: usize): void {
  let at = slot(table, hash);
  while (load<usize>(at) != changetype<usize>(object)) at = load<usize>(at) + next;
  store<usize>(at, load<usize>(changetype<usize>(object) + next));
}

function grow(): void {
  const old = byKey;
  const oldCount = bucketCount;
  bucketCount = max(64, bucketCount * 2);
  if (byLink != 0) heap.free(byLink);
  byKey = emptyTable();
  byLink = emptyTable();
  for (let i: u32 = 0; i < oldCount; ++i) {
    let object = load<GangObject | null>(old + (usize(i) << alignof<usize>()));
    while (object !== null) {
      const next = object.nextByKey;
      push(byKey, object.keyHash, object, offsetof<GangObject>("nextByKey"));
      if (object.link != 0) push(byLink, object.linkHash, object, offsetof<GangObject>("nextByLink"));
      object = next;
    }
  }
  if (old != 0) heap.free(old);
}

function emptyTable(): usize {
  const bytes = usize(bucketCount) << alignof<usize>();
  const table = heap.alloc(bytes);
  memory.fill(table, 0, bytes);
  return table;
}
