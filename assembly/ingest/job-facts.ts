/**
 * What is known of a Job once it was read (read-job.ts): its spec and its stored status. They are moved into its record
 * (apply-job.ts), or dropped when the object has a problem. There is one record of facts; the next Job that is read
 * replaces them. Source of what is read: docs/spec/controller.md 3.1–3.6, docs/spec/api.md 1.1 and 1.2.
 */
import { freeBlob } from "../memory/blob";
import { zeroed } from "../memory/records";
import { ABSENT } from "../model/absent";
import { Condition, freeConditions } from "../model/condition";
import { JobSpec } from "../model/job-spec";
import { UidList } from "../model/uid-list";
import { ObjectFacts } from "./object-facts";

const spec = changetype<JobSpec>(memory.data(offsetof<JobSpec>(), 8));
// These lists keep their memory from Job to Job.
const uncountedSucceeded = zeroed<UidList>();
const uncountedFailed = zeroed<UidList>();

/** The facts of the Job that was read last. */
@unmanaged
export class JobFacts extends ObjectFacts {
  // ── spec
  /** Its plain values; what is not given has its default. */
  spec: JobSpec;
  /** The policies' JSON; sizes 0: not given. */
  podFailurePolicy: usize;
  podFailurePolicySize: u32;
  successPolicy: usize;
  successPolicySize: u32;
  /** The template's JSON. */
  template: usize;
  templateSize: u32;
  /** The JSON of spec.scheduling; size 0: not given. */
  scheduling: usize;
  schedulingSize: u32;
  /** The selector's JSON; size 0: not given. */
  selector: usize;
  selectorSize: u32;
  managedBy: usize;
  managedBySize: u32;
  hasManagedBy: bool;

  // ── status
  hasUncounted: bool;
  active: i32;
  ready: i32;
  terminating: i32;
  succeeded: i32;
  failed: i32;
  startTimeMs: f64;
  completionTimeMs: f64;
  uncountedSucceeded: UidList;
  uncountedFailed: UidList;
  /** Blobs. 0: the field is absent or, for completedText, empty. They belong to the facts until a caller takes them. */
  completedText: usize;
  failedText: usize;
  /** They belong to the facts until a caller takes them. */
  conditions: Condition | null;

  /** Forgets the previous Job. */
  begin(): void {
    this.drop();
    this.beginObject(offsetof<JobFacts>());
    this.spec = spec;
    spec.begin();
    this.ready = ABSENT;
    this.terminating = ABSENT;
    this.startTimeMs = NaN;
    this.completionTimeMs = NaN;
    this.uncountedSucceeded = uncountedSucceeded;
    this.uncountedFailed = uncountedFailed;
    uncountedSucceeded.truncate(0);
    uncountedFailed.truncate(0);
  }

  /** Frees what no caller has taken. */
  drop(): void {
    freeConditions(this.takeConditions());
    freeBlob(this.takeCompletedText());
    freeBlob(this.takeFailedText());
  }

  /** The conditions that were read; the caller owns them. */
  takeConditions(): Condition | null {
    const taken = this.conditions;
    this.conditions = null;
    return taken;
  }

  /** The text of completedIndexes as a blob; the caller owns it. */
  takeCompletedText(): usize {
    const taken = this.completedText;
    this.completedText = 0;
    return taken;
  }

  /**
   * The text of failedIndexes as a blob, of size 0 when it is empty; 0 when the field is absent. The caller owns it.
   */
  takeFailedText(): usize {
    const taken = this.failedText;
    this.failedText = 0;
    return taken;
  }
}
