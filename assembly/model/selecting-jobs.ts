/**
 * Which Jobs may adopt a pod without a controller. Only live Jobs may, and the pod's labels find them. A Job with a
 * generated selector is found by the UID in the label controller-uid, in a hash table. The few Jobs with a custom
 * selector are compared one by one. Invariant: a Job is in this table from its first sight until it is finished or
 * gone. Source: docs/spec/controller.md 2.4 and 2.7.
 */
import { blobsEqual, hashBlob } from "../memory/blob";
import { Job, SELECTS_BY_LABELS, SELECTS_BY_UID, SELECTS_WHAT_IT_CONTROLS } from "./job";
import { matchesLabels } from "./label-selector";
import { Pod } from "./pod";
import { POD_DELETING, POD_GONE, POD_ORPHAN } from "./pod-state";

const BUCKETS: u32 = 4096;
/** Jobs that select by UID, hashed by that UID; and the chain of all others. */
const chains = memory.data(sizeof<usize>() * 4096, 8);
const byLabels = memory.data(sizeof<usize>(), 8);

export function addSelecting(job: Job): void {
  if (job.isSelecting || job.selects == SELECTS_WHAT_IT_CONTROLS) return;
  job.isSelecting = true;
  const chain = chainOf(job);
  job.nextSelecting = load<Job | null>(chain);
  store<usize>(chain, changetype<usize>(job));
}

export function removeSelecting(job: Job): void {
  if (!job.isSelecting) return;
  job.isSelecting = false;
  let at = chainOf(job);
  while (load<Job | null>(at) !== job) at = changetype<usize>(load<Job>(at)) + offsetof<Job>("nextSelecting");
  store<usize>(at, changetype<usize>(job.nextSelecting));
}

/** A Job that may adopt this orphan, after `previous` (null: the first one); null: there is no other. */
export function nextSelecting(pod: Pod, previous: Job | null): Job | null {
  let job = previous === null ? load<Job | null>(chainOfUid(pod.ownerUid)) : previous.nextSelecting;
  let byUid = previous === null || previous.selects == SELECTS_BY_UID;
  while (job !== null || byUid) {
    if (job === null) {
      byUid = false;
      job = load<Job | null>(byLabels);
    } else if (mayAdopt(job, pod)) {
      return job;
    } else {
      job = job.nextSelecting;
    }
  }
  return null;
}

/**
 * Whether the Job may adopt the pod: the pod has no controller, neither of the two is being deleted, this engine runs
 * the Job, and the Job's selector matches.
 */
export function mayAdopt(job: Job, pod: Pod): bool {
  // Each namespace name is stored once, so the addresses can be compared.
  if (
    (pod.flags & (POD_ORPHAN | POD_DELETING | POD_GONE)) != POD_ORPHAN ||
    job.deleting ||
    job.finished ||
    job.managedBy != 0 ||
    job.namespace != pod.namespace
  )
    return false;
  return job.selects == SELECTS_BY_LABELS ? matchesKept(job, pod) : blobsEqual(pod.ownerUid, job.uid);
}

/**
 * Whether the Job's selector matches the labels of a pod that has waited for the Job. The pod names the Job as its
 * controller.
 */
export function selectsKept(job: Job, pod: Pod): bool {
  // If a pod's label says the Job's UID, its labels were not kept: see ingest/selection.ts.
  if (
    pod.evidence == 0 ||
    load<u32>(pod.evidence) == 0 ||
    job.managedBy != 0 ||
    job.selects == SELECTS_WHAT_IT_CONTROLS
  )
    return true;
  return job.selects == SELECTS_BY_LABELS && matchesKept(job, pod);
}

function matchesKept(job: Job, pod: Pod): bool {
  return matchesLabels(job.selector, pod.evidence + 4, load<u32>(pod.evidence));
}

function chainOf(job: Job): usize {
  return job.selects == SELECTS_BY_UID ? chainOfUid(job.uid) : byLabels;
}

function chainOfUid(uid: usize): usize {
  return chains + (usize(hashBlob(uid) & (BUCKETS - 1)) << alignof<usize>());
}
