/**
 * The state of one sync of a Job between the calls of the engine: what it has found, and what is left to do.
 * sync/sync.ts says what a sync does with it, and in which order. A record begins zeroed. The Job holds it until the
 * sync ends.
 */
import { freeBlob } from "../memory/blob";
import { release, zeroed } from "../memory/records";
import { Job, unmarkUncounted } from "./job";
import { findPod, pin, Pod, unpin } from "./pod";
import { has, POD_IN_WORK, POD_UNCOUNTED_FAILED, POD_UNCOUNTED_SUCCEEDED } from "./pod-state";
import { SyncMetrics } from "./sync-metrics";
import { UidList } from "./uid-list";

// ── phases
/** The pods of the Job are listed, because the answer to a POST was lost. */
export const PHASE_LIST: u8 = 1;
/** The Job is read before it adopts pods. */
export const PHASE_RECHECK: u8 = 2;
/** Pods are adopted and released. */
export const PHASE_CLAIM: u8 = 3;
/** A Workload or a PodGroup is created, read or changed before anything is decided about pods. */
export const PHASE_GANG: u8 = 4;
export const PHASE_CREATE: u8 = 5;
export const PHASE_DELETE: u8 = 6;
export const PHASE_FIRST_WRITE: u8 = 7;
export const PHASE_FINALIZERS: u8 = 8;
export const PHASE_SECOND_WRITE: u8 = 9;
/** A finished Job whose TTL has passed is read again. Then it is deleted. */
export const PHASE_READ_AGAIN: u8 = 10;
export const PHASE_REMOVE: u8 = 11;

/** The record of one sync. */
@unmanaged
export class Sync extends SyncMetrics {
  // ── what the status should become
  startTimeMs: f64;
  completionTimeMs: f64;
  /** When the verdict was made in this sync. It becomes the time of the condition. */
  verdictMs: f64;
  /** The backoff allows no creation before this time, on the clock of `now`; 0: it delays none. */
  nextCreationMs: f64;
  /** The longest wait that a server asked for, in milliseconds; 0: none did. */
  retryAfterMs: f64;
  /** The version of the Job that this sync is based on. After an own write it is the version of the answer. */
  baseVersion: u64;
  /** The Job's `foreignVersion` when the counting began, although no pod was in doubt; 0: none (stale-pods.ts). */
  foreignVersion: u64;
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
   * resourceVersion of the list of pods under way (0: none is), and the token of its next page (0: the first page is
   * next).
   */
  listVersion: u64;
  listToken: usize;
  // ── gang scheduling
  /** Name of the PodGroup of the pods; 0: none. */
  podGroup: usize;
  /**
   * The Workload or PodGroup that is being created or changed: its name, the body of the request, and what is known
   * about it (gang/ensure.ts).
   */
  gangName: usize;
  gangBody: usize;
  gangResource: u8;
  gangAnswer: u8;
  /** It is there, and its minCount becomes `gangSize`. */
  resizesGang: bool;
  gangSize: i32;
  /** This sync has changed the minCount of the Workload, or of the PodGroup. */
  resizedWorkload: bool;
  resizedPodGroup: bool;
  // ── creating
  /** The completion indexes to start, i32 each, ascending. */
  indexes: usize;
  indexCount: i32;
  nextIndex: i32;
  /** How many pods are still to be handed out, in this batch and in all. */
  batchLeft: i32;
  toCreate: i32;
  batchSize: i32;
  created: i32;
  createFailures: i32;
  // ── claiming, deleting and finalizers: work lists through nextWork
  /** Pods to adopt or to release. */
  claims: Pod | null;
  victims: Pod | null;
  /** Victims whose finalizer has been removed. */
  stripped: Pod | null;
  deleted: i32;
  deleteFailures: i32;
  finalizers: Pod | null;
  lastFinalizer: Pod | null;
  finalizerFailures: i32;
  /** The numbers of the decision that the sync has made, and of the one that says what it counts; 0: none yet. */
  decision: u32;
  counting: u32;
  /** How many requests of this phase are in flight. */
  outstanding: i32;
  phase: u8;
  verdict: u8;
  /** The condition type that the next write adds, or 0. */
  interim: u8;
  interimIsTrue: bool;
  terminal: u8;
  /** The request of this phase, which has only one, is handed out. */
  handedOut: bool;
  /** The verdict was in the stored conditions already. */
  verdictIsStored: bool;
  /** Some pods of `claims` should be adopted, and the Job may adopt them. */
  adopts: bool;
  /** Victims lose their finalizer before they are deleted, and are not counted. */
  uncountedVictims: bool;
  managed: bool;
  reachedCap: bool;
  /** More pods are missing than one sync may create. */
  moreToCreate: bool;
  /** Finished pods were left for the next sync. */
  leftSome: bool;
  /** Pods were left because another sync has them in a work list. */
  leftBusy: bool;
  /** A request failed. The Job is retried with exponential backoff. */
  isFailed: bool;
  /** A write failed that everything after it depends on. The sync ends with this phase. */
  isBroken: bool;
  /**
   * Another client wrote the Job. What was computed from the older version is not stored, and another sync follows at
   * once.
   */
  isOutdated: bool;

  enter(phase: u8): void {
    this.phase = phase;
    this.handedOut = false;
  }

  /** For a phase that has one request: true when the request may go out. The next call says false. */
  takeRequest(): bool {
    if (this.handedOut || this.isBroken) return false;
    this.handedOut = true;
    return true;
  }

  /** The phase has one more request after all: the next page of a list. */
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

/** A sync of the Job begins. */
export function beginSync(job: Job): Sync {
  const sync = zeroed<Sync>();
  sync.uncountedSucceeded = zeroed<UidList>();
  sync.uncountedFailed = zeroed<UidList>();
  job.sync = sync;
  return sync;
}

/** The Job is gone. The sync ends and records nothing. Later answers find the Job gone. */
export function abandonSync(job: Job): void {
  const sync = job.sync;
  if (sync === null) return;
  freeSync(job, sync);
}

/** The sync is over. Frees all that it holds. */
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

// Empties a work list whose pods were not all worked off.
function dropWork(first: Pod | null): void {
  let pod = first;
  while (pod !== null) {
    const next = pod.nextWork;
    releaseWork(pod);
    pod = next;
  }
}

/**
 * Whether the pod may enter a work list of this sync. It may not while it is in a work list of another Job, which had
 * the pod before or was about to take it. Then the next sync looks at it again.
 */
export function isFree(sync: Sync, pod: Pod): bool {
  if (!has(pod, POD_IN_WORK)) return true;
  sync.leftBusy = true;
  return false;
}

/**
 * Puts a free pod at the head of a work list. A pod is in one work list at most. Its record stays while it is in one.
 */
export function holdForWork(pod: Pod, next: Pod | null): Pod {
  pod.enterWork();
  pod.nextWork = next;
  pin(pod);
  return pod;
}

/** The pod has left its work list. */
export function releaseWork(pod: Pod): void {
  pod.nextWork = null;
  pod.leaveWork();
  unpin(pod);
}

function freeGang(sync: Sync): void {
  freeBlob(sync.podGroup);
  freeBlob(sync.gangName);
  freeBlob(sync.gangBody);
}
