/** Blobs and the JSON reader: a string that it has read becomes a blob, and a blob is made that it can read. */
import { blobOf, freeBlob, paddedBlobOf } from "../memory/blob";
import { PADDING, stringAt, stringSize } from "./reader";

/**
 * The string that the JSON reader has just read, in place of an earlier one: of a member that stands twice in an object
 * the last counts.
 */
export function stringRead(earlier: usize): usize {
  freeBlob(earlier);
  return blobOf(stringAt(), stringSize());
}

/** A copy of these bytes that the JSON reader may read. */
export function documentOf(ptr: usize, length: u32): usize {
  return paddedBlobOf(ptr, length, PADDING);
}
