/**
 * The hash of the engine's tables, 32 bits over bytes, and the comparison of bytes; both take eight bytes a step. The
 * result depends on every byte and on their number, and not on their address. The hash is not keyed and not
 * cryptographic: a table must stay correct, if slower, when keys collide.
 */

const K0: u64 = 0x9e3779b97f4a7c15;
const K1: u64 = 0xd6e8feb86659fd93;

/** The hash of `length` bytes at `at`. Any length is allowed, 0 included. No alignment is needed. */
export function hashBytes(at: usize, length: usize): u32 {
  let hash = (<u64>length + 1) * K0;
  const end = at + length;
  if (length >= 8) {
    const lastWord = end - 8;
    while (at < lastWord) {
      hash = mix(hash, load<u64>(at));
      at += 8;
    }
    // The last word may overlap the one before. Reading bytes twice costs less than a loop over the rest.
    hash = mix(hash, load<u64>(lastWord));
  } else if (length >= 4) {
    hash = mix(hash, ((<u64>load<u32>(at)) << 32) | <u64>load<u32>(end - 4));
  } else if (length > 0) {
    // Up to three bytes: the first, the middle and the last one cover all.
    hash = mix(hash, ((<u64>load<u8>(at)) << 16) | ((<u64>load<u8>(at + (length >> 1))) << 8) | <u64>load<u8>(end - 1));
  }
  hash ^= hash >> 32;
  hash *= K1;
  hash ^= hash >> 29;
  hash *= K0;
  return <u32>(hash >> 32);
}

/**
 * Whether these are the same bytes. It takes eight bytes a step, too. The library compares byte by byte in a module
 * that is built for size.
 */
export function bytesEqual(a: usize, b: usize, length: u32): bool {
  let at: u32 = 0;
  for (; at + 8 <= length; at += 8) {
    if (load<u64>(a + at) != load<u64>(b + at)) return false;
  }
  for (; at < length; ++at) {
    if (load<u8>(a + at) != load<u8>(b + at)) return false;
  }
  return true;
}

function mix(hash: u64, word: u64): u64 {
  // The rotation brings the high bits of the product down: in a product alone, a bit affects only the bits above it.
  return (hash ^ rotl(word * K0, 31)) * K1;
}
