/**
 * Limits the size of an object to the largest request of etcd, because otherwise patches could make it grow for ever.
 * The size is checked before any other code goes through the object. Leaves out requests from within this process: its
 * components write no large objects.
 */
import type { Json, KubeObject } from "../../values/types.ts";
import type { ResourceRequest } from "../contract/context.ts";
import { plainError } from "../contract/status-errors.ts";

/** The default of etcd's --max-request-bytes, for the object as JSON without escapes. */
export const MAX_OBJECT_BYTES = 1.5 * 1024 * 1024;
/** The size that numbers, true, false and null count with. */
const SCALAR_BYTES = 5;

/** @throws ApiError 500 with the API server's text */
export function refuseTooLarge(object: KubeObject, { content }: ResourceRequest): void {
  if (content === undefined && bytesLeft(object as unknown as Json, MAX_OBJECT_BYTES) < 0)
    throw plainError("etcdserver: request is too large");
}

/** The rest of a number of bytes after a value; stops as soon as nothing is left. */
function bytesLeft(value: Json, left: number): number {
  if (typeof value === "string") return left - value.length - 3;
  if (typeof value !== "object" || value === null) return left - SCALAR_BYTES;
  let rest = left - 2;
  if (Array.isArray(value)) {
    for (let place = 0; place < value.length && rest >= 0; place++) rest = bytesLeft(value[place]!, rest);
    return rest;
  }
  // V8 compiles a recursive for…in that meets many shapes again and again, and is slower than with no compiled code.
  for (const key of Object.keys(value)) {
    if (rest < 0) return rest;
    const member = value[key];
    if (member !== undefined) rest = bytesLeft(member, rest - key.length - 3);
  }
  return rest;
}
