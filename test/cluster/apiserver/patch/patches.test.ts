/** The three patch formats on plain documents: RFC 6902, RFC 7386, and docs/spec/api.md 6.6. */
import { describe, expect, test } from "vitest";
import { MAX_DEPTH } from "../../../../cluster/values/go-json.ts";
import {
  applyJsonPatch,
  JsonPatchError,
  type JsonPatchOperation,
  MAX_COPIED_BYTES,
  MAX_MOVED_ELEMENTS,
} from "../../../../cluster/apiserver/patch/json-patch.ts";
import { applyMergePatch } from "../../../../cluster/apiserver/patch/merge-patch.ts";
import { applyStrategicMergePatch } from "../../../../cluster/apiserver/patch/strategic-merge-patch.ts";
import { structType } from "../../../../cluster/apiserver/schema/schema.ts";
import type { Json, JsonObject } from "../../../../cluster/values/types.ts";

describe("JSON patch", () => {
  const document = { a: { b: [1, 2] }, "x/y": 1, n: null };
  const cases: readonly (readonly [string, JsonPatchOperation[], Json])[] = [
    ["add a member", [{ op: "add", path: "/a/c", value: 1 }], { ...document, a: { b: [1, 2], c: 1 } }],
    ["add into a list", [{ op: "add", path: "/a/b/1", value: 9 }], { ...document, a: { b: [1, 9, 2] } }],
    ["append", [{ op: "add", path: "/a/b/-", value: 9 }], { ...document, a: { b: [1, 2, 9] } }],
    ["remove", [{ op: "remove", path: "/a/b/0" }], { ...document, a: { b: [2] } }],
    ["replace, with an escaped key", [{ op: "replace", path: "/x~1y", value: 2 }], { ...document, "x/y": 2 }],
    ["replace everything", [{ op: "replace", path: "", value: { z: 1 } }], { z: 1 }],
    ["move", [{ op: "move", from: "/a/b", path: "/c" }], { a: {}, "x/y": 1, n: null, c: [1, 2] }],
    ["copy", [{ op: "copy", from: "/a/b/0", path: "/c" }], { ...document, c: 1 }],
    ["test, order of members does not count", [{ op: "test", path: "/a", value: { b: [1, 2] } }], document],
    ["test of a missing member for null", [{ op: "test", path: "/none", value: null }], document],
    ["replace a member that is not there", [{ op: "replace", path: "/none", value: 1 }], { ...document, none: 1 }],
    ["copy a member that is not there", [{ op: "copy", from: "/none", path: "/c" }], { ...document, c: null }],
    [
      "count from the end of a list",
      [
        { op: "remove", path: "/a/b/-2" },
        { op: "add", path: "/a/b/-1", value: 3 },
      ],
      { ...document, a: { b: [2, 3] } },
    ],
    ["an index with a leading zero", [{ op: "replace", path: "/a/b/01", value: 9 }], { ...document, a: { b: [1, 9] } }],
    ["the part before the first slash", [{ op: "add", path: "x/c", value: 1 }], { ...document, c: 1 }],
    [
      "a member called __proto__",
      [{ op: "add", path: "/__proto__", value: 1 }],
      JSON.parse('{"a":{"b":[1,2]},"x/y":1,"n":null,"__proto__":1}'),
    ],
    [
      "a copy is changed without its original",
      [
        { op: "copy", from: "/a", path: "/c" },
        { op: "add", path: "/c/b/0", value: 0 },
      ],
      { ...document, c: { b: [0, 1, 2] } },
    ],
    [
      "what was added is changed",
      [
        { op: "add", path: "/c", value: { d: [] } },
        { op: "add", path: "/c/d/-", value: 1 },
        { op: "test", path: "/c", value: { d: [1] } },
      ],
      { ...document, c: { d: [1] } },
    ],
  ];
  for (const [name, operations, result] of cases) {
    test(name, () => {
      const before = structuredClone(document);
      expect(applyJsonPatch(document, operations)).toEqual(result);
      expect(document).toEqual(before);
    });
  }
  const refused: readonly JsonPatchOperation[] = [
    { op: "remove", path: "/none" },
    { op: "move", from: "/none", path: "/c" },
    { op: "add", path: "/none/x", value: 1 },
    { op: "add", path: "/n/x", value: 1 },
    { op: "add", path: "/a/b/3", value: 1 },
    { op: "test", path: "/a/b/0", value: 2 },
    { op: "bogus", path: "/a" },
    { op: "add", path: "a", value: 1 },
    { op: "move", path: "/c" },
    { op: "add", path: "/a/b/1.5", value: 1 },
    { op: "add", path: "", value: {} },
    { op: "copy", from: "", path: "/c" },
    { op: "replace", path: "", value: 1 },
    { op: "replace", path: "/a/b/-3", value: 1 },
    { op: "test", path: "/a", value: {} },
  ];
  for (const operation of refused)
    test(`refuses ${JSON.stringify(operation)}`, () =>
      expect(() => applyJsonPatch(document, [operation])).toThrow(JsonPatchError));
});

describe("what a JSON patch may cost", () => {
  const apply = (...operations: JsonPatchOperation[]): Json => applyJsonPatch({ seed: "x".repeat(100) }, operations);
  const times = (count: number, make: (n: number) => JsonPatchOperation): JsonPatchOperation[] =>
    Array.from({ length: count }, (_, n) => make(n));
  const members = (count: number): JsonObject =>
    Object.fromEntries(Array.from({ length: count }, (_, n) => [`k${n}`, n]));

  test("nested copies are refused beyond three mebibytes", () => {
    // Each doubles what is there.
    const doubling = (count: number): JsonPatchOperation[] => [
      { op: "add", path: "/a", value: {} },
      ...times(count, (n) =>
        n % 2 === 0 ? { op: "copy", from: "/seed", path: `/a/s${n}` } : { op: "copy", from: "/a", path: `/a/c${n}` },
      ),
    ];
    expect(JSON.stringify(apply(...doubling(20))).length).toBeLessThan(2 * MAX_COPIED_BYTES);
    expect(() => apply(...doubling(44))).toThrow(new JsonPatchError("the operations copy more than 3145728 bytes"));
  });

  test("the bytes of copies are counted as JSON", () => {
    const value = { text: "<ü\n", list: [1.5, true, null, {}], "": -1 };
    // As Go writes it, with \\u003c; a comma more in each container.
    const bytes = Buffer.byteLength(JSON.stringify(value).replace("<", "\\u003c")) + 3;
    const fitting = Math.floor(MAX_COPIED_BYTES / bytes);
    const list = times(9_000, () => ({ op: "add", path: "/l/-", value }));
    const all = [{ op: "add", path: "/l", value: [] }, ...list];
    const copies = Math.ceil(fitting / 9_000);
    expect(() =>
      apply(...all, ...times(copies - 1, (n) => ({ op: "copy", from: "/l", path: `/c${n}` }))),
    ).not.toThrow();
    expect(() => apply(...all, ...times(copies, (n) => ({ op: "copy", from: "/l", path: `/c${n}` })))).toThrow(
      "copy more than",
    );
  });

  test("a long list is not pushed about for ever", () => {
    const long: JsonPatchOperation = { op: "add", path: "/l", value: Array.from({ length: 1_000_000 }, () => 0) };
    const fitting = MAX_MOVED_ELEMENTS / 1_000_000 - 1;
    expect(() => apply(long, ...times(fitting, () => ({ op: "add", path: "/l/0", value: 1 })))).not.toThrow();
    expect(() => apply(long, ...times(10_000, () => ({ op: "add", path: "/l/0", value: 1 })))).toThrow(
      "move more than 20000000 list elements",
    );
    expect(() => apply(long, ...times(10_000, () => ({ op: "remove", path: "/l/0" })))).toThrow("move more than");
    expect(() => apply(long, ...times(10_000, () => ({ op: "add", path: "/l/-", value: 1 })))).not.toThrow();
  });

  test("ten thousand operations on an object with many members do not copy it ten thousand times", () => {
    const many: JsonPatchOperation = { op: "add", path: "/m", value: members(200_000) };
    expect(
      Object.keys(
        (apply(many, ...times(9_999, (n) => ({ op: "add", path: `/m/n${n}`, value: n }))) as { m: object }).m,
      ),
    ).toHaveLength(209_999);
    expect(() => apply(many, ...times(9_999, (n) => ({ op: "remove", path: `/m/k${n}` })))).not.toThrow();
  });

  test("the outcome is not deeper than a document may be", () => {
    const deep = JSON.parse(`${'{"a":'.repeat(MAX_DEPTH - 2)}{}${"}".repeat(MAX_DEPTH - 2)}`) as Json;
    expect(() => apply({ op: "add", path: "/d", value: deep })).not.toThrow();
    expect(() => apply({ op: "add", path: "/d", value: { deep } })).toThrow(`nested more than ${MAX_DEPTH} deep`);
    expect(() =>
      apply({ op: "add", path: "/d", value: deep }, { op: "copy", from: "/d", path: `/d${"/a".repeat(500)}/b` }),
    ).toThrow("nested more than");
  });
});

test("merge patch takes a member called __proto__ for one", () => {
  expect(JSON.stringify(applyMergePatch({}, JSON.parse('{"__proto__":{"a":1}}')))).toBe('{"__proto__":{"a":1}}');
});

test("a strategic merge patch takes a member called __proto__ for one, too, and changes no prototype", () => {
  const patch = JSON.parse('{"metadata":{"labels":{"__proto__":"x","a":null},"__proto__":{"name":"y"}}}') as JsonObject;
  const patched = applyStrategicMergePatch({ metadata: { labels: { a: "1", b: "2" } } }, patch, structType("Job"));
  expect(JSON.stringify(patched)).toBe('{"metadata":{"labels":{"b":"2","__proto__":"x"},"__proto__":{"name":"y"}}}');
  expect((patched.metadata as JsonObject).name).toBeUndefined();
});

test("merge patch: the cases of RFC 7386, appendix A", () => {
  const cases: readonly (readonly [Json, Json, Json])[] = [
    [{ a: "b" }, { a: "c" }, { a: "c" }],
    [{ a: "b" }, { b: "c" }, { a: "b", b: "c" }],
    [{ a: "b" }, { a: null }, {}],
    [{ a: "b", b: "c" }, { a: null }, { b: "c" }],
    [{ a: ["b"] }, { a: "c" }, { a: "c" }],
    [{ a: "c" }, { a: ["b"] }, { a: ["b"] }],
    [{ a: { b: "c" } }, { a: { b: "d", c: null } }, { a: { b: "d" } }],
    [{ a: [{ b: "c" }] }, { a: [1] }, { a: [1] }],
    [{ e: null }, { a: 1 }, { e: null, a: 1 }],
    [[1, 2], { a: "b", c: null }, { a: "b" }],
    [{}, { a: { bb: { ccc: null } } }, { a: { bb: {} } }],
  ];
  for (const [document, patch, result] of cases) expect(applyMergePatch(document, patch)).toEqual(result);
});

describe("strategic merge patch", () => {
  const job = structType("Job");
  const apply = (document: Json, patch: Json): Json =>
    applyStrategicMergePatch(document as JsonObject, patch as JsonObject, job);
  const conditions = (...types: string[]): JsonObject => ({ status: { conditions: types.map((type) => ({ type })) } });
  const containers = (...list: Json[]): JsonObject => ({ spec: { template: { spec: { containers: list } } } });
  const finalizers = (...list: string[]): JsonObject => ({ metadata: { finalizers: list } });

  const cases: readonly (readonly [string, Json, Json, Json])[] = [
    [
      "new elements come before those that the patch does not name",
      conditions("Suspended"),
      conditions("FailureTarget", "Failed"),
      conditions("FailureTarget", "Failed", "Suspended"),
    ],
    [
      "elements merge by their key",
      containers({ name: "a", image: "1" }, { name: "b", image: "2" }),
      containers({ name: "b", image: "3" }),
      containers({ name: "a", image: "1" }, { name: "b", image: "3" }),
    ],
    [
      "$patch delete removes an element",
      containers({ name: "a" }, { name: "b" }),
      containers({ name: "a", $patch: "delete" }),
      containers({ name: "b" }),
    ],
    [
      "$patch replace replaces the list",
      containers({ name: "a" }, { name: "b" }),
      containers({ $patch: "replace" }, { name: "c" }),
      containers({ name: "c" }),
    ],
    [
      "nested keyed lists",
      containers({ name: "a", env: [{ name: "X", value: "1" }] }),
      containers({ name: "a", env: [{ name: "Y", value: "2" }] }),
      containers({
        name: "a",
        env: [
          { name: "Y", value: "2" },
          { name: "X", value: "1" },
        ],
      }),
    ],
    [
      "lists without a key are replaced",
      containers({ name: "a", args: ["1", "2"] }),
      containers({ name: "a", args: ["3"] }),
      containers({ name: "a", args: ["3"] }),
    ],
    ["finalizers are a set", finalizers("a/b", "c/d"), finalizers("e/f"), finalizers("e/f", "a/b", "c/d")],
    ["null clears a list", finalizers("a/b"), { metadata: { finalizers: null } }, { metadata: {} }],
    [
      "$deleteFromPrimitiveList",
      finalizers("a/b", "c/d"),
      { metadata: { "$deleteFromPrimitiveList/finalizers": ["a/b"] } },
      finalizers("c/d"),
    ],
    [
      "ownerReferences by uid",
      { metadata: { ownerReferences: [{ uid: "1" }, { uid: "2" }] } },
      { metadata: { ownerReferences: [{ $patch: "delete", uid: "1" }] } },
      { metadata: { ownerReferences: [{ uid: "2" }] } },
    ],
    [
      "an empty object clears nothing",
      { status: { uncountedTerminatedPods: { failed: ["u"] } } },
      { status: { uncountedTerminatedPods: {} } },
      { status: { uncountedTerminatedPods: { failed: ["u"] } } },
    ],
    [
      "$patch replace replaces a map",
      { metadata: { labels: { a: "1" } } },
      { metadata: { labels: { $patch: "replace", b: "2" } } },
      { metadata: { labels: { b: "2" } } },
    ],
    [
      "$retainKeys drops the others",
      { spec: { a: 1, b: 2 } },
      { spec: { $retainKeys: ["a"], a: 3 } },
      { spec: { a: 3 } },
    ],
    [
      "$setElementOrder with its list",
      containers({ name: "a" }, { name: "b" }),
      {
        spec: {
          template: {
            spec: {
              "$setElementOrder/containers": [{ name: "b" }, { name: "a" }, { name: "c" }],
              containers: [{ name: "c", image: "x" }],
            },
          },
        },
      },
      containers({ name: "b" }, { name: "a" }, { name: "c", image: "x" }),
    ],
    [
      "$setElementOrder alone reorders",
      containers({ name: "a" }, { name: "b" }),
      { spec: { template: { spec: { "$setElementOrder/containers": [{ name: "b" }, { name: "a" }] } } } },
      containers({ name: "b" }, { name: "a" }),
    ],
    [
      "directives of a new map are not kept",
      { spec: {} },
      { spec: { template: { $patch: "replace", metadata: {} } } },
      { spec: { template: { metadata: {} } } },
    ],
  ];
  for (const [name, document, patch, result] of cases) {
    test(name, () => {
      const before = structuredClone(document);
      expect(apply(document, patch)).toEqual(result);
      expect(document).toEqual(before);
    });
  }

  test("an element without its merge key", () => {
    expect(() => apply(containers({ name: "a" }), containers({ image: "x" }))).toThrow(
      "map: map[image:x] does not contain declared merge key: name",
    );
  });
});
