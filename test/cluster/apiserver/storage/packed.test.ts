/** Packed objects: what comes out is what went in, and it takes little. */
import fc from "fast-check";
import { expect, test, vi } from "vitest";
import { Template, Templates } from "../../../../cluster/apiserver/storage/packed.ts";
import { Revisions, Store } from "../../../../cluster/apiserver/storage/store.ts";
import type { KubeObject } from "../../../../cluster/values/types.ts";

const KNOWN = ["known", "7"];

function unpacked(sample: KubeObject, object: KubeObject): KubeObject | undefined {
  const template = new Template(sample);
  const packed = template.pack(object, KNOWN);
  return packed === undefined ? undefined : template.unpack(packed, 0, KNOWN);
}

function objectOf(members: object): KubeObject {
  return { metadata: {}, ...members } as unknown as KubeObject;
}

const texts = fc.oneof(
  fc.string({ maxLength: 12 }),
  fc.string({ unit: "binary", maxLength: 300 }),
  fc.uuid(),
  fc
    .tuple(fc.uuid(), fc.nat(35), fc.constantFrom(..."-g/:`A0"))
    .map(([uid, at, c]) => uid.slice(0, at) + c + uid.slice(at + 1)),
  fc.constantFrom(..."0a9f").map((digit) => digit.repeat(40)),
  fc.constantFrom("known", "7", "simulated://00ff00ff00ff00ff", "simulated://10ff00ff00ff00f", "2026-01-01T00:00:00Z"),
);
const scalars = fc.oneof(texts, fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }), fc.boolean());
const values = fc.letrec((tie) => ({
  value: fc.oneof(
    { depthSize: "small" },
    scalars,
    fc.constant(null),
    fc.array(tie("value"), { maxLength: 3 }),
    fc.dictionary(fc.constantFrom("a", "b", "constructor", "__proto__", "1"), tie("value"), { maxKeys: 4 }),
  ),
})).value;

test("an object is what it was, member for member, or is not packed", () => {
  fc.assert(
    fc.property(values, values, (a, b) => {
      const [sample, object] = [a, b].map((value) => JSON.parse(JSON.stringify({ metadata: {}, value })) as KubeObject);
      const found = unpacked(sample!, object!);
      if (found !== undefined) expect(JSON.stringify(found)).toBe(JSON.stringify(object));
    }),
    { numRuns: 3000 },
  );
});

test("values of one form are packed, if their texts are not long and their characters take one byte", () => {
  const members = fc.record({ a: texts, b: texts, c: fc.integer(), list: fc.tuple(texts, texts) });
  fc.assert(
    fc.property(members, members, (a, b) => {
      const object = objectOf(b);
      const found = unpacked(objectOf(a), object);
      if (found === undefined)
        expect([b.a, b.b, ...b.list].some((text) => text.length > 255 || /[^\0-\xff]/.test(text))).toBe(true);
      else expect(JSON.stringify(found)).toBe(JSON.stringify(object));
    }),
    { numRuns: 3000 },
  );
});

test.each<[string, object, object]>([
  ["another member", { a: "x" }, { a: "x", b: "y" }],
  ["one member less", { a: "x" }, {}],
  ["another order", { a: "x", b: 1 }, { b: 1, a: "x" }],
  ["another kind of value", { a: "x" }, { a: 1 }],
  ["a longer list", { list: ["x"] }, { list: ["x", "y"] }],
  ["a list for an object", { list: { 0: "x" } }, { list: ["x"] }],
])("%s is another form", (_what, sample, object) => {
  expect(unpacked(objectOf(sample), objectOf(object))).toBeUndefined();
});

test("packed objects share equal parts with the template", () => {
  const sample = objectOf({ spec: { containers: ["c"] }, status: { phase: "Succeeded", podIP: "10.0.0.1" } });
  const object = objectOf({ spec: { containers: ["c"] }, status: { phase: "Succeeded", podIP: "10.0.0.2" } });
  const found = unpacked(sample, object)!;
  expect(found).toEqual(object);
  expect(found["spec"]).toBe(sample["spec"]);
  expect(sample["status"].podIP).toBe("10.0.0.1");
});

test("few templates are kept for a name, and other objects are not packed", () => {
  const templates = new Templates();
  const grown = (members: number): KubeObject =>
    objectOf(Object.fromEntries(Array.from({ length: members }, (_, i) => [`m${i}`, "x"])));
  for (let i = 0; i < 100; i++) expect(templates.pack("n", grown(i), KNOWN)).toBeUndefined();
  const packed = Array.from({ length: 100 }, (_, i) => templates.pack("n", grown(i), KNOWN) !== undefined);
  expect(packed.filter(Boolean)).toHaveLength(8);
  for (let i = 0; i < 1_000; i++) templates.pack(`name ${i}`, grown(1), KNOWN);
  expect(templates.pack("name 999", grown(1), KNOWN)).toBeUndefined();
});

test("packed objects share pages, and one that does not fit has its own", () => {
  const templates = new Templates();
  const pod = (name: string): KubeObject =>
    objectOf({ metadata: { name, uid: crypto.randomUUID() }, spec: { hostname: name } });
  templates.pack("n", pod("pod-0"), ["pod-0"]);
  const pods = Array.from({ length: 500 }, (_, i) => pod(`pod-${i}`));
  const packed = pods.map((object) => templates.pack("n", object, [object.metadata.name])!);
  // Some thirty bytes each.
  const pages = new Set(packed.map(([page]) => page));
  expect([...pages].reduce((sum, { codes }) => sum + codes.buffer.byteLength, 0)).toBeLessThan(500 * 50);
  packed.forEach(([{ template, codes }, from], i) =>
    expect(template.unpack(codes, from, [pods[i]!.metadata.name])).toEqual(pods[i]),
  );
  const long = objectOf({ list: Array.from({ length: 200 }, () => "x") });
  templates.pack("long", long, []);
  const other = objectOf({ list: Array.from({ length: 200 }, (_, i) => `${i}`.padStart(200, "y")) });
  const [{ template, codes }, from] = templates.pack("long", other, [])!;
  expect(template.unpack(codes, from, [])).toEqual(other);
});

const HISTORY = 200;

function storeOf(isFinished: (object: KubeObject) => boolean): {
  readonly store: Store;
  readonly put: (name: string, phase: string) => { readonly object: KubeObject };
} {
  const store = new Store(new Revisions(), HISTORY, (object) => (isFinished(object) ? "finished" : undefined));
  const put = (name: string, phase: string): { readonly object: KubeObject } =>
    store.put(`default/${name}`, objectOf({ metadata: { name, uid: `uid of ${name}` }, status: { phase } }));
  return { store, put };
}

test("a store packs what is finished when its latest version is not recent, and reads it as before", () => {
  const { store, put } = storeOf(({ status }) => status?.phase === "Succeeded");
  const names = Array.from({ length: 12 }, (_, i) => `p${i}`);
  for (const name of names) put(name, "Running");
  const written = names.map((name) => put(name, "Succeeded"));
  const objects = written.map(({ object }) => object);
  for (let i = 0; i <= HISTORY; i++) put("other", "Running");
  const isWhole = written.map(({ object }, i) => object === objects[i]);
  // The first one is the template.
  expect(isWhole.filter(Boolean)).toHaveLength(1);
  expect(JSON.stringify(written.map(({ object }) => object))).toBe(JSON.stringify(objects));
  expect([...store.scan("default/p", "")].length).toBe(names.length);
  expect(JSON.parse(store.get("default/p5")!.text)).toEqual(objects[5]);
});

test("the last version of what was deleted is packed too", () => {
  const { store, put } = storeOf(({ status }) => status?.phase === "Succeeded");
  const gone = [put("a", "Succeeded"), put("b", "Succeeded")];
  const objects = gone.map(({ object }) => object);
  for (const name of ["a", "b"]) store.remove(`default/${name}`);
  for (let i = 0; i <= HISTORY; i++) put("other", "Running");
  expect(gone[1]!.object).toEqual(objects[1]);
  expect(gone[1]!.object).not.toBe(objects[1]);
});

test("a packed object is removed without being unpacked, unless it is read", () => {
  const { store, put } = storeOf(() => true);
  const names = Array.from({ length: 300 }, (_, i) => `p${i}`);
  for (const name of names) put(name, "Succeeded");
  const last = store.get("default/p1")!.object;
  const unpack = vi.spyOn(Template.prototype, "unpack");
  const removed = names.map((name) => store.remove(`default/${name}`)!);
  // The 128 that were written last are not packed yet.
  expect(unpack).toHaveBeenCalledTimes(0);
  const { resourceVersion, ...metadata } = removed[1]!.object.metadata;
  expect({ ...last, metadata: { ...metadata, resourceVersion: last.metadata.resourceVersion } }).toEqual(last);
  expect(Number(resourceVersion)).toBe(removed[1]!.revision);
  expect(removed[1]!.object).toBe(removed[1]!.object);
  expect(unpack).toHaveBeenCalledTimes(1);
  unpack.mockRestore();
});

test("an object that changes after it was packed is written as before", () => {
  const { store, put } = storeOf(() => true);
  const objects = Array.from({ length: 10 }, (_, i) => put(`p${i}`, "Succeeded").object);
  const { metadata, ...rest } = store.get("default/p2")!.object;
  store.put("default/p2", { metadata: { ...metadata, labels: { a: "b" } }, ...rest });
  const found = store.get("default/p2")!.object;
  expect(found).toEqual({
    ...objects[2],
    metadata: { ...objects[2]!.metadata, labels: { a: "b" }, resourceVersion: found.metadata.resourceVersion },
  });
});
