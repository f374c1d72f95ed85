/**
 * The table of completion indexes against a naive model of it: arrays that are walked. Random pods come, share indexes,
 * go and succeed; the next indexes to start must be the lowest that no pod holds and that are not done.
 */
import "./engine-first";
import { IntervalSet } from "../../assembly/intervals/intervals";
import { NO_INDEX } from "../../assembly/model/absent";
import { IndexTable } from "../../assembly/model/index-table";
import { release, zeroed } from "../../assembly/memory/records";
import { Pod } from "../../assembly/model/pod";
import { Random } from "./support";

const MAX_PODS = 4096;
const MAX_INDEXES = 512;
const pods = new StaticArray<usize>(MAX_PODS);
const held = new StaticArray<i32>(MAX_INDEXES);
const isDone = new StaticArray<bool>(MAX_INDEXES);
const taken = heap.alloc(MAX_INDEXES * 4);

let table = zeroed<IndexTable>();
let done = new IntervalSet();
/** Decided as well, the other way: odd indexes end up here. */
let failed = new IntervalSet();
let podCount = 0;
let withoutIndex = 0;
let wrong = 0;

function begin(): void {
  table = zeroed<IndexTable>();
  done = new IntervalSet();
  failed = new IntervalSet();
  podCount = 0;
  withoutIndex = 0;
  for (let i = 0; i < MAX_INDEXES; ++i) {
    held[i] = 0;
    isDone[i] = false;
  }
}

function end(): void {
  while (podCount > 0) removeAt(podCount - 1, true);
  table.free();
  release<IndexTable>(table);
  done.free();
}

function add(index: i32): void {
  const pod = zeroed<Pod>();
  pod.completionIndex = index;
  table.insert(pod);
  pods[podCount++] = changetype<usize>(pod);
  if (index == NO_INDEX) ++withoutIndex;
  else ++held[index];
}

/** The pod ends. `succeeds`: its index is done from now on. */
function removeAt(place: i32, succeeds: bool): void {
  const pod = changetype<Pod>(pods[place]);
  const index = pod.completionIndex;
  table.remove(pod, index, succeeds);
  pods[place] = pods[--podCount];
  if (index == NO_INDEX) {
    --withoutIndex;
  } else {
    --held[index];
    if (succeeds) {
      isDone[index] = true;
      if ((index & 1) != 0) failed.add(index);
      else done.add(index);
    }
  }
  release<Pod>(pod);
}

/** Takes indexes and compares them with the lowest pending ones; starts the first `toStart` and gives the rest back. */
function take(count: i32, completions: i32, toStart: i32): void {
  const size = table.take(count, completions, done, failed, null, taken);
  let expected = 0;
  for (let index = 0; index < completions && expected < count; ++index) {
    if (held[index] > 0 || isDone[index]) continue;
    if (expected >= size || load<i32>(taken + ((<usize>expected) << 2)) != index) ++wrong;
    ++expected;
  }
  if (expected != size) ++wrong;
  for (let i = 0; i < size; ++i) {
    const index = load<i32>(taken + ((<usize>i) << 2));
    if (i < toStart) add(index);
    else table.giveBack(index);
  }
}

function compareAll(completions: i32): void {
  let duplicates = 0;
  for (let index = 0; index < completions; ++index) {
    if (table.isHeld(index) != held[index] > 0) ++wrong;
    let chain = 0;
    let pod = table.firstOf(index);
    while (pod !== null) {
      if (pod.completionIndex != index) ++wrong;
      ++chain;
      pod = pod.nextSameIndex;
    }
    if (chain != held[index]) ++wrong;
    duplicates += max(0, held[index] - 1);
  }
  if (table.duplicates != duplicates || table.withoutIndex != withoutIndex) ++wrong;
}

describe("IndexTable", () => {
  it("hands out ascending indexes, lowest returned ones first", () => {
    begin();
    wrong = 0;
    take(5, 100, 5);
    expect(podCount).toBe(5);
    // 1 fails and comes back, 2 succeeds and does not.
    removeAt(1, false);
    for (let i = 0; i < podCount; ++i) {
      if (changetype<Pod>(pods[i]).completionIndex == 2) removeAt(i, true);
    }
    take(3, 100, 3);
    expect(table.isHeld(1)).toBe(true);
    expect(table.isHeld(5)).toBe(true);
    expect(table.isHeld(6)).toBe(true);
    expect(table.isHeld(2)).toBe(false);
    expect(wrong).toBe(0);
    end();
  });

  it("never hands out an index twice that was given back twice", () => {
    begin();
    wrong = 0;
    take(4, 10, 0);
    table.giveBack(2);
    table.giveBack(2);
    take(10, 10, 10);
    compareAll(10);
    expect(podCount).toBe(10);
    expect(wrong).toBe(0);
    end();
  });

  it("says nothing of an empty table", () => {
    begin();
    expect(table.isHeld(0)).toBe(false);
    expect(table.firstOf(7) === null).toBe(true);
    expect(table.take(5, 0, done, failed, null, taken)).toBe(0);
    end();
  });

  it("passes over what another table holds, until it is given back", () => {
    begin();
    const blocked = zeroed<IndexTable>();
    const terminating = zeroed<Pod>();
    terminating.completionIndex = 1;
    blocked.insert(terminating);
    expect(table.take(3, 4, done, failed, blocked, taken)).toBe(3);
    expect(load<i32>(taken, 0)).toBe(0);
    expect(load<i32>(taken, 4)).toBe(2);
    expect(load<i32>(taken, 8)).toBe(3);
    blocked.remove(terminating, 1, true);
    table.giveBack(1);
    expect(table.take(3, 4, done, failed, blocked, taken)).toBe(1);
    expect(load<i32>(taken, 0)).toBe(1);
    release<Pod>(terminating);
    end();
  });

  it("lets go of the index that a pod had, when that has another one by now", () => {
    begin();
    add(3);
    add(3);
    add(4);
    const first = table.firstOf(3)!;
    const second = first.nextSameIndex!;
    second.completionIndex = 5;
    table.remove(second, 3, false);
    expect(table.isHeld(3)).toBe(true);
    first.completionIndex = 5;
    table.remove(first, 3, false);
    expect(table.isHeld(3)).toBe(false);
    expect(table.isHeld(4)).toBe(true);
    held[3] = 0;
    table.insert(first);
    table.insert(second);
    held[5] = 2;
    end();
  });

  it("agrees with the naive model over 60,000 random steps", () => {
    const random = new Random(362436069);
    wrong = 0;
    for (let run = 0; run < 30; ++run) {
      begin();
      let completions = 1 + random.below(MAX_INDEXES);
      for (let step = 0; step < 2000; ++step) {
        const kind = random.below(10);
        if (kind < 3) {
          const count = 1 + random.below(8);
          take(count, completions, random.below(count + 1));
        } else if (kind < 4 && podCount < MAX_PODS) {
          // A pod with any index: another client made it, or the answer to its creation was lost.
          add(random.chance(10) ? NO_INDEX : random.below(completions));
        } else if (kind < 9) {
          if (podCount > 0) removeAt(random.below(podCount), random.chance(30));
        } else if (random.chance(3)) {
          completions = 1 + random.below(MAX_INDEXES);
          table.restart();
        }
        if (step % 50 == 0) compareAll(MAX_INDEXES);
      }
      compareAll(MAX_INDEXES);
      end();
    }
    expect(wrong).toBe(0);
  });
});
