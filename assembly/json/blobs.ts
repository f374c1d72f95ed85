/** Blobs and the JSON reader: a string that was read becomes a blob, and a blob is made that the reader can read. */
import { blobOf, freeBlob, paddedBlobOf } from "../memory/blob";
import { PADDING, stringAt, stringSize } from "./reader";

/**
 * The string that the reader has just read, as a blob in place of an earlier one, which is freed. If a member is there
 * twice in an object, the last one counts.
 */
export function stringRead(earlier: usize): usize {
  freeBlob(earlier);
  return blobOf(stringAt(), stringSize());
}

/** A copy of these bytes, with the padding that the reader needs. */
export function documentOf(ptr: usize, length: u32): usize {
  return paddedBlobOf(ptr, length, PADDING);
}
