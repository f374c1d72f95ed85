/** The store: order of keys, snapshots of the past, and the bounded history. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SortedKeys } from "../../../../cluster/apiserver/storage/sorted-keys.ts";
import { Revisions, Store } from "../../../../cluster/apiserver/storage/store.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";

const object = (name: string, value = 0): KubeObject => ({ metadata: { name }, value }) as unknown as KubeObject;

describe("SortedKeys", () => {
  test("keeps what a sorted array would, at every read", () => {
    const ask = fc.record({ afterSteps: fc.integer({ min: 0, max: 700 }), from: fc.integer({ min: 0, max: 3000 }) });
    fc.assert(
      fc.property(
        fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 3000 })), { maxLength: 4000, minLength: 2000 }),
        fc.array(ask, { maxLength: 40 }),
        (steps, asks) => {
          const set = new Set<string>();
          const keys = new SortedKeys(() => set);
          let done = 0;
          for (const { afterSteps, from } of [...asks, { afterSteps: 4000, from: 0 }]) {
            for (const [adds, number] of steps.slice(done, (done += afterSteps))) {
              const key = String(number);
              set[adds ? "add" : "delete"](key);
              keys[adds ? "added" : "removed"](key);
            }
            const sorted = [...set].sort();
            const start = String(from);
            expect([...keys.from(start)]).toEqual(sorted.filter((key) => key >= start));
            expect(keys.rank(start)).toBe(sorted.filter((key) => key < start).length);
          }
        },
      ),
      { numRuns: 30, seed: 1 },
    );
  });

  test("are sorted at the first read, and again only when much has changed since", () => {
    let sorts = 0;
    const set = new Set<string>();
    const keys = new SortedKeys(() => (sorts++, set));
    const add = (key: string): void => (set.add(key), keys.added(key));
    for (let i = 0; i < 10_000; i++) add(`a${i}`);
    for (let i = 0; i < 5_000; i++) {
      set.delete(`a${i}`);
      keys.removed(`a${i}`);
    }
    expect(sorts).toBe(0);
    expect(keys.rank("b")).toBe(5_000);
    for (let i = 0; i < 1_000; i++) {
      add(`b${i}`);
      expect(keys.rank("c")).toBe(5_001 + i);
    }
    expect(sorts).toBe(1);
    for (let i = 0; i < 1_000; i++) add(`c${i}`);
    expect(keys.rank("d")).toBe(7_000);
    expect(sorts).toBe(2);
  });
});

describe("Store", () => {
  test("scan at a revision shows what there was, and count agrees", () => {
    fc.assert(
      fc.property(fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 12 })), { maxLength: 60 }), (steps) => {
        const revisions = new Revisions();
        const store = new Store(revisions, 1000);
        const states = new Map<number, Map<string, number>>([[revisions.current, new Map()]]);
        let state = new Map<string, number>();
        steps.forEach(([puts, number], value) => {
          const key = `ns/${String(number).padStart(2, "0")}`;
          state = new Map(state);
          if (puts) {
            store.put(key, object(key, value));
            state.set(key, value);
          } else {
            store.remove(key);
            state.delete(key);
          }
          states.set(revisions.current, state);
        });
        for (const [revision, expected] of states) {
          const sorted = [...expected].sort(([a], [b]) => (a < b ? -1 : 1));
          expect([...store.scan("ns/", "", revision)].map((stored) => [stored.key, stored.object["value"]])).toEqual(
            sorted,
          );
          const from = "ns/05";
          expect([...store.scan("ns/", from, revision)].map((stored) => stored.key)).toEqual(
            sorted.map(([key]) => key).filter((key) => key >= from),
          );
          expect(store.count("ns/", from, revision)).toBe(sorted.filter(([key]) => key >= from).length);
        }
      }),
      { numRuns: 100, seed: 2 },
    );
  });

  test("a prefix keeps namespaces apart", () => {
    const store = new Store(new Revisions(), 10);
    for (const key of ["a/x", "a-b/y", "b/z"]) store.put(key, object(key));
    expect([...store.scan("a/", "")].map((stored) => stored.key)).toEqual(["a/x"]);
    expect([...store.scan("", "")].map((stored) => stored.key)).toEqual(["a-b/y", "a/x", "b/z"]);
  });

  test("the history keeps its newest events", () => {
    const revisions = new Revisions();
    const store = new Store(revisions, 3);
    for (let value = 0; value < 20; value++) store.put("k", object("k", value));
    const revision = revisions.current;
    expect(store.oldestRevision).toBe(revision - 3);
    expect([...store.eventsAfter(revision - 2)].map((event) => event.revision)).toEqual([revision - 1, revision]);
    expect([...store.eventsAfter(store.oldestRevision)]).toHaveLength(3);
  });

  test("every write gets the next revision, a removal too", () => {
    const store = new Store(new Revisions(), 10);
    const events: [string, number][] = [];
    const stop = store.subscribe(({ type, revision }) => events.push([type, revision]));
    store.put("k", object("k"));
    store.put("k", object("k", 1));
    const removed = store.remove("k");
    expect(removed?.object.metadata.resourceVersion).toBe("4");
    expect(store.remove("k")).toBeUndefined();
    expect(events).toEqual([
      ["ADDED", 2],
      ["MODIFIED", 3],
      ["DELETED", 4],
    ]);
    stop();
    store.put("k", object("k"));
    expect(events).toHaveLength(3);
  });
});
