/**
 * One request: the record that its answer comes back to, and its bytes in the frame of the poll. A step begins it,
 * writes the path, ends the path, and writes the body, if there is one. The poll ends it. Layout: bindings/ABI.md,
 * "poll". turns/in-flight.ts knows which requests are in flight.
 */
import { beginResult } from "../abi/result";
import { Writer } from "../json/writer";
import { literal } from "../memory/blob";
import { release, zeroed } from "../memory/records";
import { Job, pinJob, unpinJob } from "../model/job";
import { pin, Pod, unpin } from "../model/pod";

export const GET: u32 = 1;
export const POST: u32 = 2;
export const PATCH: u32 = 4;
export const DELETE: u32 = 5;

// ── content types
export const NO_BODY: usize = 0;
export const JSON_TYPE = literal("application/json");
export const MERGE_PATCH_TYPE = literal("application/merge-patch+json");
export const STRATEGIC_PATCH_TYPE = literal("application/strategic-merge-patch+json");

const HEADER_BYTES: u32 = 32;
const METHOD_AT: u32 = 8;
const PART_SIZES_AT: u32 = 12;
const DECISION_AT: u32 = 28;
// The parts of a request, in order.
const PATH: u32 = 0;
const ACCEPT: u32 = 1;
const CONTENT_TYPE: u32 = 2;
const BODY: u32 = 3;

/**
 * A request keeps references to the records that it is about, so its answer finds them even if the object is gone by
 * then.
 */
@unmanaged
export class Request {
  /** The id, which the request gets when it goes out. */
  id: f64;
  job: Job | null;
  /** The pod that the request is about; null for the kinds that are about none. */
  pod: Pod;
  /** A record of the step with what else it needs for the answer; 0: nothing. */
  subject: usize;
  next: Request | null;
  /** The number of the decision that the request carries out; 0: of none. */
  decision: u32;
  /** The place of its step in the table. */
  step: u8;
}

/** The frame, into which paths and bodies are written. */
export const frame: Writer = beginResult();
let requestAt: u32 = 0;
let partAt: u32 = 0;

/** A new request in the frame. The caller writes its path next. */
export function beginRequest(method: u32, job: Job | null, pod: Pod | null): Request {
  requestAt = frame.length;
  const header = frame.grow(HEADER_BYTES);
  memory.fill(header, 0, HEADER_BYTES);
  store<u32>(header + METHOD_AT, method);
  frame.length += HEADER_BYTES;
  partAt = frame.length;
  const request = zeroed<Request>();
  request.job = job;
  if (job !== null) pinJob(job);
  if (pod !== null) {
    request.pod = pod;
    pin(pod);
  }
  return request;
}

/** The path is written. A body of this type follows; NO_BODY: none does. */
export function endPath(contentType: usize): void {
  endPart(PATH);
  frame.blob(JSON_TYPE);
  endPart(ACCEPT);
  frame.blob(contentType);
  endPart(CONTENT_TYPE);
}

/** Everything is written. The next request begins at a multiple of 8 from the start of the frame. */
export function endRequest(request: Request): void {
  endPart(BODY);
  store<f64>(frame.start + requestAt, request.id);
  store<u32>(frame.start + requestAt + DECISION_AT, request.decision);
  // The length word of the result comes before the frame.
  while (((frame.length - 4) & 7) != 0) frame.byte(0);
}

/** The request is settled: lets go of its records, and frees it. */
export function freeRequest(request: Request): void {
  if (changetype<usize>(request.pod) != 0) unpin(request.pod);
  const job = request.job;
  if (job !== null) unpinJob(job);
  release<Request>(request);
}

function endPart(part: u32): void {
  store<u32>(frame.start + requestAt + PART_SIZES_AT + part * 4, frame.length - partAt);
  partAt = frame.length;
}
