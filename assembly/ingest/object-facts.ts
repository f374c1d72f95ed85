/**
 * What Jobs, Pods and the objects of gangs have in common: their metadata, and whether they can be read at all. The
 * facts stay valid until the next object of the sort is read. A fact that cannot be read is a problem of that object,
 * named by its field, not an error of the document: the reader goes on behind it.
 */
import { documentOf } from "../json/blobs";
import * as reader from "../json/reader";
import { blobAt, literal } from "../memory/blob";
import { NO_INDEX } from "../model/absent";
import { parseTime } from "../time/rfc3339";
import { DocumentFacts } from "./document-facts";

const NO_LABELS = blobAt(documentOf(blobAt(literal("{}")), 2));

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
  /** The labels as JSON; `{}` when there are none. */
  labels: usize;
  labelsSize: u32;
  /** The value of the label that a generated selector asks for; size 0: absent. */
  controllerUid: usize;
  controllerUidSize: u32;
  /** The controlling owner, if its kind is Job; sizes 0: none. */
  ownerUid: usize;
  ownerUidSize: u32;
  ownerName: usize;
  ownerNameSize: u32;
  completionIndex: i32;
  /** Of a pod of a Job with backoffLimitPerIndex: failures of its index before it, and those that a rule ignored. */
  indexFailures: i32;
  indexIgnoredFailures: i32;
  /**
   * What is wrong with the object, as `field: what`; null: nothing. Managed, so only for the call that has read the
   * object (memory/garbage.ts).
   */
  problem: string | null;
  holdsTrackingFinalizer: bool;
  /** There is a controlling owner, of whatever kind. */
  isControlled: bool;
  /** The owner's apiVersion is batch/v1. */
  ownerIsBatchV1: bool;
  /** There is an object, and its JSON is not broken. */
  isRead: bool;
  /** Of the object in the answer to an own request: it is taken in. */
  isTaken: bool;

  /** Forgets the object read before. `size`: of the whole record, all of which is zeroed. */
  protected beginObject(size: usize): void {
    memory.fill(changetype<usize>(this), 0, size);
    this.creationMs = NaN;
    this.deletionMs = NaN;
    this.completionIndex = NO_INDEX;
    this.forgetLabels();
  }

  /** Notes what is wrong with the object that is being read. The first problem stays. */
  noteProblem(text: string): void {
    if (this.problem === null) this.problem = text;
  }

  /**
   * Size of the string just read, which is kept as an address in the document. Names, types and UIDs never need
   * escapes; one that has them would be overwritten by the next string with escapes.
   */
  plainSize(wrong: string): u32 {
    if (reader.stringHasEscapes()) this.noteProblem(wrong);
    return reader.stringSize();
  }

  /** Reads a time, or NaN for null and, with the problem noted, for what is no time. */
  readTime(wrong: string): f64 {
    if (!reader.readString()) return NaN;
    const time = parseTime(reader.stringAt(), reader.stringSize());
    if (isNaN(time)) this.noteProblem(wrong);
    return time;
  }

  /**
   * Of an object that a selection does not show any more: whether it is there still. What holds the tracking finalizer
   * cannot be gone before its deletion was asked for. Its labels are forgotten then: it is shown with those that it
   * had.
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
