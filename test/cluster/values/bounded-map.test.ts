/** The map of limited size against a twin that keeps a list. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { BoundedMap } from "../../../cluster/values/bounded-map.ts";

test("a bounded map forgets the entry that was put longest ago", () => {
  const step = fc.record({ key: fc.nat(12), deletes: fc.boolean() });
  fc.assert(
    fc.property(fc.integer({ min: 1, max: 8 }), fc.array(step, { maxLength: 200 }), (limit, steps) => {
      const map = new BoundedMap<number, number>(limit);
      let twin: number[] = [];
      steps.forEach(({ key, deletes }, at) => {
        twin = twin.filter((other) => other !== key);
        if (deletes) map.delete(key);
        else {
          twin.push(key);
          expect(map.put(key, at)).toBe(twin.length > limit ? twin.shift() : undefined);
          expect(map.get(key)).toBe(at);
        }
        expect([map.size, ...Array.from({ length: 13 }, (_, other) => map.has(other))]).toEqual([
          twin.length,
          ...Array.from({ length: 13 }, (_, other) => twin.includes(other)),
        ]);
      });
    }),
    { numRuns: 2000, seed: 1 },
  );
});

test("a bounded map works beyond any number of forgotten entries", () => {
  const map = new BoundedMap<number, number>(100);
  for (let key = 0; key < 100_000; key++) expect(map.put(key, key)).toBe(key < 100 ? undefined : key - 100);
});

test("a limit is at least one", () => {
  expect(() => new BoundedMap(0)).toThrow("a map of 0 entries: allowed are 1 and more");
});
