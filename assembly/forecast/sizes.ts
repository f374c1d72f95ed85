/**
 * What a Job consumes: the bytes of its largest status, and the resource requests of its pods over their time.
 * Quantities are read as the scheduler does: processors in thousandths, memory in bytes, both rounded up.
 */
import { Quantity, scaledUp } from "../admission/quantity";
import { DOT } from "../json/punctuation";
import { after, firstOf, JsonNode, listOf, memberOf, objectOf } from "../json/tree";
import { Writer } from "../json/writer";
import { indexTextBytes } from "../lint/size";
import { Amount } from "./amount";
import { Plan } from "./plan";

/** Counters, times, and two conditions with their longest messages. */
const STATUS_BYTES: f64 = 1100;
/** The message of a FailJob rule, with the longest names, twice. */
const RULE_MESSAGE_BYTES: f64 = 520;
/** A UID with its quotes and comma. */
const UID_BYTES: f64 = 39;
const UNCOUNTED_MAX: f64 = 500;
/** Bits of the largest time, and digits of 64 bits times that, one more for the carry. */
const TIME_BITS: i32 = 54;
const PRODUCT_DIGITS: usize = 37;
const DIGITS: usize = memory.data(37);

/** The bytes that the largest status has as JSON. */
export function statusBytes(plan: Plan, pods: Amount): Amount {
  const uncounted = pods.isKnown ? min(pods.value, UNCOUNTED_MAX) : UNCOUNTED_MAX;
  const listed = plan.isIndexed ? indexBytes(plan) : 0;
  const message = plan.failsAtOnce ? RULE_MESSAGE_BYTES : 0;
  return new Amount(STATUS_BYTES + message + listed + uncounted * UID_BYTES, false);
}

// With a backoffLimitPerIndex each index is in completedIndexes or in failedIndexes: an index missing from one is in
// the other.
function indexBytes(plan: Plan): f64 {
  if (!plan.hasLimitPerIndex) return indexTextBytes(i64(plan.completions), i64(plan.parallelism));
  let bytes: f64 = 0;
  let first: f64 = 0;
  let digits: f64 = 2;
  for (let end: f64 = 10; first < plan.completions; end *= 10) {
    bytes += (min(end, plan.completions) - first) * digits++;
    first = end;
  }
  return bytes;
}

/** What a pod asks for of `cpu` or `memory`, in thousandths or in bytes; -1: nothing. */
export function requestOf(podSpec: JsonNode | null, name: string): i64 {
  const overhead = max<i64>(amountIn(objectOf(podSpec, "overhead"), name), 0);
  const ofPod = asked(podSpec, name);
  if (ofPod >= 0) return ofPod + overhead;
  let sidecars: i64 = 0;
  let largest: i64 = -1;
  for (let init = firstOf(listOf(podSpec, "initContainers")); init !== null; init = after(init)) {
    const amount = asked(init, name);
    if (amount < 0) continue;
    largest = max(largest, sidecars + amount);
    if (init.string("restartPolicy") == "Always") sidecars += amount;
  }
  let sum: i64 = sidecars;
  for (let container = firstOf(listOf(podSpec, "containers")); container !== null; container = after(container)) {
    const amount = asked(container, name);
    if (amount < 0) continue;
    sum += amount;
    largest = max<i64>(largest, 0);
  }
  return largest < 0 ? -1 : max(largest, sum) + overhead;
}

// A limit without a request is a request.
function asked(holder: JsonNode | null, name: string): i64 {
  const resources = objectOf(holder, "resources");
  const request = amountIn(objectOf(resources, "requests"), name);
  return request >= 0 ? request : amountIn(objectOf(resources, "limits"), name);
}

function amountIn(amounts: JsonNode | null, name: string): i64 {
  const amount = memberOf(amounts, name);
  if (amount === null) return -1;
  const quantity = Quantity.parse(amount.text);
  if (quantity === null || quantity.negative) return -1;
  let scale = quantity.scale + (name == "cpu" ? 3 : 0);
  let value = scaledUp(quantity.digits, scale);
  for (; scale < 0; scale++) value = value / 10 + u64(value % 10 != 0);
  return i64(min(value, u64(i64.MAX_VALUE) >> 8));
}

/** Writes the exact product of an amount and a time as decimal text, in units of 10^-`places`. */
export function writeProduct(to: Writer, amount: i64, timeMs: f64, places: usize): void {
  const end = DIGITS + PRODUCT_DIGITS;
  memory.fill(DIGITS, 0x30, PRODUCT_DIGITS);
  // Long multiplication in decimal digits (double and add): each bit of the time doubles the product, and a set bit
  // adds the amount.
  for (let times = u64(timeMs) << (64 - TIME_BITS), left = TIME_BITS; left > 0; --left, times <<= 1) {
    let carry = times >> 63 != 0 ? u64(amount) : 0;
    for (let at = end; at > DIGITS;) {
      carry += u64(load<u8>(--at) & 15) * 2;
      store<u8>(at, u8(0x30 + (carry % 10)));
      carry /= 10;
    }
  }
  const point = end - places;
  let from = DIGITS;
  let until = end;
  while (from < point - 1 && load<u8>(from) == 0x30) ++from;
  while (until > point && load<u8>(until - 1) == 0x30) --until;
  to.bytes(from, u32(point - from));
  if (until == point) return;
  to.byte(DOT);
  to.bytes(point, u32(until - point));
}
