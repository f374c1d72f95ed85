/**
 * Reads the metadata of a Job, a Pod, a Workload or a PodGroup, in one pass: only what the engine wants to know of it.
 * Source: docs/spec/controller.md 2.7 and 3.1.
 */
import { NO_INDEX } from "../model/absent";
import * as reader from "../json/reader";
import { finalizer } from "../model/configuration";
import { blobAt, blobIs, blobSize, literal } from "../memory/blob";
import { COMPLETION_INDEX, INDEX_FAILURE_COUNT, INDEX_IGNORED_FAILURE_COUNT } from "../model/pod-template";
import * as f from "../json/field-keys";
import { ObjectFacts } from "./object-facts";

const NAMESPACE = f.keyOf("namespace");
const UID = f.keyOf("uid");
const GENERATION = f.keyOf("generation");
const CREATION_TIMESTAMP = f.keyOf("creationTimestamp");
const DELETION_TIMESTAMP = f.keyOf("deletionTimestamp");
const DELETION_GRACE_PERIOD_SECONDS = f.keyOf("deletionGracePeriodSeconds");
const OWNER_REFERENCES = f.keyOf("ownerReferences");
const FINALIZERS = f.keyOf("finalizers");
const LABELS = f.keyOf("labels");
const CONTROLLER = f.keyOf("controller");
const JOB = literal("Job");
const BATCH_V1 = literal("batch/v1");

/** The label that the API server puts on the pods of a Job and into the Job's selector. */
export const CONTROLLER_UID = literal("batch.kubernetes.io/controller-uid");

/** The annotation by which the controller of a Job delegates its PodGroup. */
const GROUP_TEMPLATE_NAME = literal("scheduling.k8s.io/group-template-name");
/** Replaces the name of a template that no API server accepts. */
const NO_TEMPLATE = literal("/");

/** Reads metadata. The reader must be at its value. */
export function readMetadata(facts: ObjectFacts): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    const key = f.key();
    if (key == f.NAME) {
      if (reader.readString()) {
        facts.name = reader.stringAt();
        facts.nameSize = facts.plainSize("metadata.name: has escapes");
      }
    } else if (key == NAMESPACE) {
      if (reader.readString()) {
        facts.namespace = reader.stringAt();
        facts.namespaceSize = facts.plainSize("metadata.namespace: has escapes");
      }
    } else if (key == UID) {
      if (reader.readString()) {
        facts.uid = reader.stringAt();
        facts.uidSize = facts.plainSize("metadata.uid: has escapes");
      }
    } else if (key == f.RESOURCE_VERSION) {
      facts.resourceVersion = readVersion();
    } else if (key == GENERATION) {
      facts.generation = reader.readInteger();
    } else if (key == CREATION_TIMESTAMP) {
      facts.creationMs = facts.readTime("metadata.creationTimestamp: not a time");
    } else if (key == DELETION_TIMESTAMP) {
      facts.deletionMs = facts.readTime("metadata.deletionTimestamp: not a time");
    } else if (key == DELETION_GRACE_PERIOD_SECONDS) {
      facts.deletionGracePeriodMs = f64(reader.readInteger()) * 1000;
    } else if (key == LABELS) {
      readLabels(facts);
    } else if (key == f.ANNOTATIONS) {
      readAnnotations(facts);
    } else if (key == OWNER_REFERENCES) {
      readOwners(facts);
    } else if (key == FINALIZERS) {
      readFinalizers(facts);
    } else {
      reader.skipValue();
    }
  }
}

/** Reads a resourceVersion: decimal digits in a string. 0 if it is none. */
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

// Keeps the labels' JSON. Reads only the label of a generated selector.
function readLabels(facts: ObjectFacts): void {
  reader.peek();
  const from = reader.position();
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (!isKey(CONTROLLER_UID)) {
      reader.skipValue();
    } else if (reader.readString()) {
      facts.controllerUid = reader.stringAt();
      facts.controllerUidSize = facts.plainSize("metadata.labels: has escapes");
    }
  }
  if (!reader.ok()) return;
  facts.labels = from;
  facts.labelsSize = u32(reader.position() - from);
}

function readAnnotations(facts: ObjectFacts): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (isKey(COMPLETION_INDEX)) {
      if (reader.readString()) facts.completionIndex = parseCount(reader.stringAt(), reader.stringSize(), NO_INDEX);
    } else if (isKey(INDEX_FAILURE_COUNT)) {
      if (reader.readString()) facts.indexFailures = parseCount(reader.stringAt(), reader.stringSize(), 0);
    } else if (isKey(INDEX_IGNORED_FAILURE_COUNT)) {
      if (reader.readString()) facts.indexIgnoredFailures = parseCount(reader.stringAt(), reader.stringSize(), 0);
    } else if (isKey(GROUP_TEMPLATE_NAME)) {
      if (reader.readString()) noteGroupTemplate(facts);
    } else {
      reader.skipValue();
    }
  }
}

// The name of a template has no escapes. A value with escapes is no problem of the Job: it names no template.
function noteGroupTemplate(facts: ObjectFacts): void {
  const isName = !reader.stringHasEscapes();
  facts.hasGroupTemplate = true;
  facts.groupTemplate = isName ? reader.stringAt() : blobAt(NO_TEMPLATE);
  facts.groupTemplateSize = isName ? reader.stringSize() : blobSize(NO_TEMPLATE);
}

function isKey(name: usize): bool {
  return blobIs(name, reader.stringAt(), reader.stringSize());
}

// Reads a number as strconv.Atoi does: a plus sign is allowed. Returns `none` for a negative, malformed or too large
// one.
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

function readOwners(facts: ObjectFacts): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    let isController = false;
    let apiVersion: usize = 0;
    let apiVersionSize: u32 = 0;
    let kind: usize = 0;
    let kindSize: u32 = 0;
    let uidAt: usize = 0;
    let size: u32 = 0;
    let nameAt: usize = 0;
    let nameLength: u32 = 0;
    if (!reader.enterObject()) continue;
    while (reader.nextKey()) {
      const key = f.key();
      if (key == CONTROLLER) {
        isController = reader.readBoolean();
      } else if (key == f.KIND) {
        if (reader.readString()) {
          kind = reader.stringAt();
          kindSize = facts.plainSize("metadata.ownerReferences[].kind: has escapes");
        }
      } else if (key == f.APIVERSION) {
        if (reader.readString()) {
          apiVersion = reader.stringAt();
          apiVersionSize = facts.plainSize("metadata.ownerReferences[].apiVersion: has escapes");
        }
      } else if (key == UID) {
        if (reader.readString()) {
          uidAt = reader.stringAt();
          size = facts.plainSize("metadata.ownerReferences[].uid: has escapes");
        }
      } else if (key == f.NAME) {
        if (reader.readString()) {
          nameAt = reader.stringAt();
          nameLength = facts.plainSize("metadata.ownerReferences[].name: has escapes");
        }
      } else {
        reader.skipValue();
      }
    }
    // The first owner reference with controller true is the controller.
    if (!isController || facts.isControlled) continue;
    facts.isControlled = true;
    facts.controllerApiVersion = apiVersion;
    facts.controllerApiVersionSize = apiVersionSize;
    facts.controllerKind = kind;
    facts.controllerKindSize = kindSize;
    facts.controllerName = nameAt;
    facts.controllerNameSize = nameLength;
    if (!blobIs(JOB, kind, kindSize)) continue;
    facts.ownerUid = uidAt;
    facts.ownerUidSize = size;
    facts.ownerName = nameAt;
    facts.ownerNameSize = nameLength;
    facts.ownerIsBatchV1 = blobIs(BATCH_V1, apiVersion, apiVersionSize);
  }
}

function readFinalizers(facts: ObjectFacts): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (reader.readString() && isKey(finalizer)) {
      facts.holdsTrackingFinalizer = true;
    }
  }
}
