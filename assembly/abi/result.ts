/**
 * How results leave the engine: `u32 length`, and then that many bytes. The memory stays as it is until the next call.
 * One buffer serves all calls, because a call gives one result.
 */
import { Writer } from "../json/writer";

const buffer = new Writer(65536);

/** An empty result to write into. */
export function beginResult(): Writer {
  buffer.reset();
  buffer.grow(4);
  buffer.length = 4;
  return buffer;
}

/** The address to return. The result is what was written since `beginResult`. */
export function endResult(): usize {
  store<u32>(buffer.start, buffer.length - 4);
  return buffer.start;
}

/** A result that is a copy of these bytes. Returns its address. */
export function resultOf(ptr: usize, length: u32): usize {
  const result = beginResult();
  result.bytes(ptr, length);
  return endResult();
}
