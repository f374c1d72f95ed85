/**
 * The documents that sources send: list pages, watch lines, and the answers to own requests. Objects are taken one by
 * one; one that cannot be read is reported and the others are taken. Broken JSON, and a document of another kind than
 * the source shows, end the list or the watch, and the source has to be listed again. Source: docs/spec/api.md 6.5.
 */
import {
  BAD_JSON,
  OK,
  OUT_OF_ORDER,
  PARTIAL_LINE,
  refuse,
  TOO_LARGE,
  UNREADABLE_OBJECT,
  WRONG_DOCUMENT,
} from "../abi/codes";
import { MAX_INPUT_BYTES } from "../abi/input";
import { sweepGangObjects, takeObject } from "./apply-gang";
import * as reader from "../json/reader";
import { blobOf, freeBlob } from "../memory/blob";
import { sweepJobs, sweepPods } from "./sweep";
import { applyJob, applyJobDeleted } from "./apply-job";
import { applyPod, applyPodDeleted } from "./apply-pod";
import { FROM_ANSWER, setOrigin } from "./origin";
import { takeFirstLists } from "../lifecycle/first-lists";
import * as documentKind from "./document-kind";
import * as f from "../json/field-keys";
import * as gangFacts from "./read-gang";
import * as metadata from "./metadata";
import * as podFacts from "./read-pod";
import * as jobFacts from "./read-job";
import {
  allSynced,
  forgetToken,
  markSynced,
  newEpoch,
  RESOURCE_JOBS,
  RESOURCE_PODS,
  RESOURCE_WORKLOADS,
  Source,
} from "../model/sources";

const NEWLINE: u8 = 0x0a;
const INITIAL_EVENTS_END = "k8s.io/initial-events-end";

// A problem with an object of the present document, kept as the code to return.
let outcome: i32 = OK;
/** Why nothing of the present document counts: it is none that may stand here. Null: it may. */
let wrong: string | null = null;

export function listBegin(source: Source): i32 {
  source.listing = true;
  source.needsList = true;
  source.listEpoch = newEpoch();
  source.listVersion = 0;
  forgetToken(source);
  return OK;
}

/** One whole `…List` document. */
export function page(source: Source, id: u32, ptr: usize, length: u32): i32 {
  if (!source.listing) return refuse(OUT_OF_ORDER, "a page came without list-begin");
  if (length > MAX_INPUT_BYTES) return refuse(TOO_LARGE, "a page is larger than 64 MiB: list with a smaller limit");
  outcome = OK;
  setOrigin(i32(id), source.listEpoch);
  forgetToken(source);
  reader.open(ptr, length);
  const version = readList(source.resource, source);
  if (!reader.atEnd()) {
    source.listing = false;
    return refuse(BAD_JSON, "a page is not JSON: " + broken(), i64(reader.errorOffset()));
  }
  if (wrong !== null) {
    source.listing = false;
    forgetToken(source);
    return refuse(WRONG_DOCUMENT, wrong!);
  }
  reach(source, version);
  if (isStale(source)) return refuseStale(source);
  return outcome;
}

export function listEnd(source: Source, id: u32): i32 {
  if (!source.listing || source.listVersion == 0) return refuse(OUT_OF_ORDER, "list-end came without a page");
  source.listing = false;
  if (isStale(source)) return refuseStale(source);
  source.version = source.listVersion;
  source.reached = source.listVersion;
  source.needsList = false;
  ++source.listsTaken;
  setOrigin(i32(id), 0);
  if (source.resource >= RESOURCE_WORKLOADS) sweepGangObjects(id, source);
  else if (source.resource == RESOURCE_PODS) sweepPods(id, source.listEpoch);
  else sweepJobs(id, source.listEpoch);
  const wasSynced = allSynced();
  markSynced(source);
  if (!wasSynced && allSynced()) takeFirstLists();
  return OK;
}

// A list that is older than what the watch has shown says nothing about what is gone, and would bring back what is.
function isStale(source: Source): bool {
  return source.listVersion < source.version;
}

function refuseStale(source: Source): i32 {
  source.listing = false;
  return refuse(OUT_OF_ORDER, "the list is older than what its source has shown before: list again");
}

/** Whole lines of a watch, each ending in a newline. */
export function watchLines(source: Source, id: u32, ptr: usize, length: u32): i32 {
  if (length > MAX_INPUT_BYTES) return refuse(TOO_LARGE, "watch lines of more than 64 MiB in one call");
  if (length == 0) return OK;
  const end = ptr + length;
  if (load<u8>(end - 1) != NEWLINE) return refuse(PARTIAL_LINE, "the last watch line does not end in a newline");
  outcome = OK;
  let from = ptr;
  while (from < end) {
    const lineEnd = findNewline(from);
    if (lineEnd > from) {
      setOrigin(i32(id), source.listing ? source.listEpoch : 0);
      reader.open(from, u32(lineEnd - from));
      wrong = null;
      readEvent(source, id);
      if (!reader.ok()) {
        giveUpStream(source);
        return refuse(BAD_JSON, "a watch line is not JSON: " + broken(), i64(from - ptr) + i64(reader.errorOffset()));
      }
      if (wrong !== null) {
        giveUpStream(source);
        return refuse(WRONG_DOCUMENT, wrong!, i64(from - ptr));
      }
    }
    from = lineEnd + 1;
  }
  return outcome;
}

/** The watch broke. It goes on from where it was; nothing is believed gone. */
export function streamLost(source: Source): i32 {
  if (source.listing) {
    source.listing = false;
    source.needsList = true;
  }
  return OK;
}

// What was missed is unknown, and a list that came this way has no end.
function giveUpStream(source: Source): void {
  source.listing = false;
  source.needsList = true;
}

/** The object in the answer to an own request. False when there is none, it is another kind's, or it cannot be read. */
export function answer(ptr: usize, length: u32, isPod: bool): bool {
  setOrigin(FROM_ANSWER, 0);
  reader.open(ptr, length);
  const read = isPod ? podFacts.read() : jobFacts.read();
  if (!read || !reader.ok()) return false;
  const resource = isPod ? RESOURCE_PODS : RESOURCE_JOBS;
  if (!documentKind.isObjectOf(resource)) {
    metadata.noteProblem(documentKind.wrongKind("the answer", resource, false));
    return false;
  }
  return isPod ? applyPod() : applyJob();
}

/** Of the page of an own list that was read last. */
let listToken: usize = 0;

/** The token of the page that follows the one that `podList` has read, as a new blob; 0: that was the last one. */
export function takeListToken(): usize {
  const token = listToken;
  listToken = 0;
  return token;
}

/**
 * A page of a list of the pods of one Job, asked for after a lost answer. Returns its resourceVersion; 0: it is none.
 */
export function podList(ptr: usize, length: u32): u64 {
  freeBlob(takeListToken());
  setOrigin(FROM_ANSWER, 0);
  reader.open(ptr, length);
  const version = readList(RESOURCE_PODS, null);
  return reader.atEnd() && wrong === null ? version : 0;
}

/**
 * A `…List`, of a source or (null) the answer to an own request. Returns its resourceVersion; `wrong` says what it
 * lacks. Items are taken where they stand when everything else is known to be right by then, as on every server, and at
 * the end otherwise.
 */
function readList(resource: u8, source: Source | null): u64 {
  let itemsAt: usize = 0;
  wrong = null;
  listVersion = 0;
  documentKind.begin();
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.METADATA) {
        readListMetadata(source);
      } else if (key == f.ITEMS) {
        if (reader.peek() == OPEN_ARRAY) itemsAt = reader.position();
        if (isWhole(resource, itemsAt)) {
          readItems(resource, source);
          while (reader.nextKey()) reader.skipValue();
          return listVersion;
        }
        reader.skipValue();
      } else {
        documentKind.readOrSkip(key);
      }
    }
  }
  if (!reader.ok()) return 0;
  if (!isWhole(resource, itemsAt)) {
    wrong = whatIsWrong(resource, itemsAt);
    return 0;
  }
  const end = reader.position();
  reader.seek(itemsAt);
  readItems(resource, source);
  reader.seek(end);
  return listVersion;
}

function isWhole(resource: u8, itemsAt: usize): bool {
  return itemsAt != 0 && listVersion != 0 && documentKind.isListOf(resource);
}

function whatIsWrong(resource: u8, itemsAt: usize): string {
  if (!documentKind.isListOf(resource)) return documentKind.wrongKind("a list", resource, true);
  if (listVersion == 0) return "a list has no metadata.resourceVersion, or one that is no decimal number";
  return "a list has no items: it must have an array of them";
}

const OPEN_ARRAY: u32 = 0x5b;
/** Of the list that is being read. */
let listVersion: u64 = 0;

function readListMetadata(source: Source | null): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.RESOURCE_VERSION) {
      listVersion = metadata.readVersion();
    } else if (key == f.CONTINUE) {
      const isFollowed = reader.readString() && reader.stringSize() > 0;
      const token = isFollowed ? blobOf(reader.stringAt(), reader.stringSize()) : 0;
      if (source === null) listToken = token;
      else source.continueToken = token;
    } else {
      reader.skipValue();
    }
  }
}

// The pages of one list are of one version. Of several the lowest counts: a watch from there shows what a page has
// missed.
function reach(source: Source, version: u64): void {
  if (source.listVersion == 0 || version < source.listVersion) source.listVersion = version;
}

function readItems(resource: u8, source: Source | null): void {
  if (source !== null && listVersion < source.version) {
    reader.skipValue();
    return;
  }
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    const at = reader.offset();
    if (!readFacts(resource)) continue;
    // An item says its kind only where a server says more than it must.
    if (documentKind.isSaid() && !documentKind.isObjectOf(resource))
      metadata.noteProblem(documentKind.wrongKind("an item", resource, false));
    note(take(resource, false), at);
  }
}

function readFacts(resource: u8): bool {
  if (resource >= RESOURCE_WORKLOADS) return gangFacts.read(resource);
  return resource == RESOURCE_PODS ? podFacts.read() : jobFacts.read();
}

function take(resource: u8, isDeleted: bool): bool {
  if (resource >= RESOURCE_WORKLOADS) return takeObject(resource, isDeleted);
  if (resource == RESOURCE_PODS) return isDeleted ? applyPodDeleted() : applyPod();
  return isDeleted ? applyJobDeleted() : applyJob();
}

function readEvent(source: Source, id: u32): void {
  let type: i32 = EVENT_UNKNOWN;
  let objectAt: usize = 0;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.TYPE) {
      if (reader.readString()) type = eventType();
    } else if (key == f.OBJECT) {
      reader.peek();
      objectAt = reader.position();
      // The type comes first on every server known; a line in the other order is read twice.
      if (type != EVENT_UNKNOWN) readObject(source, id, type);
      else reader.skipValue();
    } else {
      reader.skipValue();
    }
    if (type != EVENT_UNKNOWN && objectAt != 0 && key == f.TYPE) {
      const after = reader.position();
      reader.seek(objectAt);
      readObject(source, id, type);
      reader.seek(after);
    }
  }
  if (reader.ok() && (type == EVENT_UNKNOWN || objectAt == 0))
    reader.fail("not a watch event: type or object is missing");
}

const EVENT_UNKNOWN: i32 = 0;
const EVENT_CHANGED: i32 = 1;
const EVENT_DELETED: i32 = 2;
const EVENT_BOOKMARK: i32 = 3;
const EVENT_ERROR: i32 = 4;

function eventType(): i32 {
  if (reader.stringIs("ADDED") || reader.stringIs("MODIFIED")) return EVENT_CHANGED;
  if (reader.stringIs("DELETED")) return EVENT_DELETED;
  if (reader.stringIs("BOOKMARK")) return EVENT_BOOKMARK;
  if (reader.stringIs("ERROR")) return EVENT_ERROR;
  return EVENT_UNKNOWN;
}

function readObject(source: Source, id: u32, type: i32): void {
  if (type == EVENT_BOOKMARK) {
    readBookmark(source, id);
    return;
  }
  if (type == EVENT_ERROR) {
    // 410, or anything else that ends the stream.
    giveUpStream(source);
    reader.skipValue();
    return;
  }
  const at = reader.offset();
  const read = readFacts(source.resource);
  if (!reader.ok()) return;
  if (!read || !documentKind.isObjectOf(source.resource)) {
    wrong = documentKind.wrongKind("a watched object", source.resource, false);
    return;
  }
  const isDeleted =
    type == EVENT_DELETED && !(source.resource == RESOURCE_PODS && source.isSelection && metadata.hasLeftSelection());
  const taken = take(source.resource, isDeleted);
  advance(source, metadata.resourceVersion);
  note(taken, at);
}

function readBookmark(source: Source, id: u32): void {
  let version: u64 = 0;
  let endsInitialEvents = false;
  documentKind.begin();
  if (!reader.enterObject()) {
    wrong = "a bookmark has no object";
    return;
  }
  while (reader.nextKey()) {
    const member = f.key();
    if (member != f.METADATA) {
      documentKind.readOrSkip(member);
      continue;
    }
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.RESOURCE_VERSION) {
        version = metadata.readVersion();
      } else if (key == f.ANNOTATIONS) {
        if (!reader.enterObject()) continue;
        while (reader.nextKey()) {
          const ends = reader.stringIs(INITIAL_EVENTS_END);
          if (reader.readString() && ends && reader.stringIs("true")) endsInitialEvents = true;
        }
      } else {
        reader.skipValue();
      }
    }
  }
  if (!documentKind.isObjectOf(source.resource)) wrong = documentKind.wrongKind("a bookmark", source.resource, false);
  else if (version == 0) wrong = "a bookmark has no metadata.resourceVersion, or one that is no decimal number";
  if (wrong !== null || !reader.ok()) return;
  if (source.listing && endsInitialEvents) {
    const at = reader.position();
    source.listVersion = version;
    listEnd(source, id);
    reader.seek(at);
  }
  advance(source, version);
}

function advance(source: Source, version: u64): void {
  if (version > source.version) source.version = version;
  // The objects of a list that comes as a stream are in no order.
  if (!source.listing && version > source.reached) source.reached = version;
}

function note(taken: bool, at: u32): void {
  if (taken || outcome != OK) return;
  const problem = metadata.problem;
  outcome = refuse(UNREADABLE_OBJECT, problem === null ? "an object cannot be read" : problem, i64(at));
}

function broken(): string {
  const text = reader.errorText();
  return text === null ? "it is incomplete" : text;
}

function findNewline(from: usize): usize {
  const newlines = i8x16.splat(0x0a);
  while (true) {
    const hits = i8x16.bitmask(i8x16.eq(v128.load(from), newlines));
    if (hits != 0) return from + ctz(hits);
    from += 16;
  }
}
