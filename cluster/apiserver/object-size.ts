/**
 * How large an object may be: as large as etcd takes a request, or patches would make it grow for ever. It is asked
 * before anything else goes through the object. Leaves out what comes from within this process: its components write no
 * large objects.
 */
import type { Json, KubeObject } from "../types.ts";
import type { ResourceRequest } from "./context.ts";
import { plainError } from "./status-errors.ts";

/** As etcd's --max-request-bytes, of the object as JSON without escapes. */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;
/** Of numbers, true, false, null. */
const SCALAR_BYTES = 5;

/** @throws ApiError 500, as the API server says it */
export function refuseTooLarge(object: KubeObject, { content }: ResourceRequest): void {
  if (content === undefined && bytesLeft(object as unknown as Json, MAX_OBJECT_BYTES) < 0)
    throw plainError("etcdserver: request is too large");
}

/** What is left of some bytes behind a value; goes no further once nothing is. */
function bytesLeft(value: Json, left: number): number {
  if (typeof value === "string") return left - value.length - 3;
  if (typeof value !== "object" || value === null) return left - SCALAR_BYTES;
  let rest = left - 2;
  if (Array.isArray(value)) {
    for (let place = 0; place < value.length && rest >= 0; place++) rest = bytesLeft(value[place]!, rest);
    return rest;
  }
  for (const key in value) {
    if (rest < 0) return rest;
    if (value[key] !== undefined) rest = bytesLeft(value[key], rest - key.length - 3);
  }
  return rest;
}
