/**
 * Everything that waits for a time: Jobs to sync, and finalizer removals to retry. It is one binary min-heap. An item
 * knows its place in the heap, so moving or removing it costs O(log n) and leaves no stale entry. Items with equal due
 * times are served first in, first out.
 */
import { Due } from "../model/due";

// items[1..count]. Slot 0 is not used, so that 0 can mean "not in the heap".
let items: usize = 0;
let capacity: i32 = 0;
let count: i32 = 0;
let nextSequence: f64 = 0;

/** The item becomes due at `dueMs`, or at its present due time if that is earlier. */
export function dueNoLaterThan(item: Due, dueMs: f64): void {
  if (item.place == 0) {
    if (count + 1 >= capacity) growHeap();
    item.dueMs = dueMs;
    item.sequence = ++nextSequence;
    siftUp(item, ++count);
  } else if (dueMs < item.dueMs) {
    item.dueMs = dueMs;
    item.sequence = ++nextSequence;
    siftUp(item, item.place);
  }
}

/** The item no longer waits. */
export function neverDue(item: Due): void {
  const place = item.place;
  if (place == 0) return;
  item.place = 0;
  const last = at(count--);
  if (last === item) return;
  if (place > 1 && before(last, at(place >> 1))) siftUp(last, place);
  else siftDown(last, place);
}

/** The moment of the first item; Infinity when nothing waits. */
export function firstDueMs(): f64 {
  return count == 0 ? Infinity : at(1).dueMs;
}

/** Takes out the first item, if it is due at `now`; null: none is. */
export function popDue(now: f64): Due | null {
  if (count == 0) return null;
  const item = at(1);
  if (item.dueMs > now) return null;
  neverDue(item);
  return item;
}

/** How many items wait. */
export function dueCount(): i32 {
  return count;
}

function at(place: i32): Due {
  return load<Due>(items + (usize(place) << alignof<usize>()));
}

function put(item: Due, place: i32): void {
  item.place = place;
  store<usize>(items + (usize(place) << alignof<usize>()), changetype<usize>(item));
}

function before(a: Due, b: Due): bool {
  return a.dueMs < b.dueMs || (a.dueMs == b.dueMs && a.sequence < b.sequence);
}

function siftUp(item: Due, place: i32): void {
  while (place > 1) {
    const parent = at(place >> 1);
    if (!before(item, parent)) break;
    put(parent, place);
    place >>= 1;
  }
  put(item, place);
}

function siftDown(item: Due, place: i32): void {
  for (;;) {
    let child = place << 1;
    if (child > count) break;
    if (child < count && before(at(child + 1), at(child))) ++child;
    if (!before(at(child), item)) break;
    put(at(child), place);
    place = child;
  }
  put(item, place);
}

function growHeap(): void {
  capacity = max(64, capacity * 2);
  const bytes = usize(capacity) << alignof<usize>();
  items = items == 0 ? heap.alloc(bytes) : heap.realloc(items, bytes);
}
