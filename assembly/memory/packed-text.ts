/**
 * Unpacks the string literals of the module before anything reads them. The compiler stores a literal as UTF-16 behind
 * a header of 20 bytes. The build (scripts/pack-text.ts) takes the ASCII ones out of the data section. It leaves them
 * as one packed text at the end of the initial memory. This file writes the literals back to the addresses that the
 * compiler chose. Without packed text it does nothing.
 *
 * The packed text has the literals in ascending order, each ended by NUL. What lies between two literals is written as
 * SKIP, and the distance in units of 16 bytes (u16). The last four bytes of memory hold the length. Invariant: no trace
 * of the packed text is left.
 */

const SKIP: u8 = 1;
// How the compiler's runtime lays out a managed object: where blocks lie, and what a block begins with.
const BLOCK_ALIGNMENT: usize = 16;
const FIRST_BLOCK: usize = BLOCK_ALIGNMENT - 4;
const HEADER_BYTES: usize = 20;
const ID_AT: usize = 12;
const SIZE_AT: usize = 16;

function unpackText(): void {
  const end = ((<usize>memory.size()) << 16) - 4;
  const from = end - load<u32>(end);
  let block = FIRST_BLOCK;
  let at = from;
  while (at < end) {
    if (load<u8>(at) == SKIP) {
      block += <usize>load<u16>(at, 1) * BLOCK_ALIGNMENT;
      at += 3;
    }
    const text = block + HEADER_BYTES;
    let to = text;
    for (let c = load<u8>(at++); c != 0; c = load<u8>(at++)) {
      store<u16>(to, c);
      to += 2;
    }
    const blockBytes = (to - block + BLOCK_ALIGNMENT - 1) & ~(BLOCK_ALIGNMENT - 1);
    store<u32>(block, u32(blockBytes) - 4);
    store<u32>(block, idof<string>(), ID_AT);
    store<u32>(block, u32(to - text), SIZE_AT);
    block += blockBytes;
  }
  memory.fill(from, 0, end + 4 - from);
}

unpackText();
