/**
 * Namespace names. Each is interned and reference-counted, so that a hundred thousand pods of one namespace share one
 * blob. Invariant: a name is in the table if and only if its count is above 0.
 */
import { hashBytes } from "./hash";
import { blobAt, blobIs, blobOf, blobSize, freeBlob } from "./blob";

@unmanaged
class Name {
  blob: usize;
  uses: i32;
  next: Name | null;
}

const BUCKETS: u32 = 1024;
const buckets = memory.data(sizeof<usize>() * 1024, 8);

function bucketOf(ptr: usize, length: u32): usize {
  return buckets + (usize(hashBytes(ptr, length) & (BUCKETS - 1)) << alignof<usize>());
}

/** The blob of this name. The caller must give it back with `releaseName`. */
export function acquireName(ptr: usize, length: u32): usize {
  const bucket = bucketOf(ptr, length);
  let known = load<Name | null>(bucket);
  while (known !== null) {
    if (blobIs(known.blob, ptr, length)) {
      ++known.uses;
      return known.blob;
    }
    known = known.next;
  }
  const name = changetype<Name>(heap.alloc(offsetof<Name>()));
  name.blob = blobOf(ptr, length);
  name.uses = 1;
  name.next = load<Name | null>(bucket);
  store<usize>(bucket, changetype<usize>(name));
  return name.blob;
}

/** Gives back a blob that `acquireName` returned. The last one frees it. */
export function releaseName(blob: usize): void {
  let link = bucketOf(blobAt(blob), blobSize(blob));
  let name = load<Name | null>(link);
  while (name !== null) {
    if (name.blob == blob) {
      if (--name.uses > 0) return;
      store<usize>(link, changetype<usize>(name.next));
      freeBlob(blob);
      heap.free(changetype<usize>(name));
      return;
    }
    link = changetype<usize>(name) + offsetof<Name>("next");
    name = name.next;
  }
  assert(false, "a namespace name was released but is not held");
}
