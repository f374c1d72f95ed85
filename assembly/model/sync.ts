/**
 * What one sync of a Job has found out and has still to do: the record between the calls of the engine. What a sync
 * does with it, and in which order, is sync/sync.ts. A record begins zeroed; the Job holds it until the sync ends.
 */
import { freeBlob } from "../memory/blob";
import { release } from "../memory/records";
import { Job, unmarkUncounted } from "./job";
import { findPod, has, pin, Pod, POD_IN_WORK, POD_UNCOUNTED_FAILED, POD_UNCOUNTED_SUCCEEDED, unpin } from "./pod";
import { SyncMetrics } from "./sync-metrics";
import { UidList } from "./uid-list";

// ── phases
/** The pods of the Job are listed, for the answer to a POST was lost. */
export const PHASE_LIST: u8 = 1;
/** The Job is read before it adopts pods. */
export const PHASE_RECHECK: u8 = 2;
/** Pods are adopted and released. */
export const PHASE_CLAIM: u8 = 3;
/** A Workload or a PodGroup is created or read, before anything is decided about pods. */
export const PHASE_GANG: u8 = 4;
export const PHASE_CREATE: u8 = 5;
export const PHASE_DELETE: u8 = 6;
export const PHASE_FIRST_WRITE: u8 = 7;
export const PHASE_FINALIZERS: u8 = 8;
export const PHASE_SECOND_WRITE: u8 = 9;
/** A finished Job whose time to live is over is read, and deleted. */
export const PHASE_READ_AGAIN: u8 = 10;
export const PHASE_REMOVE: u8 = 11;

@unmanaged
export class Sync extends SyncMetrics {
  // ── what the status is to become
  startTimeMs: f64;
  completionTimeMs: f64;
  /** When the verdict became final in this sync: the creation time of its condition. */
  verdictMs: f64;
  /** The back-off holds creations up until then, on the clock of `now`; 0: it does not. */
  nextCreationMs: f64;
  /** The longest wait that a server asked for; 0: none did. */
  retryAfterMs: f64;
  /** The version of the Job that all this follows from; after an own write that of its answer. */
  baseVersion: u64;
  /** What the pods were not clear from when it began, though none was in doubt; 0: nothing (stale-pods.ts). */
  toldVersion: u64;
  uncountedSucceeded: UidList;
  uncountedFailed: UidList;
  succeeded: i32;
  failed: i32;
  /** The stored counters when the sync began. */
  countedBefore: i32;
  failedBefore: i32;
  // ── totals, as the rules count them
  totalSucceeded: i32;
  totalFailed: i32;
  // ── the verdict: a condition type, or 0; with its texts as own blobs
  reason: usize;
  message: usize;
  // ── listing
  /**
   * resourceVersion of the list of its pods under way, and the token of its next page; 0: none is, or its first page is
   * next.
   */
  listVersion: u64;
  listToken: usize;
  // ── gang scheduling
  /** Name of the PodGroup of the pods; 0: none. */
  podGroup: usize;
  /** The Workload or PodGroup that is being created: its name and body, and what is known of it (gang/ensure.ts). */
  gangName: usize;
  gangBody: usize;
  gangResource: u8;
  gangAttempts: u8;
  gangAnswer: u8;
  /** This sync has created the Workload. */
  madeWorkload: bool;
  // ── creating
  /** Completion indexes to start, i32 each, ascending. */
  indexes: usize;
  indexCount: i32;
  nextIndex: i32;
  /** Pods still to be handed out, in this batch and in all. */
  batchLeft: i32;
  toCreate: i32;
  batchSize: i32;
  created: i32;
  createFailures: i32;
  // ── claiming, deleting and finalizers: work lists through nextWork
  /** Pods to adopt or to release. */
  claims: Pod | null;
  victims: Pod | null;
  /** Victims whose finalizer is off. */
  stripped: Pod | null;
  deleted: i32;
  deleteFailures: i32;
  finalizers: Pod | null;
  lastFinalizer: Pod | null;
  finalizerFailures: i32;
  /** Requests of this phase under way. */
  outstanding: i32;
  phase: u8;
  verdict: u8;
  /** Condition types that the next write appends, or 0. */
  interim: u8;
  interimIsTrue: bool;
  terminal: u8;
  /** The request of a phase that has one is handed out. */
  handedOut: bool;
  /** The verdict stood in the stored conditions already. */
  verdictIsStored: bool;
  /** Some pods of `claims` are to be adopted, and may be. */
  adopts: bool;
  /** Victims lose their finalizer before they are deleted, and are not counted. */
  uncountedVictims: bool;
  managed: bool;
  reachedCap: bool;
  /** More pods are to be created than one sync may. */
  moreToCreate: bool;
  /** Finished pods were left for the next sync. */
  leftSome: bool;
  /** Pods were left that another sync has business with. */
  leftBusy: bool;
  /** Something failed: the Job is tried again with a growing delay. */
  isFailed: bool;
  /** A write failed on which everything after it depends: the sync ends with this phase. */
  isBroken: bool;
  /**
   * Somebody else wrote to the Job: what was worked out from the older version is not stored, and another sync follows
   * at once.
   */
  isOutdated: bool;

  enter(phase: u8): void {
    this.phase = phase;
    this.handedOut = false;
  }

  /** In a phase of one request: true when that may go out, and then not again. */
  takeRequest(): bool {
    if (this.handedOut || this.isBroken) return false;
    this.handedOut = true;
    return true;
  }

  /** The phase has another request after all: the next page of a list. */
  askAgain(): void {
    this.handedOut = false;
  }

  fail(): void {
    this.isFailed = true;
  }

  breakOff(): void {
    this.isBroken = true;
  }

  outdate(): void {
    this.isOutdated = true;
  }
}

/** The Job is gone: the sync ends without a trace; answers that are still to come find it gone. */
export function abandonSync(job: Job): void {
  const sync = job.sync;
  if (sync === null) return;
  freeSync(job, sync);
}

/** The sync is over: gives back all that it holds. */
export function freeSync(job: Job, sync: Sync): void {
  job.sync = null;
  dropWork(sync.claims);
  dropWork(sync.victims);
  dropWork(sync.stripped);
  dropWork(sync.finalizers);
  unflagAll(job, sync.uncountedSucceeded, POD_UNCOUNTED_SUCCEEDED);
  unflagAll(job, sync.uncountedFailed, POD_UNCOUNTED_FAILED);
  sync.uncountedSucceeded.free();
  release<UidList>(sync.uncountedSucceeded);
  sync.uncountedFailed.free();
  release<UidList>(sync.uncountedFailed);
  freeBlob(sync.reason);
  freeBlob(sync.message);
  freeBlob(sync.listToken);
  freeGang(sync);
  if (sync.indexes != 0) heap.free(sync.indexes);
  release<Sync>(sync);
}

function unflagAll(job: Job, list: UidList, flag: u32): void {
  for (let i = 0; i < list.length; ++i) {
    const pod = findPod(list.at(i), list.size(i));
    if (pod !== null && pod.job === job) unmarkUncounted(job, pod, flag);
  }
}

// Work lists that were not worked off are let go.
function dropWork(first: Pod | null): void {
  let pod = first;
  while (pod !== null) {
    const next = pod.nextWork;
    releaseWork(pod);
    pod = next;
  }
}

/**
 * Whether the pod may enter a work list of this sync. It may not while it stands in one of another Job's, that had it
 * before or was about to take it: the next sync looks at it again.
 */
export function isFree(sync: Sync, pod: Pod): bool {
  if (!has(pod, POD_IN_WORK)) return true;
  sync.leftBusy = true;
  return false;
}

/** Puts a pod that is free at the head of a work list; the record stays while it is in it. It is in one at most. */
export function holdForWork(pod: Pod, next: Pod | null): Pod {
  pod.flags |= POD_IN_WORK;
  pod.nextWork = next;
  pin(pod);
  return pod;
}

/** The pod is out of the work list. */
export function releaseWork(pod: Pod): void {
  pod.nextWork = null;
  pod.flags &= ~POD_IN_WORK;
  unpin(pod);
}

function freeGang(sync: Sync): void {
  freeBlob(sync.podGroup);
  freeBlob(sync.gangName);
  freeBlob(sync.gangBody);
}
