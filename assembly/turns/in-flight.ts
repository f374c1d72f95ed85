/**
 * The requests that are handed out and not yet settled. Invariant: every id is settled once. A second settle of it is
 * refused.
 */
import { Request } from "../steps/request";

const BUCKETS: u32 = 1024;
const buckets = memory.data(sizeof<usize>() * 1024, 8);
let lastId: f64 = 0;
let underWay: i32 = 0;

/** Registers a request that is sent, and gives it an id. The first id is 1, and each is one more than the last. */
export function addInFlight(request: Request): void {
  request.id = ++lastId;
  const bucket = bucketOf(request.id);
  request.next = load<Request | null>(bucket);
  store<usize>(bucket, changetype<usize>(request));
  ++underWay;
}

/** Removes the request. Null when no request with this id is in flight. The caller must free it. */
export function takeInFlight(id: f64): Request | null {
  if (!(id >= 1) || id > lastId) return null;
  let link = bucketOf(id);
  let request = load<Request | null>(link);
  while (request !== null) {
    if (request.id == id) {
      store<usize>(link, changetype<usize>(request.next));
      --underWay;
      return request;
    }
    link = changetype<usize>(request) + offsetof<Request>("next");
    request = request.next;
  }
  return null;
}

export function requestsUnderWay(): i32 {
  return underWay;
}

function bucketOf(id: f64): usize {
  return buckets + (usize(u64(id) & u64(BUCKETS - 1)) << alignof<usize>());
}
