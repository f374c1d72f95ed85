/**
 * The common JSON of all pods of one Job, rendered once. Writing a pod copies a few pieces of bytes, with the pod's
 * name and completion index between them. The pieces are the template's JSON; only what controller.md section 5 names
 * is added or removed. Invariant: the pieces joined are a valid Pod for every index.
 */
import { CLOSE_BRACKET, COLON, OPEN_BRACKET } from "../json/punctuation";
import * as reader from "../json/reader";
import { Writer } from "../json/writer";
import { finalizer } from "./configuration";
import { blobAt, blobIs, blobSize, literal } from "../memory/blob";
import { ABSENT } from "./absent";
import { Job } from "./job";
import { zeroed } from "../memory/records";

export const COMPLETION_INDEX = literal("batch.kubernetes.io/job-completion-index");
export const INDEX_FAILURE_COUNT = literal("batch.kubernetes.io/job-index-failure-count");
export const INDEX_IGNORED_FAILURE_COUNT = literal("batch.kubernetes.io/job-index-ignored-failure-count");
const MAX_GENERATED_NAME_BYTES: u32 = 58;
const COMPLETION_INDEX_ENV = "JOB_COMPLETION_INDEX";

/** The rendered pieces of one Job's template. */
@unmanaged
export class PodTemplate {
  /** The pieces one after another: name prefix, labels, annotations, middle and spec, hostname, end. */
  private bytes: usize;
  private labelsAt: u32;
  private annotationsAt: u32;
  private middleAt: u32;
  private hostnameAt: u32;
  private size: u32;
  /** The template has no label at all. The engine refuses its pods without a request. */
  withoutLabels: bool;

  free(): void {
    if (this.bytes != 0) heap.free(this.bytes);
    heap.free(changetype<usize>(this));
  }

  /**
   * Writes the pod. `index` is its completion index, or -1 for a Job that is not Indexed. `failures` and
   * `ignoredFailures` are those of the index before this pod; they are written for a Job with backoffLimitPerIndex.
   * `podGroup` is a blob, the name of the pod's PodGroup; 0: none.
   */
  write(to: Writer, job: Job, index: i32, failures: i32, ignoredFailures: i32, podGroup: usize = 0): void {
    this.piece(to, 0, this.labelsAt);
    writeGenerateName(to, job, index);
    this.piece(to, this.labelsAt, this.annotationsAt);
    if (index >= 0)
      writeNumber(to, COMPLETION_INDEX, index, load<u8>(this.bytes + this.annotationsAt - 1) != OPEN_OBJECT);
    this.piece(to, this.annotationsAt, this.middleAt);
    if (index >= 0) writeNumber(to, COMPLETION_INDEX, index, load<u8>(this.bytes + this.middleAt - 1) != OPEN_OBJECT);
    if (index >= 0 && job.spec.backoffLimitPerIndex != ABSENT) {
      writeNumber(to, INDEX_FAILURE_COUNT, failures, true);
      if (ignoredFailures > 0) writeNumber(to, INDEX_IGNORED_FAILURE_COUNT, ignoredFailures, true);
    }
    this.piece(to, this.middleAt, this.hostnameAt);
    let isFirst = load<u8>(this.bytes + this.hostnameAt - 1) == OPEN_OBJECT;
    if (index >= 0) {
      if (!isFirst) to.byte(COMMA);
      isFirst = false;
      to.text('"hostname":"');
      to.escapedBlob(job.name);
      to.byte(DASH);
      to.integer(index);
      to.byte(QUOTE);
    }
    if (podGroup != 0) {
      if (!isFirst) to.byte(COMMA);
      to.text('"schedulingGroup":{"podGroupName":');
      to.quotedBlob(podGroup);
      to.byte(CLOSE_OBJECT);
    }
    this.piece(to, this.hostnameAt, this.size);
  }

  private piece(to: Writer, from: u32, until: u32): void {
    to.bytes(this.bytes + from, until - from);
  }

  /** Copies `rendered`, and keeps where each piece begins. */
  take(rendered: Writer, labelsAt: u32, annotationsAt: u32, middleAt: u32, hostnameAt: u32): void {
    this.bytes = heap.alloc(rendered.length);
    memory.copy(this.bytes, rendered.start, rendered.length);
    this.labelsAt = labelsAt;
    this.annotationsAt = annotationsAt;
    this.middleAt = middleAt;
    this.hostnameAt = hostnameAt;
    this.size = rendered.length;
  }
}

const QUOTE: u32 = 0x22;
const COMMA: u32 = 0x2c;
const DASH: u32 = 0x2d;
const OPEN_OBJECT: u32 = 0x7b;
const CLOSE_OBJECT: u32 = 0x7d;

// The parts of the template while it is read.
const out = new Writer(4096);
const labels = new Writer(512);
const annotations = new Writer(512);
const finalizers = new Writer(256);
const spec = new Writer(4096);

/** The template of a Job, prepared lazily on first use; null is as for `preparePodTemplate`. */
export function templateOf(job: Job): PodTemplate | null {
  if (job.podTemplate === null) job.podTemplate = preparePodTemplate(job);
  return job.podTemplate;
}

/** Drops the prepared template: the next use prepares it again. */
export function dropTemplate(job: Job): void {
  const template = job.podTemplate;
  if (template !== null) template.free();
  job.podTemplate = null;
}

/**
 * Prepares the template of a Job. Null when the JSON is not that of a template: the Job is then unreadable. The reader
 * is used, so no other document may be open.
 */
export function preparePodTemplate(job: Job): PodTemplate | null {
  labels.reset();
  annotations.reset();
  finalizers.reset();
  spec.reset();
  reader.open(blobAt(job.template), blobSize(job.template));
  if (reader.enterObject()) {
    while (reader.nextKey()) {
      if (reader.stringIs("metadata")) readMetadata(job);
      else if (reader.stringIs("spec")) readSpec(job);
      else reader.skipValue();
    }
  }
  if (!reader.ok()) return null;

  out.reset();
  out.text('{"apiVersion":"v1","kind":"Pod","metadata":{"generateName":"');
  const labelsAt = out.length;
  out.text('","labels":{');
  out.bytes(labels.start, labels.length);
  const annotationsAt = out.length;
  out.text('},"annotations":{');
  out.bytes(annotations.start, annotations.length);
  const middleAt = out.length;
  out.text('},"ownerReferences":[{"apiVersion":"batch/v1","kind":"Job","name":');
  out.quotedBlob(job.name);
  out.text(',"uid":');
  out.quotedBlob(job.uid);
  out.text(',"controller":true,"blockOwnerDeletion":true}],"finalizers":[');
  out.bytes(finalizers.start, finalizers.length);
  if (finalizers.length > 0) out.byte(COMMA);
  out.quotedBlob(finalizer);
  out.text(']},"spec":{');
  out.bytes(spec.start, spec.length);
  const hostnameAt = out.length;
  out.text("}}");

  const template = zeroed<PodTemplate>();
  template.take(out, labelsAt, annotationsAt, middleAt, hostnameAt);
  template.withoutLabels = labels.length == 0 && !job.spec.indexed;
  return template;
}

/** Writes `<job>-` or `<job>-<index>-`. A prefix with an index is cut to 58 bytes, so that the server's suffix fits. */
function writeGenerateName(to: Writer, job: Job, index: i32): void {
  const name = blobAt(job.name);
  const size = blobSize(job.name);
  if (index < 0) {
    to.escaped(name, size);
    to.byte(DASH);
    return;
  }
  const suffix: u32 = 2 + decimalSize(index);
  to.escaped(name, min(size, MAX_GENERATED_NAME_BYTES - suffix));
  to.byte(DASH);
  to.integer(index);
  to.byte(DASH);
}

function decimalSize(value: i32): u32 {
  let size: u32 = 1;
  while (value >= 10) {
    value /= 10;
    ++size;
  }
  return size;
}

function writeNumber(to: Writer, key: usize, value: i32, comma: bool): void {
  if (comma) to.byte(COMMA);
  to.quotedBlob(key);
  to.text(':"');
  to.integer(value);
  to.byte(QUOTE);
}

function readMetadata(job: Job): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (reader.stringIs("labels")) copyMembers(labels, job.spec.indexed);
    else if (reader.stringIs("annotations")) copyMembers(annotations, job.spec.indexed);
    else if (reader.stringIs("finalizers")) copyFinalizers();
    else reader.skipValue();
  }
}

// Copies the members unchanged. For an Indexed Job it leaves out those that each pod gets for itself.
function copyMembers(to: Writer, indexed: bool): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (indexed && (isKey(COMPLETION_INDEX) || isKey(INDEX_FAILURE_COUNT) || isKey(INDEX_IGNORED_FAILURE_COUNT)))
      reader.skipValue();
    else copyMember(to);
  }
}

function isKey(name: usize): bool {
  return blobIs(name, reader.stringAt(), reader.stringSize());
}

function copyMember(to: Writer): void {
  if (to.length > 0) to.byte(COMMA);
  to.quoted(reader.stringAt(), reader.stringSize());
  to.byte(COLON);
  copyValue(to);
}

function copyValue(to: Writer): void {
  reader.peek();
  const from = reader.position();
  reader.skipValue();
  if (reader.ok()) to.bytes(from, u32(reader.position() - from));
}

function copyFinalizers(): void {
  if (!reader.enterArray()) return;
  while (reader.nextElement()) {
    if (!reader.readString()) continue;
    if (isKey(finalizer)) continue;
    if (finalizers.length > 0) finalizers.byte(COMMA);
    finalizers.quoted(reader.stringAt(), reader.stringSize());
  }
}

function readSpec(job: Job): void {
  if (!reader.enterObject()) return;
  while (reader.nextKey()) {
    if (job.spec.indexed && reader.stringIs("hostname")) {
      reader.skipValue();
    } else if (job.spec.indexed && (reader.stringIs("containers") || reader.stringIs("initContainers"))) {
      if (spec.length > 0) spec.byte(COMMA);
      spec.quoted(reader.stringAt(), reader.stringSize());
      spec.byte(COLON);
      copyContainers();
    } else {
      copyMember(spec);
    }
  }
}

function copyContainers(): void {
  if (!reader.enterArray()) {
    spec.text("null");
    return;
  }
  spec.byte(OPEN_BRACKET);
  for (let first = true; reader.nextElement(); first = false) {
    if (!first) spec.byte(COMMA);
    copyContainer();
  }
  spec.byte(CLOSE_BRACKET);
}

// Copies a container. The index variable is put at the end of its env, unless the env has that name already.
function copyContainer(): void {
  if (!reader.enterObject()) {
    spec.text("null");
    return;
  }
  spec.byte(OPEN_OBJECT);
  let empty = true;
  let hasEnv = false;
  while (reader.nextKey()) {
    if (!empty) spec.byte(COMMA);
    empty = false;
    spec.quoted(reader.stringAt(), reader.stringSize());
    spec.byte(COLON);
    if (reader.stringIs("env")) {
      hasEnv = true;
      copyEnv();
    } else {
      copyValue(spec);
    }
  }
  if (!hasEnv) {
    if (!empty) spec.byte(COMMA);
    spec.text('"env":[');
    writeIndexVariable();
    spec.byte(CLOSE_BRACKET);
  }
  spec.text("}");
}

function copyEnv(): void {
  spec.byte(OPEN_BRACKET);
  let first = true;
  let defined = false;
  if (reader.enterArray()) {
    for (; reader.nextElement(); first = false) {
      if (!first) spec.byte(COMMA);
      reader.peek();
      const from = reader.position();
      if (reader.enterObject()) {
        while (reader.nextKey()) {
          if (!reader.stringIs("name")) reader.skipValue();
          else if (reader.readString() && reader.stringIs(COMPLETION_INDEX_ENV)) defined = true;
        }
      }
      if (reader.ok()) spec.bytes(from, u32(reader.position() - from));
    }
  }
  if (!defined) {
    if (!first) spec.byte(COMMA);
    writeIndexVariable();
  }
  spec.byte(CLOSE_BRACKET);
}

function writeIndexVariable(): void {
  spec.text(
    '{"name":"JOB_COMPLETION_INDEX","valueFrom":{"fieldRef":{"fieldPath":"metadata.labels[\'batch.kubernetes.io/job-completion-index\']"}}}',
  );
}
