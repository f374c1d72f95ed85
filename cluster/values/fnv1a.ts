/** FNV-1a of a text, 32 bits: tells texts apart. Not collision-resistant: no protection against crafted texts. */

const OFFSET = 0x811c9dc5;
const PRIME = 0x01000193;

/** @param seed selects another hash function @returns an unsigned 32-bit integer */
export function fnv1a(text: string, seed = 0): number {
  let hash = seed ^ OFFSET;
  for (let i = 0; i < text.length; i++) hash = Math.imul(hash ^ text.charCodeAt(i), PRIME);
  return hash >>> 0;
}
