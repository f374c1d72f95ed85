/**
 * The Workloads and PodGroups that are known, as small records. They are found by name and by link: a Workload by the
 * Job of its controllerRef, a PodGroup by its Workload. Invariant: a record is in the table of links if and only if it
 * refers to something. While gang scheduling is off, both tables are empty.
 */
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
  /** Name of the Job (for a Workload) or of the Workload (for a PodGroup) that it refers to; 0: none. */
  link: usize;
  /** UID of the controlling owner; 0: none. */
  controllerUid: usize;
  /**
   * For a Workload: the name of its first PodGroupTemplate, the schedulingPolicy of that template as JSON (0: none),
   * and the number of templates.
   */
  templateName: usize;
  schedulingPolicy: usize;
  templateCount: i32;
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

/** The object refers to this name from now on. With `size` 0 it refers to nothing. */
export function refer(object: GangObject, name: usize, size: u32): void {
  if (blobIs(object.link, name, size)) return;
  unrefer(object);
  if (size == 0) return;
  object.link = blobOf(name, size);
  object.linkHash = hashOf(object.resource, blobAt(object.namespace), blobSize(object.namespace), name, size);
  push(byLink, object.linkHash, object, offsetof<GangObject>("nextByLink"));
}

/** One of the objects in this namespace that refer to this name, or null. `nextReferring` finds the others. */
export function firstReferring(resource: u8, namespace: usize, name: usize): GangObject | null {
  if (count == 0) return null;
  const hash = hashOf(resource, blobAt(namespace), blobSize(namespace), blobAt(name), blobSize(name));
  return referring(load<GangObject | null>(slot(byLink, hash)), resource, namespace, name);
}

/** The next object that refers to the same name; null: there is no other. */
export function nextReferring(object: GangObject): GangObject | null {
  return referring(object.nextByLink, object.resource, object.namespace, object.link);
}

/** Takes the object out of both tables, and frees it. */
export function removeObject(object: GangObject): void {
  unrefer(object);
  pull(byKey, object.keyHash, object, offsetof<GangObject>("nextByKey"));
  --count;
  freeBlob(object.name);
  freeBlob(object.uid);
  freeBlob(object.controllerUid);
  freeBlob(object.templateName);
  freeBlob(object.schedulingPolicy);
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

function referring(from: GangObject | null, resource: u8, namespace: usize, name: usize): GangObject | null {
  let object = from;
  while (
    object !== null &&
    (object.resource != resource || !blobsEqual(object.link, name) || !blobsEqual(object.namespace, namespace))
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
