/**
 * What Jobs, Pods and the objects of gangs have in common: their metadata, and whether they can be read at all. The
 * facts stay valid until the next object of that sort is read. A fact that cannot be read is a problem of that object,
 * named by its field, and not an error of the document: the reader continues after it.
 */
import { documentOf } from "../json/blobs";
import * as reader from "../json/reader";
import { blobAt, literal } from "../memory/blob";
import { NO_INDEX } from "../model/absent";
import { parseTime } from "../time/rfc3339";
import { DocumentFacts } from "./document-facts";

const NO_LABELS = blobAt(documentOf(blobAt(literal("{}")), 2));

/** The facts about any object. */
@unmanaged
export class ObjectFacts extends DocumentFacts {
  /** 0: absent. */
  resourceVersion: u64;
  generation: i64;
  creationMs: f64;
  deletionMs: f64;
  deletionGracePeriodMs: f64;
  name: usize;
  nameSize: u32;
  namespace: usize;
  namespaceSize: u32;
  uid: usize;
  uidSize: u32;
  /** The labels as JSON; `{}` if there are none. */
  labels: usize;
  labelsSize: u32;
  /** The value of the label that a generated selector asks for; size 0: absent. */
  controllerUid: usize;
  controllerUidSize: u32;
  /** The UID and name of the controlling owner, if its kind is Job; sizes 0: it has no such owner. */
  ownerUid: usize;
  ownerUidSize: u32;
  ownerName: usize;
  ownerNameSize: u32;
  /** The apiVersion, kind and name of the controlling owner, of any kind; sizes 0: it has none. */
  controllerApiVersion: usize;
  controllerApiVersionSize: u32;
  controllerKind: usize;
  controllerKindSize: u32;
  controllerName: usize;
  controllerNameSize: u32;
  /** The annotation by which a Job's controller delegates its PodGroup: the name of a template. */
  groupTemplate: usize;
  groupTemplateSize: u32;
  completionIndex: i32;
  /**
   * For a pod of a Job with backoffLimitPerIndex: how many failures its index had before it, counted and ignored ones.
   */
  indexFailures: i32;
  indexIgnoredFailures: i32;
  /**
   * What is wrong with the object, as `field: what`; null: nothing. The string is managed, so it lasts only for the
   * call that has read the object (memory/garbage.ts).
   */
  problem: string | null;
  holdsTrackingFinalizer: bool;
  /** The object has a controlling owner of any kind. */
  isControlled: bool;
  /** The annotation of `groupTemplate` is there. */
  hasGroupTemplate: bool;
  /** The owner's apiVersion is batch/v1. */
  ownerIsBatchV1: bool;
  /** There is an object, and its JSON is not broken. */
  isRead: bool;
  /** For the object in the answer to the engine's own request: it was applied. */
  isTaken: bool;

  /** Forgets the previous object. `size` is that of the whole record, which is zeroed. */
  protected beginObject(size: usize): void {
    memory.fill(changetype<usize>(this), 0, size);
    this.creationMs = NaN;
    this.deletionMs = NaN;
    this.completionIndex = NO_INDEX;
    this.forgetLabels();
  }

  /** Notes what is wrong with the object that is being read. Only the first problem is kept. */
  noteProblem(text: string): void {
    if (this.problem === null) this.problem = text;
  }

  /**
   * The size of the string just read, which is kept as an address in the document. Names, types and UIDs never need
   * escapes. One that has them is a problem, `wrong`: the next string with escapes would overwrite it.
   */
  plainSize(wrong: string): u32 {
    if (reader.stringHasEscapes()) this.noteProblem(wrong);
    return reader.stringSize();
  }

  /** Reads a time. NaN for null, and for text that is no time; then `wrong` is noted as the problem. */
  readTime(wrong: string): f64 {
    if (!reader.readString()) return NaN;
    const time = parseTime(reader.stringAt(), reader.stringSize());
    if (isNaN(time)) this.noteProblem(wrong);
    return time;
  }

  /**
   * Whether an object that a selection no longer shows still exists. It does if it holds the tracking finalizer and its
   * deletion was not requested. Its labels are then unknown: the event shows the previous ones.
   */
  hasLeftSelection(): bool {
    if (this.problem !== null || !this.holdsTrackingFinalizer || !isNaN(this.deletionMs)) return false;
    this.forgetLabels();
    return true;
  }

  private forgetLabels(): void {
    this.labels = NO_LABELS;
    this.labelsSize = 2;
    this.controllerUidSize = 0;
  }
}
