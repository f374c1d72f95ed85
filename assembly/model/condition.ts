/**
 * The conditions of a Job, in order, as the API server holds them. Each keeps its JSON, so that a status write repeats
 * byte for byte what other clients wrote. Source: docs/spec/controller.md section 8.
 */
import { blobIs, dropBlob, freeBlob, literal } from "../memory/blob";
import { release } from "../memory/records";

/** A type that the engine ignores, and writes back unchanged. */
export const CONDITION_FOREIGN: u8 = 0;
export const CONDITION_SUSPENDED: u8 = 1;
export const CONDITION_FAILURE_TARGET: u8 = 2;
export const CONDITION_FAILED: u8 = 3;
export const CONDITION_SUCCESS_CRITERIA_MET: u8 = 4;
export const CONDITION_COMPLETE: u8 = 5;

const TYPE_SUSPENDED = literal("Suspended");
const TYPE_FAILURE_TARGET = literal("FailureTarget");
const TYPE_FAILED = literal("Failed");
const TYPE_SUCCESS_CRITERIA_MET = literal("SuccessCriteriaMet");
const TYPE_COMPLETE = literal("Complete");

/** One condition in a list that follows `next`. It owns its blobs. */
@unmanaged
export class Condition {
  /** lastTransitionTime, wall clock; NaN: absent. */
  transitionMs: f64;
  /** The whole condition as JSON. */
  raw: usize;
  reason: usize;
  message: usize;
  next: Condition | null;
  type: u8;
  isTrue: bool;
  isFalse: bool;
}

/** The name of a condition type, as a blob that stays with this file. The type must not be CONDITION_FOREIGN. */
export function conditionTypeName(type: u8): usize {
  if (type == CONDITION_SUSPENDED) return TYPE_SUSPENDED;
  if (type == CONDITION_FAILURE_TARGET) return TYPE_FAILURE_TARGET;
  if (type == CONDITION_FAILED) return TYPE_FAILED;
  if (type == CONDITION_SUCCESS_CRITERIA_MET) return TYPE_SUCCESS_CRITERIA_MET;
  assert(type == CONDITION_COMPLETE, "a condition of a foreign type is never written anew");
  return TYPE_COMPLETE;
}

/** The CONDITION_* of the type that has this name; CONDITION_FOREIGN for any other name. */
export function conditionTypeOf(ptr: usize, length: u32): u8 {
  for (let type = CONDITION_SUSPENDED; type <= CONDITION_COMPLETE; ++type) {
    const name = conditionTypeName(type);
    if (blobIs(name, ptr, length)) return type;
  }
  return CONDITION_FOREIGN;
}

/**
 * The first condition of this type, if its status is True. If the first one has another status, a later one of the same
 * type does not count, as upstream.
 */
export function findTrue(conditions: Condition | null, type: u8): Condition | null {
  const condition = findCondition(conditions, type);
  return condition !== null && condition.isTrue ? condition : null;
}

/** The first condition of this type, whatever its status. */
export function findCondition(conditions: Condition | null, type: u8): Condition | null {
  let condition = conditions;
  while (condition !== null && condition.type != type) condition = condition.next;
  return condition;
}

/** The first condition in list order that ends the Job: Complete or Failed with status True. */
export function findTerminal(conditions: Condition | null): Condition | null {
  let condition = conditions;
  while (
    condition !== null &&
    !(condition.isTrue && (condition.type == CONDITION_COMPLETE || condition.type == CONDITION_FAILED))
  )
    condition = condition.next;
  return condition;
}

/** Frees all conditions but `kept`. Frees the JSON of `kept`, too: that is only needed to write it again. */
export function keepOnly(conditions: Condition | null, kept: Condition): Condition {
  let condition = conditions;
  while (condition !== null) {
    const next = condition.next;
    condition.next = null;
    if (condition !== kept) freeConditions(condition);
    condition = next;
  }
  kept.raw = dropBlob(kept.raw);
  return kept;
}

export function freeConditions(conditions: Condition | null): void {
  let condition = conditions;
  while (condition !== null) {
    const next = condition.next;
    freeBlob(condition.raw);
    freeBlob(condition.reason);
    freeBlob(condition.message);
    release<Condition>(condition);
    condition = next;
  }
}
