/**
 * What a Job's spec says in plain numbers and switches: one record that the reader of Jobs fills and that the Job's
 * record copies as a whole. So a new field needs three places: this file, ingest/read-job.ts, and the rule that uses
 * it.
 *
 * Invariant: no field has to be freed. Those that have to be (template, selector, policies, scheduling, managedBy)
 * are in model/job.ts.
 */
import { ABSENT, NO_COMPLETIONS } from "./absent";

/** The spec of one Job. It is embedded in the record of the Job, and in the facts of the Job that was read last. */
@unmanaged
export class JobSpec {
  /** NaN: no deadline. */
  activeDeadlineMs: f64;
  /** ttlSecondsAfterFinished: how long the Job is kept after its end; NaN: for ever. */
  ttlMs: f64;
  parallelism: i32;
  completions: i32;
  backoffLimit: i32;
  /** ABSENT: one limit, `backoffLimit`, holds for the whole Job. */
  backoffLimitPerIndex: i32;
  maxFailedIndexes: i32;
  /** The minCount of the gang; ABSENT: it is as large as parallelism. */
  gangMinCount: i32;
  indexed: bool;
  /** completionMode has a value that this version does not know. */
  hasUnknownMode: bool;
  onFailure: bool;
  suspended: bool;
  /** The template names a scheduling group itself. */
  hasSchedulingGroup: bool;
  /** spec.scheduling asks that the pods start together or not at all. */
  isGang: bool;
  /**
   * A pod counts as failed, and is replaced, only when its phase is Failed: podReplacementPolicy is Failed, or there is
   * a podFailurePolicy.
   */
  onlyReplaceFailed: bool;

  /** Clears all fields. Of an unreadable Job only the name is known, and it wants no pods. */
  clear(): void {
    memory.fill(changetype<usize>(this), 0, offsetof<JobSpec>());
    this.activeDeadlineMs = NaN;
    this.ttlMs = NaN;
    this.completions = NO_COMPLETIONS;
    this.backoffLimitPerIndex = ABSENT;
    this.maxFailedIndexes = ABSENT;
    this.gangMinCount = ABSENT;
  }

  /** Sets the defaults of Kubernetes. */
  begin(): void {
    this.clear();
    this.parallelism = 1;
    this.backoffLimit = 6;
  }

  /** Becomes equal to another spec. */
  copyFrom(other: JobSpec): void {
    memory.copy(changetype<usize>(this), changetype<usize>(other), offsetof<JobSpec>());
  }
}
