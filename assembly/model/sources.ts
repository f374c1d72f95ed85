/**
 * The streams that feed the engine: one record for each source, with how far it has been read. A source is synced once
 * a whole list of it was taken. No Job is synced before every source is. Source: docs/spec/api.md 6.5.
 */
import { blobsEqual, dropBlob } from "../memory/blob";

export const RESOURCE_JOBS: u8 = 1;
export const RESOURCE_PODS: u8 = 2;
export const RESOURCE_WORKLOADS: u8 = 3;
export const RESOURCE_POD_GROUPS: u8 = 4;
export const MAX_SOURCES: i64 = 64;

/** One source. It has a fixed slot of 48 bytes. */
@unmanaged
export class Source {
  /** The newest resourceVersion that this source has shown. */
  version: u64;
  /**
   * Everything up to this version is known. Objects of an unfinished list do not count, because the rest of that list
   * is not known yet.
   */
  reached: u64;
  /** resourceVersion of the current list. */
  listVersion: u64;
  /** The `continue` token of the page taken last. */
  continueToken: usize;
  /** The namespace that the source is limited to; 0: all. */
  namespace: usize;
  /** The number of the current list, or of the last one. It marks the objects that a list has shown. */
  listEpoch: u32;
  /** How many whole lists were taken. */
  listsTaken: u32;
  /** RESOURCE_*; 0: no such source. */
  resource: u8;
  listing: bool;
  synced: bool;
  /** The source cannot be watched from `version`: at the start, after 410, after a broken list. */
  needsList: bool;
  /**
   * The source shows only what a selector matches. An object that it shows as DELETED may still exist, and no longer
   * match.
   */
  isSelection: bool;
}

const sources = memory.data(64 * 48, 8);
let count = 0;
let unsynced = 0;

let epochs: u32 = 0;

/** A number for a new list. Never 0. */
export function newEpoch(): u32 {
  return ++epochs;
}

/** Sets a source, which takes ownership of the blob `namespace`; 0: all namespaces. */
export function setSource(id: u32, resource: u8, namespace: usize, isSelection: bool): void {
  const source = slot(id);
  source.namespace = namespace;
  source.isSelection = isSelection;
  if (source.resource == 0) {
    ++count;
    ++unsynced;
  }
  source.resource = resource;
  source.needsList = true;
}

/** The source with this id, or null. */
export function findSource(id: u32): Source | null {
  if (id >= u32(MAX_SOURCES)) return null;
  const source = slot(id);
  return source.resource == 0 ? null : source;
}

/** Whether every source has been listed once. */
export function allSynced(): bool {
  return count > 0 && unsynced == 0;
}

/** A whole list of the source was taken. */
export function markSynced(source: Source): void {
  if (source.synced) return;
  source.synced = true;
  --unsynced;
}

export function forgetToken(source: Source): void {
  source.continueToken = dropBlob(source.continueToken);
}

/** Asks the host to list again every source that shows this resource in this namespace. */
export function relist(resource: u8, namespace: usize): void {
  for (let id: u32 = 0; id < u32(MAX_SOURCES); ++id) {
    const source = slot(id);
    if (shows(source, resource, namespace)) source.needsList = true;
  }
}

/**
 * The id of the source that shows this resource in this namespace. A host must not configure several (bindings/ABI.md,
 * "configure"). If it does, this is the one with the highest id, so that it is always the same one.
 */
export function sourceOf(resource: u8, namespace: usize): u8 {
  let found: u8 = 0;
  for (let id: u32 = 0; id < u32(MAX_SOURCES); ++id) {
    if (shows(slot(id), resource, namespace)) found = u8(id);
  }
  return found;
}

/**
 * The lowest version up to which a source of this resource and namespace knows everything. If there is no such source,
 * it is the largest u64.
 */
export function lowestVersion(resource: u8, namespace: usize): u64 {
  let lowest = u64.MAX_VALUE;
  for (let id: u32 = 0; id < u32(MAX_SOURCES); ++id) {
    const source = slot(id);
    if (shows(source, resource, namespace)) lowest = min(lowest, source.reached);
  }
  return lowest;
}

function shows(source: Source, resource: u8, namespace: usize): bool {
  return source.resource == resource && (source.namespace == 0 || blobsEqual(source.namespace, namespace));
}

function slot(id: u32): Source {
  assert(offsetof<Source>() <= 48, "a source outgrew its slot");
  return changetype<Source>(sources + usize(id) * 48);
}
