/**
 * Reads the documents that sources send: list pages, watch lines, and the answers to the engine's own requests. Objects
 * are applied one by one. An unreadable one is reported, and the others are applied. Broken JSON, or a document of
 * another kind than the source's, ends the list or the watch; the source then has to be listed again. Source:
 * docs/spec/api.md 6.5.
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
import { applyGangObject, applyGangObjectDeleted, sweepGangObjects } from "./apply-gang";
import * as reader from "../json/reader";
import { sweepJobs, sweepPods } from "./sweep";
import { applyJob, applyJobDeleted } from "./apply-job";
import { applyPod, applyPodDeleted } from "./apply-pod";
import { fromAnswer, fromSource, Origin } from "./origin";
import { takeFirstLists } from "../lifecycle/first-lists";
import * as f from "../json/field-keys";
import { JobFacts } from "./job-facts";
import { beginList, ListFacts } from "./list-facts";
import { ObjectFacts } from "./object-facts";
import { PodFacts } from "./pod-facts";
import { GangFacts, readGangObject } from "./read-gang";
import { readJob } from "./read-job";
import { readPod } from "./read-pod";
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

const ITEMS = f.keyOf("items");
const OBJECT = f.keyOf("object");

const NEWLINE: u8 = 0x0a;

// A problem with an object of the current document, kept as the code to return.
let outcome: i32 = OK;
/** Why the current document is refused as a whole; null: it is not. */
let wrong: string | null = null;

/** A list of this source begins. Returns OK. */
export function listBegin(source: Source): i32 {
  source.listing = true;
  source.needsList = true;
  source.listEpoch = newEpoch();
  source.listVersion = 0;
  forgetToken(source);
  return OK;
}

/** Takes in one whole `…List` document, a page of the list that `listBegin` began. Returns a code of the ABI. */
export function page(source: Source, id: u32, ptr: usize, length: u32): i32 {
  if (!source.listing) return refuse(OUT_OF_ORDER, "a page came without list-begin");
  if (length > MAX_INPUT_BYTES) return refuse(TOO_LARGE, "a page is larger than 64 MiB: list with a smaller limit");
  outcome = OK;
  forgetToken(source);
  reader.open(ptr, length);
  const list = readList(source.resource, source, fromSource(id, source.listEpoch));
  source.continueToken = list.takeToken();
  if (!reader.atEnd()) {
    source.listing = false;
    return refuse(BAD_JSON, "a page is not JSON: " + broken(), i64(reader.errorOffset()));
  }
  if (wrong !== null) {
    source.listing = false;
    forgetToken(source);
    return refuse(WRONG_DOCUMENT, wrong!);
  }
  reach(source, list.version);
  if (isStale(source)) return refuseStale(source);
  return outcome;
}

/**
 * The list has ended: what it did not show is gone. Returns OK, or OUT_OF_ORDER when there was no page or the list is
 * older than what its source has shown.
 */
export function listEnd(source: Source, id: u32): i32 {
  if (!source.listing || source.listVersion == 0) return refuse(OUT_OF_ORDER, "list-end came without a page");
  source.listing = false;
  if (isStale(source)) return refuseStale(source);
  source.version = source.listVersion;
  source.reached = source.listVersion;
  source.needsList = false;
  ++source.listsTaken;
  if (source.resource >= RESOURCE_WORKLOADS) sweepGangObjects(id, source);
  else if (source.resource == RESOURCE_PODS) sweepPods(id, source.listEpoch);
  else sweepJobs(id, source.listEpoch);
  const wasSynced = allSynced();
  markSynced(source);
  if (!wasSynced && allSynced()) takeFirstLists();
  return OK;
}

// Whether the list is older than what the watch has shown. Such a list does not say what is gone now, and would bring
// back objects that are gone.
function isStale(source: Source): bool {
  return source.listVersion < source.version;
}

function refuseStale(source: Source): i32 {
  source.listing = false;
  return refuse(OUT_OF_ORDER, "the list is older than what its source has shown before: list again");
}

/** Takes in whole lines of a watch, each ending in a newline. Returns a code of the ABI. */
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

/** The watch broke off. It can resume at its last version. No object counts as gone. Returns OK. */
export function streamLost(source: Source): i32 {
  if (source.listing) {
    source.listing = false;
    source.needsList = true;
  }
  return OK;
}

// The source has to be listed again, because it is unknown what was missed. A streamed list is incomplete then.
function giveUpStream(source: Source): void {
  source.listing = false;
  source.needsList = true;
}

/**
 * Takes in the pod or the Job in the answer to an own request. `isTaken` is false when there is no object, when it is
 * of another kind, or when it cannot be read.
 */
export function takeAnswer(ptr: usize, length: u32, isPod: bool): ObjectFacts {
  const resource = isPod ? RESOURCE_PODS : RESOURCE_JOBS;
  reader.open(ptr, length);
  const facts = readFacts(resource);
  if (!facts.isRead) return facts;
  if (facts.isObjectOf(resource)) facts.isTaken = take(facts, resource, fromAnswer());
  else facts.noteProblem(facts.wrongKind("the answer", resource, false));
  return facts;
}

/**
 * Takes in a page of a list of one Job's pods, which was asked for after a lost answer. The version is 0 when the
 * answer is no list. The caller takes the token.
 */
export function takePodList(ptr: usize, length: u32): ListFacts {
  reader.open(ptr, length);
  const list = readList(RESOURCE_PODS, null, fromAnswer());
  if (!reader.atEnd() || wrong !== null) list.version = 0;
  return list;
}

/**
 * Reads a `…List`: that of a source or, with `source` null, the answer to an own request. `wrong` says what it lacks.
 * Items are applied in place if kind and version came before them, as on every known server. Otherwise they are applied
 * in a second pass.
 */
function readList(resource: u8, source: Source | null, origin: Origin): ListFacts {
  const list = beginList();
  let itemsAt: usize = 0;
  wrong = null;
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.METADATA) {
        list.readMetadata(false);
      } else if (key == ITEMS) {
        if (reader.peek() == OPEN_ARRAY) itemsAt = reader.position();
        if (isWhole(list, resource, itemsAt)) {
          readItems(list, resource, source, origin);
          while (reader.nextKey()) reader.skipValue();
          return list;
        }
        reader.skipValue();
      } else {
        list.readOrSkip(key);
      }
    }
  }
  if (!reader.ok()) return list;
  if (!isWhole(list, resource, itemsAt)) {
    wrong = whatIsWrong(list, resource);
    return list;
  }
  const end = reader.position();
  reader.seek(itemsAt);
  readItems(list, resource, source, origin);
  reader.seek(end);
  return list;
}

function isWhole(list: ListFacts, resource: u8, itemsAt: usize): bool {
  return itemsAt != 0 && list.version != 0 && list.isListOf(resource);
}

function whatIsWrong(list: ListFacts, resource: u8): string {
  if (!list.isListOf(resource)) return list.wrongKind("a list", resource, true);
  if (list.version == 0) return "a list has no metadata.resourceVersion, or one that is no decimal number";
  return "a list has no items: it must have an array of them";
}

const OPEN_ARRAY: u32 = 0x5b;

// All pages of one list should have one version. If they differ, the lowest counts: a watch from there also shows what
// another page has missed.
function reach(source: Source, version: u64): void {
  if (source.listVersion == 0 || version < source.listVersion) source.listVersion = version;
}

function readItems(list: ListFacts, resource: u8, source: Source | null, origin: Origin): void {
  if (source !== null && list.version < source.version) {
    reader.skipValue();
    return;
  }
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    const at = reader.offset();
    const facts = readFacts(resource);
    if (!facts.isRead) continue;
    // Most servers do not give items a kind. If an item has one, it must be right.
    if (facts.saysKind() && !facts.isObjectOf(resource)) facts.noteProblem(facts.wrongKind("an item", resource, false));
    note(facts, take(facts, resource, origin), at);
  }
}

function readFacts(resource: u8): ObjectFacts {
  if (resource >= RESOURCE_WORKLOADS) return readGangObject(resource);
  return resource == RESOURCE_PODS ? readPod() : readJob();
}

function take(facts: ObjectFacts, resource: u8, origin: Origin): bool {
  if (resource >= RESOURCE_WORKLOADS) return applyGangObject(changetype<GangFacts>(facts), origin);
  if (resource == RESOURCE_PODS) return applyPod(changetype<PodFacts>(facts), origin);
  return applyJob(changetype<JobFacts>(facts), origin);
}

function takeDeleted(facts: ObjectFacts, resource: u8, origin: Origin): bool {
  if (resource >= RESOURCE_WORKLOADS) return applyGangObjectDeleted(changetype<GangFacts>(facts), origin);
  if (resource == RESOURCE_PODS) return applyPodDeleted(changetype<PodFacts>(facts), origin);
  return applyJobDeleted(facts, origin);
}

function readEvent(source: Source, id: u32): void {
  let type: i32 = EVENT_UNKNOWN;
  let objectAt: usize = 0;
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.TYPE) {
      if (reader.readString()) type = eventType();
    } else if (key == OBJECT) {
      reader.peek();
      objectAt = reader.position();
      // On every known server the type comes first. A line in the other order is read twice.
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
    // The error is 410, or anything else that ends the stream.
    giveUpStream(source);
    reader.skipValue();
    return;
  }
  const at = reader.offset();
  const resource = source.resource;
  const facts = readFacts(resource);
  if (!reader.ok()) return;
  if (!facts.isRead || !facts.isObjectOf(resource)) {
    wrong = facts.wrongKind("a watched object", resource, false);
    return;
  }
  const isDeleted =
    type == EVENT_DELETED && !(resource == RESOURCE_PODS && source.isSelection && facts.hasLeftSelection());
  const origin = fromSource(id, source.listing ? source.listEpoch : 0);
  const taken = isDeleted ? takeDeleted(facts, resource, origin) : take(facts, resource, origin);
  advance(source, facts.resourceVersion);
  note(facts, taken, at);
}

function readBookmark(source: Source, id: u32): void {
  const bookmark = beginList();
  if (!reader.enterObject()) {
    wrong = "a bookmark has no object";
    return;
  }
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.METADATA) bookmark.readMetadata(true);
    else bookmark.readOrSkip(key);
  }
  if (!bookmark.isObjectOf(source.resource)) wrong = bookmark.wrongKind("a bookmark", source.resource, false);
  else if (bookmark.version == 0)
    wrong = "a bookmark has no metadata.resourceVersion, or one that is no decimal number";
  if (wrong !== null || !reader.ok()) return;
  if (source.listing && bookmark.endsInitialEvents) {
    const at = reader.position();
    source.listVersion = bookmark.version;
    listEnd(source, id);
    reader.seek(at);
  }
  advance(source, bookmark.version);
}

function advance(source: Source, version: u64): void {
  if (version > source.version) source.version = version;
  // A list that comes as a stream shows its objects in no order, so `reached` stays until the list ends.
  if (!source.listing && version > source.reached) source.reached = version;
}

function note(facts: ObjectFacts, taken: bool, at: u32): void {
  if (taken || outcome != OK) return;
  const problem = facts.problem;
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
