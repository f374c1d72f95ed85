/** The work queue: each key once, a few at a time, failures later. */
import { expect, test } from "vitest";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { WorkQueue } from "../../../cluster/client/work-queue.ts";
import type { WorkOutcome } from "../../../cluster/client/work-queue.ts";

function setUp(concurrency = 2) {
  const clock = new VirtualClock(0);
  const started: string[] = [];
  const open = new Map<string, (outcome: WorkOutcome) => void>();
  const queue = new WorkQueue<string>({
    clock,
    random: () => 0,
    concurrency,
    retryInitialMs: 100,
    retryMaxMs: 350,
    work: (key, done) => {
      expect(open.has(key)).toBe(false);
      started.push(`${key}@${clock.now()}`);
      open.set(key, done);
    },
  });
  const finish = (key: string, outcome: WorkOutcome = "done") => {
    const done = open.get(key)!;
    open.delete(key);
    done(outcome);
    clock.advance(0);
  };
  return { clock, queue, started, finish };
}

test("a work queue works on each key once, in order, no more than allowed at a time", () => {
  const { clock, queue, started, finish } = setUp();
  for (const key of ["a", "b", "a", "c"]) queue.add(key);
  clock.advance(0);
  expect(started).toEqual(["a@0", "b@0"]);
  finish("b");
  expect(started).toEqual(["a@0", "b@0", "c@0"]);
});

test("a key added while it is worked on is worked on once more, afterwards", () => {
  const { clock, queue, started, finish } = setUp();
  queue.add("a");
  clock.advance(0);
  queue.add("a");
  queue.add("a");
  clock.advance(50);
  finish("a");
  expect(started).toEqual(["a@0", "a@50"]);
  finish("a");
  clock.advance(1000);
  expect(started).toHaveLength(2);
});

test("failures come again after 100, 200, 350 ms; a success begins again", () => {
  const { clock, queue, started, finish } = setUp();
  queue.add("a");
  clock.advance(0);
  for (const delayMs of [100, 200, 350, 350]) {
    finish("a", "failed");
    clock.advance(delayMs);
  }
  expect(started).toEqual(["a@0", "a@100", "a@300", "a@650", "a@1000"]);
  finish("a");
  queue.add("a");
  clock.advance(0);
  finish("a", "failed");
  clock.advance(100);
  expect(started.slice(5)).toEqual(["a@1000", "a@1100"]);
});

test("a fresh reason to look takes the place of `againAfterMs`", () => {
  const { clock, queue, started, finish } = setUp();
  queue.add("a");
  clock.advance(0);
  finish("a", { againAfterMs: 1000 });
  clock.advance(500);
  queue.add("a");
  clock.advance(0);
  finish("a");
  clock.advance(10_000);
  expect(started).toEqual(["a@0", "a@500"]);
});

test("forgotten keys and stopped queues do nothing more", () => {
  const { clock, queue, started, finish } = setUp(1);
  for (const key of ["a", "b", "c"]) queue.add(key);
  clock.advance(0);
  queue.forget("b");
  queue.forget("a");
  finish("a", "failed");
  clock.advance(10_000);
  expect(started).toEqual(["a@0", "c@0"]);
  queue.stop();
  finish("c", "failed");
  queue.add("d");
  clock.advance(10_000);
  expect(started).toHaveLength(2);
});
