/** The store: order of keys, snapshots of the past, and the bounded history. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { SortedKeys } from "../../../cluster/apiserver/sorted-keys.ts";
import { Revisions, Store } from "../../../cluster/apiserver/store.ts";
import type { KubeObject } from "../../../cluster/types.ts";

const object = (name: string, value = 0): KubeObject => ({ metadata: { name }, value }) as unknown as KubeObject;

test("SortedKeys keeps what a sorted array would", () => {
  fc.assert(
    fc.property(
      fc.array(fc.tuple(fc.boolean(), fc.integer({ min: 0, max: 3000 })), { maxLength: 4000, minLength: 2000 }),
      fc.integer({ min: 0, max: 3000 }),
      (steps, from) => {
        const keys = new SortedKeys();
        const twin = new Set<string>();
        for (const [adds, number] of steps) {
          const key = String(number);
          if (adds) (keys.add(key), twin.add(key));
          else (keys.delete(key), twin.delete(key));
        }
        const sorted = [...twin].sort();
        const start = String(from);
        expect([...keys.from(start)]).toEqual(sorted.filter((key) => key >= start));
        expect(keys.rank(start)).toBe(sorted.filter((key) => key < start).length);
      },
    ),
    { numRuns: 30, seed: 1 },
  );
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
