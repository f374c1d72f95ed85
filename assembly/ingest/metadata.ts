/**
 * metadata of a Job or a Pod, and of a list: what both have in common. The facts stay valid until the next object is
 * read; strings are addresses inside the document. A fact that cannot be read is a problem of that object, named by its
 * field, not an error of the document: the reader goes on behind it.
 */
import { NO_INDEX } from "../model/absent";
import * as reader from "../json/reader";
import { finalizer } from "../model/configuration";
import { blobAt, blobIs, literal } from "../memory/blob";
import { documentOf } from "../json/blobs";
import { COMPLETION_INDEX, INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT } from "../model/pod-template";
import { parseTime } from "../time/rfc3339";
import * as documentKind from "./document-kind";
import * as f from "../json/field-keys";

export let name: usize = 0;
export let nameSize: u32 = 0;
export let namespace: usize = 0;
export let namespaceSize: u32 = 0;
export let uid: usize = 0;
export let uidSize: u32 = 0;
/** 0: absent. */
export let resourceVersion: u64 = 0;
export let generation: i64 = 0;
export let creationMs: f64 = NaN;
export let deletionMs: f64 = NaN;
export let deletionGracePeriodMs: f64 = 0;
export let holdsTrackingFinalizer: bool = false;
/** The labels as JSON, inside the document; `{}` when there are none. */
export let labels: usize = 0;
export let labelsSize: u32 = 0;
/** The value of the label that a generated selector asks for; size 0: absent. */
export let controllerUid: usize = 0;
export let controllerUidSize: u32 = 0;
export let completionIndex: i32 = NO_INDEX;
/** Of a pod of a Job with backoffLimitPerIndex: failures of its index before it, and those that a rule ignored. */
export let indexFailures: i32 = 0;
export let indexIgnoredFailures: i32 = 0;
/** The controlling owner, if its kind is Job; sizes 0: none. */
export let ownerUid: usize = 0;
export let ownerUidSize: u32 = 0;
export let ownerName: usize = 0;
export let ownerNameSize: u32 = 0;
/** The owner's apiVersion is batch/v1. */
export let ownerIsBatchV1: bool = false;
/** There is a controlling owner, of whatever kind. */
export let isControlled: bool = false;
/** What is wrong with the object, as `field: what`; null: nothing. And where, as an offset in the document. */
export let problem: string | null = null;
export let problemOffset: u32 = 0;

/** The label that the API server gives the pods of a Job, and its selector with it. */
export const CONTROLLER_UID = literal("batch.kubernetes.io/controller-uid");
const NO_LABELS = blobAt(documentOf(blobAt(literal("{}")), 2));

/** Notes what is wrong with the object that is being read. The first problem stays. */
export function noteProblem(text: string): void {
  if (problem !== null) return;
  problem = text;
  problemOffset = reader.offset();
}

/** Forgets the object read before. */
export function begin(): void {
  documentKind.begin();
  nameSize = 0;
  namespaceSize = 0;
  uidSize = 0;
  resourceVersion = 0;
  generation = 0;
  creationMs = NaN;
  deletionMs = NaN;
  deletionGracePeriodMs = 0;
  holdsTrackingFinalizer = false;
  labels = NO_LABELS;
  labelsSize = 2;
  controllerUidSize = 0;
  completionIndex = NO_INDEX;
  indexFailures = 0;
  indexIgnoredFailures = 0;
  ownerUidSize = 0;
  ownerNameSize = 0;
  ownerIsBatchV1 = false;
  isControlled = false;
  problem = null;
}

/** Reads metadata; the reader stands at its value. */
export function read(): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.NAME) {
      if (reader.readString()) {
        name = reader.stringAt();
        nameSize = plainSize("metadata.name: has escapes");
      }
    } else if (key == f.NAMESPACE) {
      if (reader.readString()) {
        namespace = reader.stringAt();
        namespaceSize = plainSize("metadata.namespace: has escapes");
      }
    } else if (key == f.UID) {
      if (reader.readString()) {
        uid = reader.stringAt();
        uidSize = plainSize("metadata.uid: has escapes");
      }
    } else if (key == f.RESOURCE_VERSION) {
      resourceVersion = readVersion();
    } else if (key == f.GENERATION) {
      generation = reader.readInteger();
    } else if (key == f.CREATION_TIMESTAMP) {
      creationMs = readTime("metadata.creationTimestamp: not a time");
    } else if (key == f.DELETION_TIMESTAMP) {
      deletionMs = readTime("metadata.deletionTimestamp: not a time");
    } else if (key == f.DELETION_GRACE_PERIOD_SECONDS) {
      deletionGracePeriodMs = f64(reader.readInteger()) * 1000;
    } else if (key == f.LABELS) {
      readLabels();
    } else if (key == f.ANNOTATIONS) {
      readAnnotations();
    } else if (key == f.OWNER_REFERENCES) {
      readOwners();
    } else if (key == f.FINALIZERS) {
      readFinalizers();
    } else {
      reader.skipValue();
    }
  }
}

/** A resourceVersion: decimal digits in a string. 0 when it is none. */
export function readVersion(): u64 {
  if (!reader.readString()) return 0;
  const at = reader.stringAt();
  const size = reader.stringSize();
  if (size > 18) return 0;
  let version: u64 = 0;
  for (let i: u32 = 0; i < size; ++i) {
    const digit = <u32>load<u8>(at + i) - 0x30;
    if (digit > 9) return 0;
    version = version * 10 + digit;
  }
  return version;
}

/** A time, or NaN for null and, with the problem noted, for what is no time. */
export function readTime(wrong: string): f64 {
  if (!reader.readString()) return NaN;
  const time = parseTime(reader.stringAt(), reader.stringSize());
  if (isNaN(time)) noteProblem(wrong);
  return time;
}

/**
 * Size of the string just read, which is kept as an address in the document. Names, types and UIDs never need escapes;
 * one that has them would be overwritten by the next string with escapes.
 */
export function plainSize(wrong: string): u32 {
  if (reader.stringHasEscapes()) noteProblem(wrong);
  return reader.stringSize();
}

// Kept as they stand; only the label of a generated selector is looked at.
function readLabels(): void {
  reader.peek();
  const from = reader.position();
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (!isKey(CONTROLLER_UID)) {
      reader.skipValue();
    } else if (reader.readString()) {
      controllerUid = reader.stringAt();
      controllerUidSize = plainSize("metadata.labels: has escapes");
    }
  }
  if (!reader.ok()) return;
  labels = from;
  labelsSize = u32(reader.position() - from);
}

function readAnnotations(): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (isKey(COMPLETION_INDEX)) {
      if (reader.readString()) completionIndex = parseCount(reader.stringAt(), reader.stringSize(), NO_INDEX);
    } else if (isKey(INDEX_FAILURE_COUNT)) {
      if (reader.readString()) indexFailures = parseCount(reader.stringAt(), reader.stringSize(), 0);
    } else if (isKey(INDEX_IGNORED_FAILURE_COUNT)) {
      if (reader.readString()) indexIgnoredFailures = parseCount(reader.stringAt(), reader.stringSize(), 0);
    } else {
      reader.skipValue();
    }
  }
}

function isKey(name: usize): bool {
  return blobIs(name, reader.stringAt(), reader.stringSize());
}

// As strconv.Atoi: a sign is allowed; a negative, malformed or too large number is as good as none.
function parseCount(at: usize, size: u32, none: i32): i32 {
  if (size > 1 && load<u8>(at) == 0x2b) {
    ++at;
    --size;
  }
  if (size == 0 || size > 10) return none;
  let value: i64 = 0;
  for (let i: u32 = 0; i < size; ++i) {
    const digit = <u32>load<u8>(at + i) - 0x30;
    if (digit > 9) return none;
    value = value * 10 + digit;
  }
  return value > i64(i32.MAX_VALUE) ? none : i32(value);
}

function readOwners(): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    let isController = false;
    let isJob = false;
    let isBatch = false;
    let uidAt: usize = 0;
    let size: u32 = 0;
    let nameAt: usize = 0;
    let nameLength: u32 = 0;
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == f.CONTROLLER) {
        isController = reader.readBoolean();
      } else if (key == f.KIND) {
        isJob = reader.readString() && reader.stringIs("Job");
      } else if (key == f.APIVERSION) {
        isBatch = reader.readString() && reader.stringIs("batch/v1");
      } else if (key == f.UID) {
        if (reader.readString()) {
          uidAt = reader.stringAt();
          size = plainSize("metadata.ownerReferences[].uid: has escapes");
        }
      } else if (key == f.NAME) {
        if (reader.readString()) {
          nameAt = reader.stringAt();
          nameLength = plainSize("metadata.ownerReferences[].name: has escapes");
        }
      } else {
        reader.skipValue();
      }
    }
    // The first reference with controller true is the controller.
    if (!isController || isControlled) continue;
    isControlled = true;
    if (!isJob) continue;
    ownerUid = uidAt;
    ownerUidSize = size;
    ownerName = nameAt;
    ownerNameSize = nameLength;
    ownerIsBatchV1 = isBatch;
  }
}

function readFinalizers(): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (reader.readString() && isKey(finalizer)) {
      holdsTrackingFinalizer = true;
    }
  }
}

/**
 * Of an object that a selection does not show any more: whether it is there still. What holds the tracking finalizer
 * cannot be gone before its deletion was asked for. Its labels are forgotten then: it is shown with those that it had.
 */
export function hasLeftSelection(): bool {
  if (problem !== null || !holdsTrackingFinalizer || !isNaN(deletionMs)) return false;
  labels = NO_LABELS;
  labelsSize = 2;
  controllerUidSize = 0;
  return true;
}
