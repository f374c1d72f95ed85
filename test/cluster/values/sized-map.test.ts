/** A map that is limited by its entries and by their size. */
import { describe, expect, it } from "vitest";
import { SizedMap } from "../../../cluster/values/sized-map.ts";

describe("SizedMap", () => {
  it("forgets what was put longest ago, beyond the limit of its size", () => {
    const map = new SizedMap<string, number>(100, 10);
    map.put("a", 1, 4);
    map.put("b", 2, 4);
    map.put("a", 3, 5);
    map.put("c", 4, 5);
    expect(["a", "b", "c"].map((key) => map.get(key))).toEqual([3, undefined, 4]);
    expect(map.size).toBe(10);
  });

  it("forgets beyond the limit of its entries, also those of no size", () => {
    const map = new SizedMap<number, number>(2, 10);
    for (let i = 0; i < 5; i++) map.put(i, i, 0);
    expect([2, 3, 4].map((key) => map.has(key))).toEqual([false, true, true]);
  });

  it("takes nothing that is larger than all may be", () => {
    const map = new SizedMap<string, number>(10, 10);
    map.put("a", 1, 11);
    expect(map.get("a")).toBeUndefined();
    expect(map.size).toBe(0);
    map.put("b", 2, 10);
    expect(map.get("b")).toBe(2);
  });

  it("keeps its size right, whatever is put and deleted", () => {
    const map = new SizedMap<number, number>(50, 300);
    const known = new Map<number, number>();
    let state = 7;
    for (let i = 0; i < 20_000; i++) {
      state = (state * 48_271) % 2_147_483_647;
      const key = state % 80;
      if (state % 5 === 0) map.delete(key);
      else map.put(key, i, state % 9);
      known.set(key, state % 5 === 0 ? 0 : state % 9);
    }
    const left = [...known].filter(([key]) => map.has(key)).reduce((sum, [, size]) => sum + size, 0);
    expect(map.size).toBe(left);
    expect(map.size).toBeLessThanOrEqual(300);
  });

  it("refuses a map of no entries", () => {
    expect(() => new SizedMap(0, 1)).toThrow("a map of 0 entries");
  });
});
