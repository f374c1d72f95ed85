/** Events go when their time is over: each an hour after its last write, whatever else was written at its instant. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { expireEvents } from "../../../../cluster/apiserver/storage/event-expiry.ts";
import { Revisions, Store } from "../../../../cluster/apiserver/storage/store.ts";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";

const TTL_MS = 100;

const event = (name: string): KubeObject => ({ metadata: { name } }) as KubeObject;

class CountingStore extends Store {
  asked = 0;

  override get(key: string): ReturnType<Store["get"]> {
    this.asked++;
    return super.get(key);
  }
}

test("what is kept is what was written in the last while, and each write is looked at once", () => {
  const step = fc.record({
    waitMs: fc.oneof(fc.constant(0), fc.integer({ min: 1, max: TTL_MS * 2 })),
    name: fc.constantFrom("a", "b", "c", "d"),
    isRemoved: fc.boolean(),
  });
  fc.assert(
    fc.property(fc.array(step, { maxLength: 60 }), (steps) => {
      const clock = new VirtualClock(0);
      const store = new CountingStore(new Revisions(), 1000);
      expireEvents(store, clock, TTL_MS, 1000);
      const writtenAtMs = new Map<string, number>();
      let writes = 0;
      for (const { waitMs, name, isRemoved } of steps) {
        clock.advance(waitMs);
        if (isRemoved) {
          store.remove(name);
          writtenAtMs.delete(name);
        } else {
          store.put(name, event(name));
          writtenAtMs.set(name, clock.now());
          writes++;
        }
        const kept = [...writtenAtMs].filter(([, atMs]) => clock.now() - atMs < TTL_MS).map(([key]) => key);
        expect([...store.scan("", "")].map(({ key }) => key)).toEqual(kept.sort());
      }
      clock.advance(TTL_MS);
      expect(store.count("", "", Infinity)).toBe(0);
      expect(store.asked).toBe(writes);
      expect(clock.nextTimerAt()).toBe(Infinity);
    }),
    { numRuns: 200, seed: 1 },
  );
});

test("beyond the limit the oldest Events go, many at once, and after watches have sent the newest", () => {
  const clock = new VirtualClock(0);
  const store = new Store(new Revisions(), 1000);
  const heard: number[] = [];
  expireEvents(store, clock, TTL_MS, 20);
  store.subscribe(({ revision }) => heard.push(revision));
  const most: number[] = [];
  for (let atMs = 0; atMs < 50; atMs++) {
    for (const part of ["a", "b"]) store.put(`${String(atMs).padStart(2, "0")}${part}`, event(part));
    most.push(store.count("", "", Infinity));
    clock.advance(1);
  }
  expect(Math.max(...most)).toBe(22);
  const kept = [...store.scan("", "")].map(({ key }) => key);
  expect(kept.length).toBeGreaterThanOrEqual(18);
  expect(kept.at(-1)).toBe("49b");
  expect(kept[0]).toBe(`${50 - kept.length / 2}a`);
  expect(heard).toEqual(heard.toSorted((a, b) => a - b));
  clock.advance(TTL_MS);
  expect(store.count("", "", Infinity)).toBe(0);
  expect(clock.nextTimerAt()).toBe(Infinity);
});

test("a limit that one instant exceeds waits for the next", () => {
  const clock = new VirtualClock(0);
  const store = new Store(new Revisions(), 1000);
  expireEvents(store, clock, TTL_MS, 3);
  for (const name of ["a", "b", "c", "d", "e"]) store.put(name, event(name));
  clock.advance(0);
  expect(store.count("", "", Infinity)).toBe(5);
  clock.advance(1);
  store.put("f", event("f"));
  clock.advance(0);
  expect([...store.scan("", "")].map(({ key }) => key)).toEqual(["f"]);
});
