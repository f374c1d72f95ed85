/**
 * Why a pod does not run, as a number that fits into its record. Each reason of the kubelet or the scheduler is
 * interned: kept once, however many pods have it. The first numbers are the other states of a pod. A reason that
 * is too long, or beyond MAX_WAIT_REASONS, becomes Other.
 */
import { blobIs, blobOf, literal } from "../memory/blob";

export const WAIT_NONE: u8 = 0;
export const WAIT_RUNNING: u8 = 1;
export const WAIT_READY: u8 = 2;
export const WAIT_TERMINATING: u8 = 3;
export const WAIT_ENDED: u8 = 4;
export const WAIT_UNKNOWN: u8 = 5;
const FIRST_REASON: i32 = 6;
const FIRST_TROUBLE: u8 = 8;
const OTHER: u8 = 8;

/** How many reasons are distinguished, together with those above. */
export const MAX_WAIT_REASONS: i32 = 64;
const MAX_REASON_BYTES: u32 = 64;

const reasons = new StaticArray<usize>(MAX_WAIT_REASONS);
let count: i32 = 0;

add(literal("Pending"));
add(literal("Running"));
add(literal("Ready"));
add(literal("Terminating"));
add(literal("Ended"));
add(literal("Unknown"));
add(literal("ContainerCreating"));
add(literal("PodInitializing"));
add(literal("Other"));

/** The number of a reason. A new reason is kept below MAX_WAIT_REASONS. */
export function waitCodeOf(ptr: usize, size: u32): u8 {
  for (let code = FIRST_REASON; code < count; ++code) {
    if (blobIs(reasons[code], ptr, size)) return u8(code);
  }
  return count == MAX_WAIT_REASONS || size == 0 || size > MAX_REASON_BYTES ? OTHER : add(blobOf(ptr, size));
}

/** The text of a reason, as a blob that belongs to this file. */
export function waitReason(code: u8): usize {
  return reasons[code];
}

/** Whether something has to change before such a pod can run. */
export function isWaitTrouble(code: u8): bool {
  return code >= FIRST_TROUBLE;
}

function add(reason: usize): u8 {
  reasons[count] = reason;
  return u8(count++);
}
