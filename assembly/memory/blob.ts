/**
 * Bytes that the engine keeps. A blob is a heap block of `u32 length` and that many bytes; 0 means "absent". A
 * blob has one owner, who frees it. The JSON reader needs padding behind what it reads: json/blobs.ts makes such blobs.
 */
import { bytesEqual, hashBytes } from "./hash";

/** A copy of these bytes. */
export function blobOf(ptr: usize, length: u32): usize {
  return filled(heap.alloc(4 + length), ptr, length);
}

/** A copy of these bytes, with `padding` bytes behind them that may have any content. */
export function paddedBlobOf(ptr: usize, length: u32, padding: u32): usize {
  return filled(heap.alloc(4 + length + padding), ptr, length);
}

function filled(blob: usize, ptr: usize, length: u32): usize {
  store<u32>(blob, length);
  memory.copy(blob + 4, ptr, length);
  return blob;
}

/** ASCII text as a blob. It is for constants: made once when the module starts, and never freed. */
export function literal(ascii: string): usize {
  const length = u32(ascii.length);
  const blob = heap.alloc(4 + length);
  store<u32>(blob, length);
  for (let i: u32 = 0; i < length; ++i) store<u8>(blob + 4 + i, u8(ascii.charCodeAt(i)));
  return blob;
}

/** The address of the blob's bytes. For an absent blob it must not be read: `blobSize` is 0. */
export function blobAt(blob: usize): usize {
  return blob + 4;
}

/** The number of the blob's bytes; 0 for an absent blob. */
export function blobSize(blob: usize): u32 {
  return blob == 0 ? 0 : load<u32>(blob);
}

/** Whether the blob holds exactly these bytes. An absent blob never does. */
export function blobIs(blob: usize, ptr: usize, length: u32): bool {
  return blob != 0 && load<u32>(blob) == length && bytesEqual(blob + 4, ptr, length);
}

/** Whether two blobs hold the same bytes, or both are absent. */
export function blobsEqual(a: usize, b: usize): bool {
  if (a == 0 || b == 0) return a == b;
  return blobIs(a, b + 4, load<u32>(b));
}

/** A new blob with the same bytes; 0 for an absent blob. */
export function copyOf(blob: usize): usize {
  return blob == 0 ? 0 : blobOf(blob + 4, load<u32>(blob));
}

/** Frees a blob. It does nothing for an absent one. */
export function freeBlob(blob: usize): void {
  if (blob != 0) heap.free(blob);
}

/** Frees a blob whose field lives on: `field = dropBlob(field)`. Returns 0, which is no blob. */
export function dropBlob(blob: usize): usize {
  freeBlob(blob);
  return 0;
}

/** The hash of the blob's bytes; 0 for an absent blob. */
export function hashBlob(blob: usize): u32 {
  return blob == 0 ? 0 : hashBytes(blob + 4, load<u32>(blob));
}

/** The size to cut this UTF-8 text to: at most `most` bytes, without cutting a character. */
export function cutAtCharacter(ptr: usize, size: u32, most: u32): u32 {
  if (size <= most) return size;
  let end = most;
  while (end > 0 && (load<u8>(ptr + end) & 0xc0) == 0x80) --end;
  return end;
}
