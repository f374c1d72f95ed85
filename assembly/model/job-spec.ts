/**
 * What a Job's spec says in plain numbers and switches: one record that the reader of Jobs fills and that the Job's own
 * record takes over whole. So a new field stands here, is read in ingest/read-job.ts, and serves the rule that asks for
 * it; no other file knows of it.
 *
 * Invariant: nothing in it has to be freed. What has (template, selector, policies, managedBy) stands in model/job.ts.
 */
import { ABSENT, NO_COMPLETIONS } from "./absent";

/** The spec of one Job. The record of the Job has one inside. The facts of the Job that was read last have another. */
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
  indexed: bool;
  /** completionMode has a value that this version does not know. */
  hasUnknownMode: bool;
  onFailure: bool;
  suspended: bool;
  /** The template names a scheduling group itself. */
  hasSchedulingGroup: bool;
  /**
   * A pod counts as failed, and is replaced, only when its phase is Failed: podReplacementPolicy is Failed, or there is
   * a podFailurePolicy.
   */
  onlyReplaceFailed: bool;

  /** Forgets everything. Of a Job that cannot be read only the name is known, and it wants no pods. */
  clear(): void {
    memory.fill(changetype<usize>(this), 0, offsetof<JobSpec>());
    this.activeDeadlineMs = NaN;
    this.ttlMs = NaN;
    this.completions = NO_COMPLETIONS;
    this.backoffLimitPerIndex = ABSENT;
    this.maxFailedIndexes = ABSENT;
  }

  /** Begins with what Kubernetes assumes where a spec says nothing. */
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
