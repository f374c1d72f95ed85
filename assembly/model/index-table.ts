/**
 * Which completion indexes of one Indexed Job are held by active pods, and which one starts next.
 *
 * Invariant: every index below `cursor` that is neither held nor done is in the heap of returned indexes. No index from
 * `cursor` on has ever been handed out. So each of the lowest pending indexes costs O(log n) instead of a walk over the
 * Job. The heap may contain indexes that are held or done again: `take` drops them lazily.
 */
import { NO_INDEX } from "./absent";
import { IntervalSet } from "../intervals/intervals";
import { Pod } from "./pod";

/** The completion indexes of one Indexed Job. Zeroed memory is an empty table. */
@unmanaged
export class IndexTable {
  // A hash table with open addressing and linear probing. A slot holds the head of the chain of active pods with one
  // index. 0: empty, 1: removed.
  private slots: usize;
  private slotCount: u32;
  private used: u32;
  private heads: u32;
  // A binary min-heap of returned indexes.
  private returned: usize;
  private returnedCount: i32;
  private returnedCapacity: i32;
  private cursor: i32;
  /** How many active pods share their index with another one, not counting the first of each chain. */
  duplicates: i32;
  /** How many active pods have no valid index. */
  withoutIndex: i32;
  /** Completions went down, so active pods may be out of range. */
  mayBeOutOfRange: bool;

  /** Adds the pod to the chain of its index. A pod without a valid index is only counted. */
  insert(pod: Pod): void {
    const index = pod.completionIndex;
    if (index == NO_INDEX) {
      ++this.withoutIndex;
      return;
    }
    if ((this.used + 1) * 4 > this.slotCount * 3) this.rehash();
    const slot = this.find(index, true);
    const head = load<usize>(slot);
    if (head > REMOVED) {
      pod.nextSameIndex = changetype<Pod>(head);
      ++this.duplicates;
    } else {
      pod.nextSameIndex = null;
      ++this.heads;
      if (head == EMPTY) ++this.used;
    }
    store<usize>(slot, changetype<usize>(pod));
  }

  /**
   * Removes the pod from the chain of `index`, which may differ from its field by now. `done`: the index needs no
   * further pod.
   */
  remove(pod: Pod, index: i32, done: bool): void {
    if (index == NO_INDEX) {
      --this.withoutIndex;
      return;
    }
    const slot = this.find(index, false, pod);
    let head = load<Pod | null>(slot);
    if (head === pod) {
      head = pod.nextSameIndex;
    } else {
      let before = head!;
      while (before.nextSameIndex !== pod) before = before.nextSameIndex!;
      before.nextSameIndex = pod.nextSameIndex;
    }
    pod.nextSameIndex = null;
    if (head !== null) {
      --this.duplicates;
      store<usize>(slot, changetype<usize>(head));
      return;
    }
    --this.heads;
    store<usize>(slot, REMOVED);
    if (!done) this.giveBack(index);
  }

  /**
   * Inserts the pod into a table that has at most one pod for each index. It does not touch the chain through
   * nextSameIndex, which may belong to another table that the pod is in.
   */
  insertAlone(pod: Pod): void {
    if ((this.used + 1) * 4 > this.slotCount * 3) this.rehash();
    const slot = this.find(pod.completionIndex, true);
    ++this.heads;
    if (load<usize>(slot) == EMPTY) ++this.used;
    store<usize>(slot, changetype<usize>(pod));
  }

  removeAlone(pod: Pod): void {
    --this.heads;
    store<usize>(this.find(pod.completionIndex, false), REMOVED);
  }

  /** How many places there are for heads of chains. */
  get places(): u32 {
    return this.slotCount;
  }

  /** The first pod in a place; null: there is none. */
  podAt(place: u32): Pod | null {
    const head = load<usize>(this.slots + usize(place) * sizeof<usize>());
    return head > REMOVED ? changetype<Pod>(head) : null;
  }

  /** Whether an active pod has this index. */
  isHeld(index: i32): bool {
    return this.slotCount != 0 && load<usize>(this.find(index, false)) > REMOVED;
  }

  /** The first of the active pods with this index. The others follow through nextSameIndex. */
  firstOf(index: i32): Pod | null {
    if (this.slotCount == 0) return null;
    const head = load<usize>(this.find(index, false));
    return head > REMOVED ? changetype<Pod>(head) : null;
  }

  /** Makes the index pending again: it was taken and not started, or its pod is gone. */
  giveBack(index: i32): void {
    if (index >= this.cursor) return;
    if (this.returnedCount == this.returnedCapacity) {
      this.returnedCapacity = max(16, this.returnedCapacity * 2);
      const bytes = usize(this.returnedCapacity) << 2;
      this.returned = this.returned == 0 ? heap.alloc(bytes) : heap.realloc(this.returned, bytes);
    }
    let place = this.returnedCount++;
    while (place > 0) {
      const parent = (place - 1) >> 1;
      const above = this.returnedAt(parent);
      if (above <= index) break;
      this.setReturned(place, above);
      place = parent;
    }
    this.setReturned(place, index);
  }

  /**
   * Takes the lowest indexes in [0, completions) that may be started, at most `count`, into `to` (i32 each, ascending).
   * Returns how many. An index may be started if no active pod holds it, if it is neither done nor failed, and if no
   * pod of `blocked` holds it (null: none does). The caller must give back what it does not start, and every blocked
   * index once it is no longer blocked.
   */
  take(
    count: i32,
    completions: i32,
    done: IntervalSet,
    failed: IntervalSet,
    blocked: IndexTable | null,
    to: usize,
  ): i32 {
    let taken = 0;
    // First the returned indexes, which are all below the cursor, in ascending order from the heap.
    while (taken < count && this.returnedCount > 0) {
      const index = this.popReturned();
      if (index >= completions || this.isHeld(index) || done.contains(index) || failed.contains(index)) continue;
      if (blocked !== null && blocked.isHeld(index)) continue;
      // The same index may have been given back twice.
      if (taken > 0 && load<i32>(to + (usize(taken - 1) << 2)) == index) continue;
      store<i32>(to + (usize(taken++) << 2), index);
    }
    // Then indexes that were never handed out: the cursor jumps over ranges that are done or failed.
    while (taken < count) {
      let index = done.firstMissingFrom(this.cursor);
      while (failed.contains(index)) index = done.firstMissingFrom(failed.firstMissingFrom(index));
      if (index >= completions) {
        // Every index below completions has now been handed out, and none above.
        this.cursor = max(this.cursor, completions);
        break;
      }
      this.cursor = index + 1;
      if (this.isHeld(index) || (blocked !== null && blocked.isHeld(index))) continue;
      store<i32>(to + (usize(taken++) << 2), index);
    }
    return taken;
  }

  /** Resets the cursor, because completions changed or because done indexes are no longer done. */
  restart(): void {
    this.cursor = 0;
    this.returnedCount = 0;
  }

  free(): void {
    if (this.slots != 0) heap.free(this.slots);
    if (this.returned != 0) heap.free(this.returned);
  }

  // The slot of the index. `member` is a pod of its chain, whose own index may have changed since.
  private find(index: i32, forInsert: bool, member: Pod | null = null): usize {
    const mask = this.slotCount - 1;
    let at = (u32(index) * 0x9e3779b1) & mask;
    let reusable: usize = 0;
    while (true) {
      const slot = this.slots + (usize(at) << alignof<usize>());
      const head = load<usize>(slot);
      if (head == EMPTY) return forInsert && reusable != 0 ? reusable : slot;
      if (head == REMOVED) {
        if (reusable == 0) reusable = slot;
      } else if (head == changetype<usize>(member) || changetype<Pod>(head).completionIndex == index) {
        return slot;
      }
      at = (at + 1) & mask;
    }
  }

  private rehash(): void {
    const old = this.slots;
    const oldCount = this.slotCount;
    let size: u32 = 16;
    while (size < (this.heads + 1) * 2) size *= 2;
    this.slotCount = size;
    this.used = this.heads;
    const bytes = usize(size) << alignof<usize>();
    this.slots = heap.alloc(bytes);
    memory.fill(this.slots, 0, bytes);
    for (let i: u32 = 0; i < oldCount; ++i) {
      const head = load<usize>(old + (usize(i) << alignof<usize>()));
      if (head > REMOVED) store<usize>(this.find(changetype<Pod>(head).completionIndex, true), head);
    }
    if (old != 0) heap.free(old);
  }

  private popReturned(): i32 {
    const lowest = this.returnedAt(0);
    const last = this.returnedAt(--this.returnedCount);
    let place = 0;
    for (;;) {
      let child = place * 2 + 1;
      if (child >= this.returnedCount) break;
      if (child + 1 < this.returnedCount && this.returnedAt(child + 1) < this.returnedAt(child)) ++child;
      if (this.returnedAt(child) >= last) break;
      this.setReturned(place, this.returnedAt(child));
      place = child;
    }
    this.setReturned(place, last);
    return lowest;
  }

  private returnedAt(place: i32): i32 {
    return load<i32>(this.returned + (usize(place) << 2));
  }

  private setReturned(place: i32, index: i32): void {
    store<i32>(this.returned + (usize(place) << 2), index);
  }
}

const EMPTY: usize = 0;
const REMOVED: usize = 1;
