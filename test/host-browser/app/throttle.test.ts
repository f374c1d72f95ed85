/** What is done rarely: at once at first, then the newest of a period, and always the last. */
import { afterEach, beforeEach, expect, test, vi } from "vitest";
import { Throttle } from "../../../host-browser/app/throttle.ts";

beforeEach(() => void vi.useFakeTimers());
afterEach(() => void vi.useRealTimers());

test("a throttle does the first at once, the newest after a period, and nothing without need", () => {
  const done: string[] = [];
  const throttle = new Throttle(100);
  const ask = (name: string): void => throttle.run(() => done.push(name));
  for (const name of ["a", "b", "c"]) ask(name);
  expect(done).toEqual(["a"]);
  vi.advanceTimersByTime(100);
  expect(done).toEqual(["a", "c"]);
  ask("d");
  vi.advanceTimersByTime(100);
  expect(done).toEqual(["a", "c", "d"]);
  vi.advanceTimersByTime(1000);
  expect(vi.getTimerCount()).toBe(0);
  ask("e");
  expect(done.at(-1)).toBe("e");
});

test("a throttled call that is made at once drops the waiting one", () => {
  const done: string[] = [];
  const throttle = new Throttle(100);
  throttle.run(() => done.push("a"));
  throttle.run(() => done.push("old"));
  throttle.runNow(() => done.push("now"));
  vi.advanceTimersByTime(1000);
  expect(done).toEqual(["a", "now"]);
});

test("throttled calls are made once in each period, at its end", () => {
  const done: string[] = [];
  const throttle = new Throttle(100);
  for (const name of ["a", "b"]) throttle.runLater(() => done.push(name));
  vi.advanceTimersByTime(99);
  expect(done).toEqual([]);
  vi.advanceTimersByTime(1);
  expect(done).toEqual(["b"]);
  throttle.runLater(() => done.push("c"));
  vi.advanceTimersByTime(100);
  expect(done).toEqual(["b", "c"]);
});
