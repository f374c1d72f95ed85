/**
 * One Job as the engine keeps it: what its spec and stored status say, its pods, and counters over the pods. Every pod
 * event keeps the counters up to date, so that a sync reads numbers instead of pods.
 *
 * Invariant: `active`, `ready`, `terminating`, `holding`, `restarts`, the index table and the list of finished pods
 * equal what a walk over `pods` would compute. Only `attachPod`, `detachPod` and a change between `beforeChange` and
 * `afterChange` touch them. A finished Job keeps its identity and its conditions and nothing else.
 */
import { ABSENT, NO_INDEX } from "./absent";
import { BackoffRecord } from "./backoff";
import { hashBytes } from "../memory/hash";
import { IntervalSet } from "../intervals/intervals";
import { ACTION_IGNORE, PodFailurePolicy } from "./pod-failure-policy";
import { SuccessPolicy } from "./success-policy";
import { Due } from "./due";
import { Sync } from "./sync";
import { EventGroup, freeEventGroups } from "./event-group";
import { blobAt, blobIs, blobSize, dropBlob, freeBlob } from "../memory/blob";
import { Condition, findTerminal, freeConditions, keepOnly } from "./condition";
import { IndexTable } from "./index-table";
import { insideAt, release, zeroed, zeroedAround } from "../memory/records";
import { releaseName } from "../memory/names";
import {
  has,
  holdsFinalizer,
  isActive,
  isFailed,
  isTerminating,
  isUncounted,
  PHASE_PENDING,
  PHASE_RUNNING,
  PHASE_SUCCEEDED,
  POD_DELAYED,
  POD_REMOVAL_REQUESTED,
  POD_UNCOUNTED_FAILED,
  POD_UNCOUNTED_SUCCEEDED,
} from "./pod-state";
import { linkPod, Pod, unlinkPod } from "./pod";
import { JobSpec } from "./job-spec";
import { dropTemplate, PodTemplate } from "./pod-template";
import { RecentDecisions } from "./recent-decisions";
import { UidList } from "./uid-list";

/** The record of one Job. It lives until the Job is gone and no request holds it. */
@unmanaged
export class Job extends Due {
  resourceVersion: u64;
  generation: i64;
  // ── status as stored; times in wall-clock milliseconds, NaN: absent
  startTimeMs: f64;
  completionTimeMs: f64;
  /** metadata.deletionTimestamp: when the deletion was requested; NaN: it was not. */
  deletionMs: f64;
  /** About when the Job was created, on the clock of `now`. */
  createdMs: f64;
  // ── queue
  /** The token bucket of syncs that pod events cause: tokens left, and the time at which that number was computed. */
  syncTokens: f64;
  syncTokensAtMs: f64;
  /** The token buckets of Normal and Warning events: tokens left, and the time at which those numbers were computed. */
  normalEventTokens: f64;
  warningEventTokens: f64;
  eventTokensAtMs: f64;
  /** When the Job is retried after a failure, on the clock of `now`. Undefined while `requeues` is 0. */
  retryMs: f64;
  /** No sync begins before this time, because the server asked for that (Retry-After). On the clock of `now`. */
  notBeforeMs: f64;
  /**
   * No pods are created until the pod source has reached this version. The answer to a POST was lost, and no list shows
   * all pods of the Job. 0: nothing is unclear.
   */
  podsUnclearUntilVersion: u64;
  /**
   * The version of the status in which another client counted pods; 0: none did. See sync/stale-pods.ts.
   */
  foreignVersion: u64;
  /** How many lists the source of its pods had taken when the wait for `foreignVersion` began. */
  foreignListsTaken: u32;
  // ── identity
  namespace: usize;
  name: usize;
  uid: usize;
  nextByKey: Job | null;
  /** The next Job in the queue of those that have requests to hand out. */
  nextReady: Job | null;
  keyHash: u32;
  listEpoch: u32;
  // ── spec
  /** The policies, and the JSON that they were read from. */
  podFailurePolicy: PodFailurePolicy | null;
  podFailurePolicyText: usize;
  successPolicy: SuccessPolicy | null;
  successPolicyText: usize;
  // For gang scheduling; 0 while it is off.
  /** The JSON of spec.scheduling; 0: it is not given. */
  scheduling: usize;
  /** The controlling owner, as Workloads refer to it (model/gang-objects.ts); 0: the Job has none. */
  parent: usize;
  /** The name of the template by which that owner has delegated the PodGroup; 0: it has delegated nothing. */
  groupTemplate: usize;
  /** Canonical JSON of spec.template. `podTemplate` is rendered from it lazily, when the first pod is created. */
  template: usize;
  podTemplate: PodTemplate | null;
  /** Who manages the Job; 0: this engine does. */
  managedBy: usize;
  /** spec.selector, compiled. Only for a Job that SELECTS_BY_LABELS. */
  selector: usize;
  /** The next of the Jobs that may adopt pods: see selecting-jobs.ts. */
  nextSelecting: Job | null;
  // ── status as stored
  storedActive: i32;
  storedReady: i32;
  storedTerminating: i32;
  storedSucceeded: i32;
  storedFailed: i32;
  completedText: usize;
  /** 0: the field is absent. */
  failedText: usize;
  conditions: Condition | null;
  liveUncountedSucceeded: UidList | null;
  liveUncountedFailed: UidList | null;
  // ── pods
  pods: Pod | null;
  firstFinished: Pod | null;
  lastFinished: Pod | null;
  podCount: i32;
  finishedCount: i32;
  active: i32;
  ready: i32;
  terminating: i32;
  /** How many pods hold the finalizer without a requested removal. */
  holding: i32;
  /** The sum of container restarts of pods that are Pending or Running. */
  restarts: i32;
  indexes: IndexTable | null;
  /** The completion indexes of terminating pods. */
  terminatingIndexes: IndexTable | null;
  liveCompleted: IntervalSet | null;
  liveFailed: IntervalSet | null;
  /**
   * The size of `completed` when it was last compared with `completedText`, or NOT_COMPARED. One number is enough: the
   * set only grows until the text is read again.
   */
  comparedCount: i32;
  liveBackoff: BackoffRecord | null;
  /** What the metrics have counted for this Job: pods or, for an Indexed Job, completion indexes. */
  countedSucceeded: i32;
  countedFailed: i32;
  countedFailedIndexes: i32;
  /**
   * Failed pods that keep their finalizer until a successor has started, by completion index; and how many of them
   * count as failures.
   */
  delayed: IndexTable | null;
  delayedCounted: i32;
  /** A pod has failed in a way that fails the Job. This is the message of the condition. */
  failJobMessage: usize;
  /** The last message that a pod gave for its wait, and the code of its reason: see wait-reasons.ts. */
  waitMessage: usize;
  waitCode: u8;
  // ── sync
  sync: Sync | null;
  trace: RecentDecisions;
  eventGroups: EventGroup | null;
  /**
   * Why an object of this Job could not be read, the UID of that object, and the list that showed it. Nothing is done
   * for the Job until the object can be read.
   */
  unreadable: usize;
  unreadableUid: usize;
  unreadableEpoch: u32;
  requeues: i32;
  /** How many requests in flight hold the record. */
  pins: i32;
  /** The id of the source that shows the Job. */
  source: u8;
  deleting: bool;
  finished: bool;
  /** status.uncountedTerminatedPods is there. */
  hasUncounted: bool;
  /** The result of the comparison at `comparedCount`. */
  comparedEqual: bool;
  /** `completed` has to be read from `completedText` again. */
  completedIsStale: bool;
  /** `failed` has to be read from `failedText` again. */
  failedIsStale: bool;
  /** Its pods have to be listed, because the answer to a POST was lost. */
  podsUnclear: bool;
  /** Before `foreignVersion`, the engine knew nothing about its pods. */
  foreignIsFirst: bool;
  /** A sync has waited for the pods of `foreignVersion`. */
  awaitsForeignVersion: bool;
  gone: bool;
  /** Why its pods get no PodGroup, as last reported; 0: they get one, or none was needed yet. */
  gangFallback: u8;
  inReadyQueue: bool;
  /** Something happened during the sync that needs another sync. */
  syncAgain: bool;
  /** How it selects its pods: SELECTS_*. */
  selects: u8;
  /** There may be pods to adopt or to release. */
  mayClaim: bool;
  /** It is in the list of Jobs that may adopt pods (selecting-jobs.ts). */
  isSelecting: bool;

  /** What the spec says in plain values. */
  get spec(): JobSpec {
    return changetype<JobSpec>(insideAt<Job>(this));
  }

  /** There may be pods to adopt or to release: the next sync looks for them. */
  expectClaims(): void {
    this.mayClaim = true;
  }

  /** A sync looks for them now. */
  beginClaims(): void {
    this.mayClaim = false;
  }

  // These exist for every live Job. A finished Job has none (see the invariant above); the check is here, so that
  // callers need none.

  /** The indexes that are known to have succeeded: those of the stored text, and those of pods that succeeded since. */
  get completed(): IntervalSet {
    return this.liveCompleted!;
  }

  /** The indexes that have failed for good, in a Job with backoffLimitPerIndex. */
  get failed(): IntervalSet {
    return this.liveFailed!;
  }

  get uncountedSucceeded(): UidList {
    return this.liveUncountedSucceeded!;
  }

  get uncountedFailed(): UidList {
    return this.liveUncountedFailed!;
  }

  get backoff(): BackoffRecord {
    return this.liveBackoff!;
  }
}

// How a Job selects its pods by their labels. WHAT_IT_CONTROLS: no selector is known, so only pods that name the Job
// are its own. BY_UID: the label controller-uid must be the Job's UID, as in generated selectors. BY_LABELS: `selector`
// must match.
export const SELECTS_WHAT_IT_CONTROLS: u8 = 0;
export const SELECTS_BY_UID: u8 = 1;
export const SELECTS_BY_LABELS: u8 = 2;

/** The text or the set has been replaced since the last comparison. */
export const NOT_COMPARED: i32 = -1;

let buckets: usize = 0;
let bucketCount: u32 = 0;
let jobs: i32 = 0;

export function jobCount(): i32 {
  return jobs;
}

function keyHashOf(namespace: usize, namespaceLength: u32, name: usize, nameLength: u32): u32 {
  return hashBytes(namespace, namespaceLength) * 31 + hashBytes(name, nameLength);
}

/** The Job with this name, or null. */
export function findJob(namespace: usize, namespaceLength: u32, name: usize, nameLength: u32): Job | null {
  if (bucketCount == 0) return null;
  const hash = keyHashOf(namespace, namespaceLength, name, nameLength);
  let job = load<Job | null>(bucket(hash));
  while (job !== null) {
    if (job.keyHash == hash && blobIs(job.name, name, nameLength) && blobIs(job.namespace, namespace, namespaceLength))
      return job;
    job = job.nextByKey;
  }
  return null;
}

/** A new Job in the table. It takes ownership of the blobs. */
export function addJob(namespace: usize, name: usize, uid: usize): Job {
  if (u32(jobs) >= bucketCount) growTable();
  const job = zeroedAround<Job, JobSpec>();
  job.namespace = namespace;
  job.name = name;
  job.uid = uid;
  job.keyHash = keyHashOf(blobAt(namespace), blobSize(namespace), blobAt(name), blobSize(name));
  job.startTimeMs = NaN;
  job.completionTimeMs = NaN;
  job.deletionMs = NaN;
  job.storedReady = ABSENT;
  job.storedTerminating = ABSENT;
  job.spec.clear();
  job.liveUncountedSucceeded = zeroed<UidList>();
  job.liveUncountedFailed = zeroed<UidList>();
  job.liveCompleted = zeroed<IntervalSet>();
  job.liveFailed = zeroed<IntervalSet>();
  job.comparedCount = NOT_COMPARED;
  job.liveBackoff = zeroed<BackoffRecord>();
  job.trace = zeroed<RecentDecisions>();
  link(job);
  ++jobs;
  return job;
}

/**
 * Takes the Job out of the table. Its pods must be detached, and it must wait for nothing. The record is freed now or,
 * while requests hold it, with the last of them.
 */
export function removeJob(job: Job): void {
  let at = bucket(job.keyHash);
  while (load<Job | null>(at) !== job) at = changetype<usize>(load<Job>(at)) + offsetof<Job>("nextByKey");
  store<usize>(at, changetype<usize>(job.nextByKey));
  --jobs;
  job.gone = true;
  if (job.pins == 0) freeRecord(job);
}

/** A request holds the record: it stays until `unpinJob`, even if the Job goes. */
export function pinJob(job: Job): void {
  ++job.pins;
}

/** A request no longer holds the record. The last one frees it, if the Job is gone. */
export function unpinJob(job: Job): void {
  if (--job.pins == 0 && job.gone) freeRecord(job);
}

/** Calls `visit` for every Job in the table. `visit` may remove the Job that it is given. */
export function forEachJob(visit: (job: Job, argument: u64) => void, argument: u64): void {
  for (let i: u32 = 0; i < bucketCount; ++i) {
    let job = load<Job | null>(buckets + (usize(i) << alignof<usize>()));
    while (job !== null) {
      const next = job.nextByKey;
      visit(job, argument);
      job = next;
    }
  }
}

/** Frees what only a live Job needs. Its pods must be detached. */
export function freeLiveState(job: Job): void {
  job.template = dropBlob(job.template);
  dropTemplate(job);
  freeIndexes(job.indexes);
  job.indexes = null;
  freeIndexes(job.terminatingIndexes);
  job.terminatingIndexes = null;
  freeIntervals(job.liveCompleted);
  job.liveCompleted = null;
  freeIntervals(job.liveFailed);
  job.liveFailed = null;
  job.completedText = dropBlob(job.completedText);
  job.failedText = dropBlob(job.failedText);
  freeIndexes(job.delayed);
  job.delayed = null;
  job.failJobMessage = dropBlob(job.failJobMessage);
  job.waitMessage = dropBlob(job.waitMessage);
  const podFailurePolicy = job.podFailurePolicy;
  if (podFailurePolicy !== null) podFailurePolicy.free();
  job.podFailurePolicy = null;
  job.podFailurePolicyText = dropBlob(job.podFailurePolicyText);
  const successPolicy = job.successPolicy;
  if (successPolicy !== null) successPolicy.free();
  job.successPolicy = null;
  job.successPolicyText = dropBlob(job.successPolicyText);
  job.scheduling = dropBlob(job.scheduling);
  job.parent = dropBlob(job.parent);
  job.groupTemplate = dropBlob(job.groupTemplate);
  freeUids(job.liveUncountedSucceeded);
  job.liveUncountedSucceeded = null;
  freeUids(job.liveUncountedFailed);
  job.liveUncountedFailed = null;
  const backoff = job.liveBackoff;
  if (backoff !== null) release<BackoffRecord>(backoff);
  job.liveBackoff = null;
  freeEventGroups(job.eventGroups);
  job.eventGroups = null;
  job.selector = dropBlob(job.selector);
}

function freeIntervals(set: IntervalSet | null): void {
  if (set === null) return;
  set.free();
  release<IntervalSet>(set);
}

function freeUids(uids: UidList | null): void {
  if (uids === null) return;
  uids.free();
  release<UidList>(uids);
}

function freeIndexes(indexes: IndexTable | null): void {
  if (indexes === null) return;
  indexes.free();
  release<IndexTable>(indexes);
}

/**
 * Keeps only the condition that ended the Job. A finished Job is described by that; its history has been handed out.
 */
export function keepOnlyResult(job: Job): void {
  const result = findTerminal(job.conditions);
  if (result !== null) job.conditions = keepOnly(job.conditions, result);
  job.trace.free();
}

function freeRecord(job: Job): void {
  freeLiveState(job);
  freeConditions(job.conditions);
  job.trace.free();
  release<RecentDecisions>(job.trace);
  freeBlob(job.managedBy);
  freeBlob(job.unreadable);
  freeBlob(job.unreadableUid);
  freeBlob(job.name);
  freeBlob(job.uid);
  releaseName(job.namespace);
  release<Job>(job);
}

// ── pods ────────────────────────────────────────────────────────────────────────────────────────────

/** The pod belongs to this Job from now on. It must be in no other list. */
export function attachPod(job: Job, pod: Pod): void {
  pod.job = job;
  forgetOtherJob(job, pod);
  linkPod(listOfPods(job), pod);
  ++job.podCount;
  count(job, pod, 1);
  occupy(job, pod);
}

// Forgets what another Job, or an earlier sync of this Job, has noted with the pod. If the sync under way has the UID
// in a list, the pod gets the flag of that list.
function forgetOtherJob(job: Job, pod: Pod): void {
  const wasUncounted = isUncounted(pod);
  pod.changeJob();
  const sync = job.sync;
  if (!wasUncounted || sync === null) return;
  if (sync.uncountedSucceeded.has(blobAt(pod.uid), blobSize(pod.uid))) pod.enterUncounted(POD_UNCOUNTED_SUCCEEDED);
  if (sync.uncountedFailed.has(blobAt(pod.uid), blobSize(pod.uid))) pod.enterUncounted(POD_UNCOUNTED_FAILED);
}

/** The pod no longer belongs to the Job. The caller puts it in another list, or removes it. */
export function detachPod(job: Job, pod: Pod): void {
  if (has(pod, POD_DELAYED)) endDelay(job, pod);
  count(job, pod, -1);
  vacate(job, pod, occupation(pod), pod.completionIndex, false);
  // The pod may be an uncounted success. Its index has to be started again.
  const indexes = job.indexes;
  if (indexes !== null && !isActive(pod) && holdsFinalizer(pod) && pod.completionIndex != NO_INDEX)
    indexes.giveBack(pod.completionIndex);
  unlinkPod(listOfPods(job), pod);
  pod.job = null;
  --job.podCount;
}

function listOfPods(job: Job): usize {
  return changetype<usize>(job) + offsetof<Job>("pods");
}

let oldOccupation: u8 = 0;
let wasSuccess = false;
let oldIndex = NO_INDEX;

/** Call this before facts of a pod of this Job change. No other pod may change before `afterChange`. */
export function beforeChange(job: Job, pod: Pod): void {
  count(job, pod, -1);
  oldOccupation = occupation(pod);
  wasSuccess = isUncountedSuccess(pod);
  oldIndex = pod.completionIndex;
}

/** Call this after they have changed. */
export function afterChange(job: Job, pod: Pod): void {
  count(job, pod, 1);
  // A success has lost its finalizer before it was counted, as a surplus pod does, or has lost its index. That index is
  // to be started again.
  const indexes = job.indexes;
  if (
    wasSuccess &&
    (!holdsFinalizer(pod) || oldIndex != pod.completionIndex) &&
    oldIndex != NO_INDEX &&
    indexes !== null &&
    !job.completed.contains(oldIndex)
  )
    indexes.giveBack(oldIndex);
  if (oldOccupation == occupation(pod) && oldIndex == pod.completionIndex) return;
  // A success that now has another index says nothing about the old one.
  vacate(job, pod, oldOccupation, oldIndex, isUncountedSuccess(pod) && oldIndex == pod.completionIndex);
  occupy(job, pod);
}

/** The rule that says when a pod has failed has changed. Recomputes which pods have to be counted. */
export function recountFinished(job: Job): void {
  for (let first = job.firstFinished; first !== null; first = job.firstFinished) unlinkFinished(job, first);
  let pod = job.pods;
  while (pod !== null) {
    if (awaitsRemoval(pod) && awaitsAccounting(job, pod)) linkFinished(job, pod);
    pod = pod.next;
  }
}

// How a pod holds its completion index. That a terminating pod holds it matters only in Jobs that replace a pod after
// it has ended.
const OCCUPIES_NOTHING: u8 = 0;
const OCCUPIES_AS_ACTIVE: u8 = 1;
const OCCUPIES_AS_TERMINATING: u8 = 2;

function isUncountedSuccess(pod: Pod): bool {
  return pod.phase == PHASE_SUCCEEDED && holdsFinalizer(pod);
}

function occupation(pod: Pod): u8 {
  if (isActive(pod)) return OCCUPIES_AS_ACTIVE;
  return isTerminating(pod) ? OCCUPIES_AS_TERMINATING : OCCUPIES_NOTHING;
}

function occupy(job: Job, pod: Pod): void {
  const indexes = job.indexes;
  if (indexes === null) return;
  const how = occupation(pod);
  if (how == OCCUPIES_AS_ACTIVE) {
    indexes.insert(pod);
    // The Job may have become smaller since this pod was started.
    if (pod.completionIndex >= job.spec.completions) indexes.mayBeOutOfRange = true;
    const predecessor = delayedPod(job, pod.completionIndex);
    if (predecessor !== null) {
      endDelay(job, predecessor);
      if (job.sync !== null) predecessor.markReplacedNow();
    }
  } else if (how == OCCUPIES_AS_TERMINATING) job.terminatingIndexes!.insert(pod);
}

// ── delayed pods (backoffLimitPerIndex) ─────────────────────────────────────────────────────────────

/**
 * Keeps a failed pod with its finalizer until its index has an active pod, or needs none. The pod must be in no work
 * list of a sync.
 */
export function delayPod(job: Job, pod: Pod): void {
  count(job, pod, -1);
  pod.markDelayed();
  count(job, pod, 1);
  if (job.delayed === null) job.delayed = zeroed<IndexTable>();
  job.delayed!.insertAlone(pod);
  if (isCountedAsDelayed(pod)) ++job.delayedCounted;
}

// Whether a delayed pod counts in `delayedCounted`. A pod whose UID is in a list of uncounted UIDs, which only another
// client can have written, is counted with that list.
function isCountedAsDelayed(pod: Pod): bool {
  return pod.policyAction != ACTION_IGNORE && !isUncounted(pod);
}

/** Sets the flag that says which list of uncounted UIDs the pod is in. It stays for the time of one sync. */
export function markUncounted(job: Job, pod: Pod, flag: u32): void {
  if (has(pod, POD_DELAYED) && isCountedAsDelayed(pod)) --job.delayedCounted;
  pod.enterUncounted(flag);
}

/** Clears one of these flags, or both. */
export function unmarkUncounted(job: Job, pod: Pod, flag: u32): void {
  const isMarked = has(pod, flag);
  pod.leaveUncounted(flag);
  if (isMarked && has(pod, POD_DELAYED) && isCountedAsDelayed(pod)) ++job.delayedCounted;
}

/** The pod that is delayed for this index, or null. */
export function delayedPod(job: Job, index: i32): Pod | null {
  const delayed = job.delayed;
  return delayed === null ? null : delayed.firstOf(index);
}

/** The index has an active pod, or needs none. Its delayed pod is now counted like every other. */
export function endDelayOf(job: Job, index: i32): void {
  const pod = delayedPod(job, index);
  if (pod !== null) endDelay(job, pod);
}

/** No pod of the Job waits for a successor any more. */
export function endAllDelays(job: Job): void {
  let pod = job.pods;
  while (pod !== null) {
    if (has(pod, POD_DELAYED)) endDelay(job, pod);
    pod = pod.next;
  }
}

/** The pod no longer waits for a successor, and will not wait again. */
export function endDelay(job: Job, pod: Pod): void {
  job.delayed!.removeAlone(pod);
  if (isCountedAsDelayed(pod)) --job.delayedCounted;
  count(job, pod, -1);
  pod.endDelay();
  count(job, pod, 1);
}

// The pod held `index` in the way that `how` says, and no longer does. `done`: the index needs no other pod.
function vacate(job: Job, pod: Pod, how: u8, index: i32, done: bool): void {
  const indexes = job.indexes;
  if (indexes === null || how == OCCUPIES_NOTHING) return;
  if (how == OCCUPIES_AS_ACTIVE) indexes.remove(pod, index, done);
  else job.terminatingIndexes!.remove(pod, index, true);
  // The index was skipped because of the terminating pod. It is pending again.
  if (how == OCCUPIES_AS_TERMINATING && index != NO_INDEX && !done && !indexes.isHeld(index)) indexes.giveBack(index);
}

function count(job: Job, pod: Pod, sign: i32): void {
  if (isActive(pod)) {
    job.active += sign;
    if (pod.ready) job.ready += sign;
  } else if (isTerminating(pod)) {
    job.terminating += sign;
  }
  if (pod.phase == PHASE_PENDING || pod.phase == PHASE_RUNNING) job.restarts += sign * pod.restarts;
  if (!awaitsRemoval(pod)) return;
  job.holding += sign;
  if (!awaitsAccounting(job, pod)) return;
  if (sign > 0) linkFinished(job, pod);
  else unlinkFinished(job, pod);
}

/** Whether the pod holds its finalizer and no removal is requested. */
export function awaitsRemoval(pod: Pod): bool {
  return holdsFinalizer(pod) && !has(pod, POD_REMOVAL_REQUESTED);
}

/** Whether the next sync counts a pod that awaits removal: it has ended, and does not wait for its successor. */
function awaitsAccounting(job: Job, pod: Pod): bool {
  return (pod.phase == PHASE_SUCCEEDED || isFailed(pod, job.spec.onlyReplaceFailed)) && !has(pod, POD_DELAYED);
}

function linkFinished(job: Job, pod: Pod): void {
  const last = job.lastFinished;
  pod.previousFinished = last;
  pod.nextFinished = null;
  if (last !== null) last.nextFinished = pod;
  else job.firstFinished = pod;
  job.lastFinished = pod;
  ++job.finishedCount;
}

function unlinkFinished(job: Job, pod: Pod): void {
  const before = pod.previousFinished;
  const after = pod.nextFinished;
  if (before !== null) before.nextFinished = after;
  else job.firstFinished = after;
  if (after !== null) after.previousFinished = before;
  else job.lastFinished = before;
  pod.nextFinished = null;
  pod.previousFinished = null;
  --job.finishedCount;
}

/** Begins to keep indexes, for a Job that turned out to be Indexed. */
export function keepIndexes(job: Job): void {
  if (job.indexes !== null) return;
  job.indexes = zeroed<IndexTable>();
  job.terminatingIndexes = zeroed<IndexTable>();
  let pod = job.pods;
  while (pod !== null) {
    occupy(job, pod);
    pod = pod.next;
  }
}

// ── table ───────────────────────────────────────────────────────────────────────────────────────────

function bucket(hash: u32): usize {
  return buckets + (usize(hash & (bucketCount - 1)) << alignof<usize>());
}

function link(job: Job): void {
  const at = bucket(job.keyHash);
  job.nextByKey = load<Job | null>(at);
  store<usize>(at, changetype<usize>(job));
}

function growTable(): void {
  const old = buckets;
  const oldCount = bucketCount;
  bucketCount = max(64, bucketCount * 2);
  const bytes = usize(bucketCount) << alignof<usize>();
  buckets = heap.alloc(bytes);
  memory.fill(buckets, 0, bytes);
  for (let i: u32 = 0; i < oldCount; ++i) {
    let job = load<Job | null>(old + (usize(i) << alignof<usize>()));
    while (job !== null) {
      const next = job.nextByKey;
      link(job);
      job = next;
    }
  }
  if (old != 0) heap.free(old);
}
