/**
 * Member names as 64-bit numbers, so that matching a field is one comparison and not a loop. The number mixes the first
 * eight bytes, the last eight bytes and the length, which is unique among the API's names of one object. Names that
 * users choose (labels, annotations) are never compared this way.
 *
 * This file has the names that several readers use. A name that one reader uses is declared there.
 */
import * as reader from "./reader";

/** The number of the member name that was read last. */
export function key(): u64 {
  return keyOfBytes(reader.stringAt(), reader.stringSize());
}

/** The number of a name that is known beforehand. */
export function keyOf(name: string): u64 {
  const length = u32(name.length);
  const bytes = heap.alloc(length + reader.PADDING);
  for (let i: u32 = 0; i < length; ++i) store<u8>(bytes + i, u8(name.charCodeAt(i)));
  const result = keyOfBytes(bytes, length);
  heap.free(bytes);
  return result;
}

function keyOfBytes(ptr: usize, length: u32): u64 {
  if (length >= 8) return load<u64>(ptr) ^ (load<u64>(ptr + length - 8) * 0x9e3779b97f4a7c15) ^ (u64(length) << 56);
  if (length == 0) return 0;
  // The padding behind every document makes these eight bytes readable.
  return (load<u64>(ptr) & ((u64(1) << (length * 8)) - 1)) ^ (u64(length) << 56);
}

export const APIVERSION = keyOf("apiVersion");
export const KIND = keyOf("kind");
export const METADATA = keyOf("metadata");
export const SPEC = keyOf("spec");
export const STATUS = keyOf("status");
export const TYPE = keyOf("type");
export const REASON = keyOf("reason");
export const MESSAGE = keyOf("message");

export const NAME = keyOf("name");
export const RESOURCE_VERSION = keyOf("resourceVersion");
export const ANNOTATIONS = keyOf("annotations");

export const RESTART_POLICY = keyOf("restartPolicy");
export const CONDITIONS = keyOf("conditions");
export const LAST_TRANSITION_TIME = keyOf("lastTransitionTime");
