/**
 * Finalizers to be removed outside a sync: from pods whose Job is gone, finished, or never was. One patch a pod, at
 * once, tried again with the delays of the Job queue until it works or the pod is gone. Source: docs/spec/controller.md
 * 2.6.
 */
import { noteQueued, noteRetry } from "../metrics/observe";
import { release, zeroed } from "../memory/records";
import { has, holdsFinalizer, pin, Pod, POD_GONE, POD_IN_ORPHAN_QUEUE, POD_UNSELECTED, unpin } from "../model/pod";
import { nextSelecting } from "../model/selecting-jobs";
import { now } from "../time/now";
import { dueNoLaterThan } from "./due-heap";
import { Due, DUE_FINALIZER } from "../model/due";
import { retryDelayMs } from "./job-queue";

@unmanaged
export class Orphan extends Due {
  pod: Pod;
  nextReady: Orphan | null;
  failures: i32;
}

let firstReady: Orphan | null = null;
let lastReady: Orphan | null = null;

export function enqueueOrphan(pod: Pod): void {
  if (has(pod, POD_IN_ORPHAN_QUEUE)) return;
  pod.flags |= POD_IN_ORPHAN_QUEUE;
  pin(pod);
  const orphan = zeroed<Orphan>();
  orphan.dueKind = DUE_FINALIZER;
  orphan.pod = pod;
  noteQueued(DUE_FINALIZER);
  makeReady(orphan);
}

/** The next finalizer to remove, or null. The caller settles it with `orphanDone` or `orphanFailed`. */
export function nextOrphan(): Orphan | null {
  for (let orphan = firstReady; orphan !== null; orphan = firstReady) {
    firstReady = orphan.nextReady;
    if (firstReady === null) lastReady = null;
    const pod = orphan.pod;
    // A Job has appeared that adopts it: it keeps its finalizer.
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

export function orphanDone(orphan: Orphan): void {
  orphan.pod.flags &= ~POD_IN_ORPHAN_QUEUE;
  unpin(orphan.pod);
  release<Orphan>(orphan);
}

/** `atLeastMs`: what the server asked for. */
export function orphanFailed(orphan: Orphan, atLeastMs: f64): void {
  noteRetry(DUE_FINALIZER);
  dueNoLaterThan(orphan, now() + max(atLeastMs, retryDelayMs(orphan.failures++)));
}

/** Its delay is over, or it is new. */
export function makeReady(orphan: Orphan): void {
  orphan.nextReady = null;
  const before = lastReady;
  if (before === null) firstReady = orphan;
  else before.nextReady = orphan;
  lastReady = orphan;
}
