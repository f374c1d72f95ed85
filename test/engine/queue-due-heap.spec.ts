/** The heap of moments against a sorted array: same items, same order, ties in the order in which they were set. */
import "./engine-first";
import { release, zeroed } from "../../assembly/memory/records";
import { dueCount, dueNoLaterThan, firstDueMs, neverDue, popDue } from "../../assembly/queue/due-heap";
import { Due } from "../../assembly/model/due";
import { Random } from "./support";

class Expected {
  constructor(
    public item: Due,
    public dueMs: f64,
    public order: i32,
  ) {}
}

function drain(): void {
  while (popDue(Infinity) !== null) {}
}

function insertSorted(list: Expected[], entry: Expected): void {
  let at = 0;
  while (
    at < list.length &&
    (list[at].dueMs < entry.dueMs || (list[at].dueMs == entry.dueMs && list[at].order < entry.order))
  )
    ++at;
  list.push(entry);
  for (let i = list.length - 1; i > at; --i) list[i] = list[i - 1];
  list[at] = entry;
}

function placeOf(list: Expected[], item: Due): i32 {
  for (let i = 0; i < list.length; ++i) {
    if (list[i].item === item) return i;
  }
  return -1;
}

describe("the heap of moments", () => {
  it("is empty when nothing waits", () => {
    expect(firstDueMs()).toBe(Infinity);
    expect(popDue(Infinity) === null).toBe(true);
    expect(dueCount()).toBe(0);
    neverDue(zeroed<Due>());
    expect(dueCount()).toBe(0);
  });

  it("gives out nothing before its moment", () => {
    const item = zeroed<Due>();
    dueNoLaterThan(item, 100);
    expect(popDue(99) === null).toBe(true);
    expect(popDue(100) === item).toBe(true);
    expect(item.place).toBe(0);
    expect(popDue(100) === null).toBe(true);
  });

  it("moves an item earlier, and never later", () => {
    const item = zeroed<Due>();
    dueNoLaterThan(item, 100);
    dueNoLaterThan(item, 200);
    expect(firstDueMs()).toBe(100);
    dueNoLaterThan(item, 50);
    expect(firstDueMs()).toBe(50);
    expect(dueCount()).toBe(1);
    drain();
  });

  it("agrees with a sorted array over 50,000 random steps", () => {
    const random = new Random(521288629);
    const items = new Array<Due>();
    for (let i = 0; i < 300; ++i) items.push(zeroed<Due>());
    const list = new Array<Expected>();
    let order = 0;
    let wrong = 0;
    for (let step = 0; step < 50000; ++step) {
      const item = items[random.below(300)];
      const kind = random.below(10);
      const at = placeOf(list, item);
      if (kind < 5) {
        // Few moments, so that many are equal.
        const dueMs = f64(random.below(40));
        dueNoLaterThan(item, dueMs);
        if (at < 0 || dueMs < list[at].dueMs) {
          if (at >= 0) list.splice(at, 1);
          insertSorted(list, new Expected(item, dueMs, ++order));
        }
      } else if (kind < 7) {
        neverDue(item);
        if (at >= 0) list.splice(at, 1);
      } else {
        const now = f64(random.below(40));
        const popped = popDue(now);
        if (list.length > 0 && list[0].dueMs <= now) {
          if (popped !== list[0].item) ++wrong;
          list.shift();
        } else if (popped !== null) {
          ++wrong;
        }
      }
      if (dueCount() != list.length || firstDueMs() != (list.length == 0 ? Infinity : list[0].dueMs)) ++wrong;
    }
    expect(wrong).toBe(0);
    drain();
    for (let i = 0; i < 300; ++i) {
      if (items[i].place != 0) ++wrong;
      release<Due>(items[i]);
    }
    expect(wrong).toBe(0);
  });
});
