/**
 * The requests that are handed out and not yet settled. A request holds the records it is about, so that its answer
 * finds them even when the object is gone by then. Invariant: every id is settled once; another settle of it is
 * refused.
 */
import { NO_INDEX } from "../model/absent";
import { Job, pinJob, unpinJob } from "../model/job";
import { freed, zeroed } from "../memory/records";
import { pin, Pod, unpin } from "../model/pod";
import { Event } from "../events/event-queue";
import { Orphan } from "../queue/orphan-queue";

export const REQUEST_CREATE_POD: u8 = 1;
/** The finalizer of a pod that is to be deleted without being counted. */
export const REQUEST_STRIP_VICTIM: u8 = 2;
export const REQUEST_DELETE_POD: u8 = 3;
export const REQUEST_STATUS: u8 = 4;
export const REQUEST_FINALIZER: u8 = 5;
export const REQUEST_LIST_PODS: u8 = 6;
export const REQUEST_ORPHAN: u8 = 7;
export const REQUEST_EVENT: u8 = 8;
export const REQUEST_READ_JOB: u8 = 9;
export const REQUEST_REMOVE_JOB: u8 = 10;
/** A Workload or a PodGroup is created or read. */
export const REQUEST_GANG: u8 = 11;
/** The Job is read before it adopts pods. */
export const REQUEST_RECHECK: u8 = 12;
export const REQUEST_ADOPT: u8 = 13;
export const REQUEST_RELEASE: u8 = 14;

@unmanaged
export class InFlight {
  id: f64;
  job: Job | null;
  pod: Pod | null;
  orphan: Orphan | null;
  event: Event | null;
  next: InFlight | null;
  completionIndex: i32;
  kind: u8;
}

const BUCKETS: u32 = 1024;
const buckets = memory.data(sizeof<usize>() * 1024, 8);
let lastId: f64 = 0;
let underWay: i32 = 0;

/** A new request; ids count up from 1. */
export function addInFlight(kind: u8, job: Job | null, pod: Pod | null): InFlight {
  const request = zeroed<InFlight>();
  request.id = ++lastId;
  request.kind = kind;
  request.completionIndex = NO_INDEX;
  request.job = job;
  request.pod = pod;
  if (job !== null) pinJob(job);
  if (pod !== null) pin(pod);
  const bucket = bucketOf(request.id);
  request.next = load<InFlight | null>(bucket);
  store<usize>(bucket, changetype<usize>(request));
  ++underWay;
  return request;
}

/** Takes the request out, or returns null when no such request is under way. The caller frees it. */
export function takeInFlight(id: f64): InFlight | null {
  if (!(id >= 1) || id > lastId) return null;
  let link = bucketOf(id);
  let request = load<InFlight | null>(link);
  while (request !== null) {
    if (request.id == id) {
      store<usize>(link, changetype<usize>(request.next));
      --underWay;
      return request;
    }
    link = changetype<usize>(request) + offsetof<InFlight>("next");
    request = request.next;
  }
  return null;
}

export function freeInFlight(request: InFlight): void {
  const pod = request.pod;
  if (pod !== null) unpin(pod);
  const job = request.job;
  if (job !== null) unpinJob(job);
  freed<InFlight>(request);
}

export function requestsUnderWay(): i32 {
  return underWay;
}

function bucketOf(id: f64): usize {
  return buckets + (usize(u64(id) & u64(BUCKETS - 1)) << alignof<usize>());
}
