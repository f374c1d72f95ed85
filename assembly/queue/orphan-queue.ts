/**
 * Finalizers to be removed outside a sync: those of pods whose Job is gone, finished, or never was. Each pod gets one
 * patch at a time. It is retried with the backoff of the Job queue, until it succeeds or the pod is gone. Source:
 * docs/spec/controller.md 2.6.
 */
import { noteQueued, noteRetry } from "../metrics/observe";
import { release, zeroed } from "../memory/records";
import { has, holdsFinalizer, POD_GONE, POD_IN_ORPHAN_QUEUE, POD_UNSELECTED } from "../model/pod-state";
import { pin, Pod, unpin } from "../model/pod";
import { nextSelecting } from "../model/selecting-jobs";
import { now } from "../time/now";
import { dueNoLaterThan } from "./due-heap";
import { Due, DUE_FINALIZER } from "../model/due";
import { retryDelayMs } from "./job-queue";

/** A pod whose finalizer has to be removed. */
@unmanaged
export class Orphan extends Due {
  pod: Pod;
  nextReady: Orphan | null;
  failures: i32;
}

let firstReady: Orphan | null = null;
let lastReady: Orphan | null = null;

/** Queues the removal of the pod's finalizer, unless it is queued already. */
export function enqueueOrphan(pod: Pod): void {
  if (has(pod, POD_IN_ORPHAN_QUEUE)) return;
  pod.enterOrphanQueue();
  pin(pod);
  const orphan = zeroed<Orphan>();
  orphan.dueKind = DUE_FINALIZER;
  orphan.pod = pod;
  noteQueued(DUE_FINALIZER);
  makeReady(orphan);
}

/** The next finalizer to remove, or null. The caller must settle it with `orphanDone` or `orphanFailed`. */
export function nextOrphan(): Orphan | null {
  for (let orphan = firstReady; orphan !== null; orphan = firstReady) {
    firstReady = orphan.nextReady;
    if (firstReady === null) lastReady = null;
    const pod = orphan.pod;
    // If a Job has appeared that may adopt the pod, the pod keeps its finalizer.
    if (
      !has(pod, POD_GONE) &&
      holdsFinalizer(pod) &&
      pod.job === null &&
      !has(pod, POD_UNSELECTED) &&
      nextSelecting(pod, null) === null
    )
      return orphan;
    orphanDone(orphan);
  }
  return null;
}

/** The finalizer is off, or need not be removed: the pod leaves the queue. */
export function orphanDone(orphan: Orphan): void {
  orphan.pod.leaveOrphanQueue();
  unpin(orphan.pod);
  release<Orphan>(orphan);
}

/** The removal failed. It is tried again later. `atLeastMs` is the wait that the server asked for; 0: none. */
export function orphanFailed(orphan: Orphan, atLeastMs: f64): void {
  noteRetry(DUE_FINALIZER);
  dueNoLaterThan(orphan, now() + max(atLeastMs, retryDelayMs(orphan.failures++)));
}

/** The item may be handed out: it is new, or its delay is over. */
export function makeReady(orphan: Orphan): void {
  orphan.nextReady = null;
  const before = lastReady;
  if (before === null) firstReady = orphan;
  else before.nextReady = orphan;
  lastReady = orphan;
}
