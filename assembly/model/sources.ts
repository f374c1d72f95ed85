/**
 * The streams that feed the engine: one record a source, with how far it has been read. A source is synced once a whole
 * list of it was taken; no Job is acted on before every source is. Source: docs/spec/api.md 6.5.
 */
import { blobsEqual, dropBlob } from "../memory/blob";

export const RESOURCE_JOBS: u8 = 1;
export const RESOURCE_PODS: u8 = 2;
export const RESOURCE_WORKLOADS: u8 = 3;
export const RESOURCE_POD_GROUPS: u8 = 4;
export const MAX_SOURCES: i64 = 64;

@unmanaged
export class Source {
  /** The newest resourceVersion that this source has shown. */
  version: u64;
  /** The version as of which everything is known: what a list under way has shown says nothing of the rest of it. */
  reached: u64;
  /** resourceVersion of the list under way. */
  listVersion: u64;
  /** `continue` of the page last taken. */
  continueToken: usize;
  /** The namespace that it is limited to; 0: all. */
  namespace: usize;
  /** Number of the list under way, or of the last one; marks what a list has shown. */
  listEpoch: u32;
  /** Whole lists that were taken. */
  listsTaken: u32;
  /** RESOURCE_*; 0: no such source. */
  resource: u8;
  listing: bool;
  synced: bool;
  /** It cannot be watched from `version`: at the start, after 410, after a broken list. */
  needsList: bool;
  /** It shows what a selector matches: what is DELETED may be there still, and not match any more. */
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

/** `namespace`: blob, or 0 for all; taken over. */
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

/** The source of this id, or null. */
export function findSource(id: u32): Source | null {
  if (id >= u32(MAX_SOURCES)) return null;
  const source = slot(id);
  return source.resource == 0 ? null : source;
}

/** Every source has been listed once. */
export function allSynced(): bool {
  return count > 0 && unsynced == 0;
}

export function markSynced(source: Source): void {
  if (source.synced) return;
  source.synced = true;
  --unsynced;
}

export function forgetToken(source: Source): void {
  source.continueToken = dropBlob(source.continueToken);
}

/** Asks the host to list every source anew that shows this resource and namespace. */
export function relist(resource: u8, namespace: usize): void {
  for (let id: u32 = 0; id < u32(MAX_SOURCES); ++id) {
    const source = slot(id);
    if (shows(source, resource, namespace)) source.needsList = true;
  }
}

/**
 * The id of the source that shows objects of this resource and namespace; the one of all namespaces if there are
 * several.
 */
export function sourceOf(resource: u8, namespace: usize): u8 {
  let found: u8 = 0;
  for (let id: u32 = 0; id < u32(MAX_SOURCES); ++id) {
    if (shows(slot(id), resource, namespace)) found = u8(id);
  }
  return found;
}

/** The lowest version as of which a source of this resource and namespace knows everything. */
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
