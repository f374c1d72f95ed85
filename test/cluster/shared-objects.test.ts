/**
 * Objects in this process are shared: between versions, between objects that are alike, and with everybody who watches.
 * So no caller may change one, and what is shared must not show in what is written.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import { conform, normalize } from "../../cluster/apiserver/schema/decode.ts";
import { sharing, stringify } from "../../cluster/values/json.ts";
import { applyStrategicMergePatch } from "../../cluster/apiserver/patch/strategic-merge-patch.ts";
import { structType } from "../../cluster/apiserver/schema/schema.ts";
import { Revisions, Store } from "../../cluster/apiserver/storage/store.ts";
import type { Json, JsonObject, KubeObject } from "../../cluster/values/types.ts";
import { buildModule } from "../../scripts/build-engine.ts";
import { runWholeJob } from "../scale/whole-job.ts";
import { configMap, configMaps, Harness } from "./apiserver/harness.ts";
import { tries } from "../tries.ts";

beforeAll(async () => {
  await buildModule("engine");
});

function frozen<T>(value: T): T {
  if (typeof value !== "object" || value === null || Object.isFrozen(value)) return value;
  Object.freeze(value);
  for (const member of Object.values(value)) frozen(member);
  return value;
}

test("no component changes an object that it was shown", async () => {
  const freeze = (_type: string, object: KubeObject): void => void frozen(object);
  const { job } = await runWholeJob(
    { completions: 40, parallelism: 10, backoffLimit: 100, outcome: { exitCodes: [1, 0] } },
    { onPod: freeze, onJob: freeze },
  );
  expect(job["status"]).toMatchObject({ succeeded: 40, failed: 40 });
});

describe("sharing", () => {
  const value = fc.jsonValue({ maxDepth: 4 }) as fc.Arbitrary<Json>;

  test("never shows", () => {
    fc.assert(
      fc.property(value, value, (a, b) => {
        const text = JSON.stringify(a);
        expect(JSON.stringify(sharing(a, b))).toBe(text);
        expect(JSON.stringify(sharing(structuredClone(a), frozen(a)))).toBe(text);
      }),
      { numRuns: tries(2000), seed: 1 },
    );
  });

  test("takes over what is equal, and no more", () => {
    const sample = { spec: { list: [{ a: 1 }, { b: 2 }] }, status: { c: 3 } };
    const alike = { spec: { list: [{ a: 1 }, { b: 3 }] }, status: { c: 3 } };
    const shared = sharing(alike, sample) as typeof sample;
    expect(shared).toEqual(alike);
    expect(shared.status).toBe(sample.status);
    expect(shared.spec.list[0]).toBe(sample.spec.list[0]);
    expect(shared.spec).not.toBe(sample.spec);
    expect(sharing(structuredClone(sample), sample)).toBe(sample);
    // Another order of members is another text.
    expect(JSON.stringify(sharing({ b: 1, a: 1 }, { a: 1, b: 1 }))).toBe('{"b":1,"a":1}');
  });
});

test("a store writes each version as a plain encoder would", () => {
  const store = new Store(new Revisions(), 10);
  const spec = { text: "<&>\u2028", list: [1] };
  const status = { n: 1 };
  const labels = { a: "<&>" };
  const put = (object: object): string => store.put("a", object as KubeObject).text;
  for (const object of [
    { kind: "K", metadata: { name: "a" }, spec },
    { kind: "K", metadata: { name: "a" }, spec, status },
    { kind: "K", metadata: { name: "a", uid: "u", labels }, spec, status },
    { kind: "K", metadata: { name: "a", uid: "u", labels }, spec: { ...spec, list: [2] }, status: undefined },
    { kind: "K", metadata: { name: "a", uid: "u", labels: { ...labels } }, spec, status: null },
    { kind: "K", metadata: { name: "a", uid: "u" }, data: { b: "<" } },
  ]) {
    expect(put(object)).toBe(stringify(store.get("a")!.object));
  }
});

test("a store writes any object as a plain encoder would, also when parts were written before", () => {
  const part = fc.jsonValue({ maxDepth: 3 }) as fc.Arbitrary<Json>;
  const object = fc.dictionary(fc.string({ maxLength: 3, unit: "binary" }), part, { maxKeys: 4 });
  const escaped = fc.constantFrom("<", ">", "&", '"', "\\", "\n", "\u2028", "\u007f", "\ud800", "é");
  fc.assert(
    fc.property(
      fc.array(fc.tuple(object, fc.option(part, { nil: undefined }), escaped), { maxLength: 5 }),
      (states) => {
        const store = new Store(new Revisions(), 3);
        for (const [spec, status, text] of states)
          for (const labels of [{ a: text }, { b: text }]) {
            const metadata = { name: "a", labels, finalizers: [text] };
            store.put("a", { kind: "K", metadata, spec: { text, ...spec }, status } as unknown as KubeObject);
            expect(store.get("a")!.text).toBe(stringify(store.get("a")!.object));
          }
      },
    ),
    { numRuns: tries(1000), seed: 1 },
  );
});

describe("an object that shares members with a known one", () => {
  const type = structType("Pod");
  const known = normalize(
    {
      kind: "Pod",
      apiVersion: "v1",
      metadata: { name: "a", labels: { x: "1" } },
      spec: { containers: [{ name: "c", image: "i" }] },
      status: { phase: "Pending" },
    },
    type,
  );

  test("is decoded as if it shared none", () => {
    for (const change of [
      { status: { phase: "Running", startTime: "2026-01-01T00:00:00+01:00" } },
      { spec: { ...known.spec, nodeName: "n", containers: [...known.spec.containers, { name: "d" }] } },
      { metadata: { ...known.metadata, labels: { y: "2", x: "1" } } },
      { extra: 1 },
    ]) {
      const changed = { ...known, ...change } as unknown as JsonObject;
      const alone = conform(structuredClone(changed), type);
      expect(conform(changed, type, known)).toEqual(alone);
      expect(JSON.stringify(conform(changed, type, known).object)).toBe(JSON.stringify(alone.object));
    }
    expect(conform(known as unknown as JsonObject, type, known).object).toBe(known);
  });

  test("comes out of a patch that changes nothing as the same", () => {
    const document = known as unknown as JsonObject;
    expect(
      applyStrategicMergePatch(
        frozen(document),
        {
          status: { phase: "Pending" },
          spec: { containers: [{ name: "c", image: "i" }], "$setElementOrder/containers": [{ name: "c" }] },
        },
        type,
      ),
    ).toBe(document);
    const patched = applyStrategicMergePatch(document, { status: { phase: "Running" } }, type);
    expect(patched["spec"]).toBe(document["spec"]);
    expect(patched["status"]).toEqual({ phase: "Running" });
  });
});

describe("a watch of objects", () => {
  const watch = (harness: Harness, query = ""): { seen: string[]; close: () => void } => {
    const seen: string[] = [];
    const close = harness.cluster.transport.watchObjects(
      { method: "GET", path: `${configMaps}?watch=1${query}`, headers: {} },
      {
        event: (type, object) => seen.push(`${type} ${object.metadata?.name ?? object["code"] ?? ""}`.trim()),
        end: (error) => seen.push(error ? `end ${error.status}` : "end"),
      },
    );
    return { seen, close };
  };

  test("brings what a watch of lines brings, after the call and in order", () => {
    const harness = new Harness();
    const { seen } = watch(harness, "&timeoutSeconds=5");
    harness.post(configMaps, configMap("a"));
    harness.delete(`${configMaps}/a`);
    expect(seen).toEqual([]);
    harness.clock.advance(5_000);
    expect(seen).toEqual(["ADDED a", "DELETED a", "end"]);
  });

  test("gets its bookmark at its end, because it cannot break off before", () => {
    const harness = new Harness();
    const { seen } = watch(harness, "&allowWatchBookmarks=true&resourceVersion=1&timeoutSeconds=600");
    harness.clock.advance(599_999);
    expect(seen).toEqual([]);
    harness.clock.advance(1);
    expect(seen).toEqual(["BOOKMARK", "end"]);
  });

  test("ends with the answer that refuses it, and says in an event what is too late for one", () => {
    const harness = new Harness();
    const { seen } = watch(harness, "&resourceVersion=x");
    const { seen: late } = watch(harness, "&timeoutSeconds=-1");
    harness.clock.runDeferred();
    expect(seen).toEqual(["end 500"]);
    expect(late).toEqual(["ERROR 500", "end"]);
  });

  test("hears nothing once it is closed", () => {
    const harness = new Harness();
    const { seen, close } = watch(harness);
    harness.post(configMaps, configMap("a"));
    close();
    harness.clock.advance(7_200_000);
    expect(seen).toEqual([]);
  });
});
