/**
 * No file reaches itself by imports, types included: each can be read and changed with those below it alone. circles.ts
 * finds the circles, and says where to cut one.
 */
import { describe, expect, test } from "vitest";
import { type Arrow, arrowsBetween, type Circle, circlesOf, sentenceOf } from "./circles.ts";
import { files } from "./sources.ts";

const FOLDERS = ["assembly", "bindings", "cluster", "host-node", "host-browser", "scripts", "test"];

/**
 * The one circle that stays. A Job has its pods, its sync and its index table, and each of these points back to its
 * Job: records of the engine's memory, which refer to each other by nature. AssemblyScript has no import of types
 * alone, and an interface between them would make each access a call.
 */
const RECORDS = [
  "assembly/model/index-table.ts",
  "assembly/model/job.ts",
  "assembly/model/pod-template.ts",
  "assembly/model/pod.ts",
  "assembly/model/sync.ts",
];

const sources = files.filter((file) => /\.(ts|tsx|mjs)$/.test(file) && FOLDERS.includes(file.split("/")[0]!));
const circles = circlesOf(arrowsBetween(sources));

function isOfRecords(circle: Circle): boolean {
  return circle.files.every((file) => RECORDS.includes(file));
}

function arrow(way: string, names: readonly string[] = [], isTypeOnly = false): Arrow {
  const [from = "", to = ""] = way.split(" ");
  return { from, to, isTypeOnly, names };
}

describe("circles of imports", () => {
  test("are nowhere but among the records of the engine", () => {
    expect(sources.length).toBeGreaterThan(FOLDERS.length);
    expect(circles.filter((circle) => !isOfRecords(circle)).map(sentenceOf)).toEqual([]);
  });

  test("are excepted only where there is one", () => {
    expect(circles.filter(isOfRecords).flatMap((circle) => circle.files)).toEqual(RECORDS);
  });
});

describe("a planted circle", () => {
  test("is found, with its shortest round trip and the other files", () => {
    const arrows = ["a b", "b c", "c d", "d a", "c b", "d out", "in a"].map((way) => arrow(way, ["x"]));
    const [circle, ...others] = circlesOf(arrows);
    expect(others).toEqual([]);
    expect(circle!.files).toEqual(["a", "b", "c", "d"]);
    expect(sentenceOf(circle!)).toBe("b -> c -> b; cut b -> c: the value x; 2 more: a, d");
  });

  test.each([
    ["of one file", ["a a"], [["a"]]],
    ["of two", ["b a", "a b"], [["a", "b"]]],
    [
      "beside another, the larger first",
      ["a b", "b a", "x y", "y z", "z x", "b x"],
      [
        ["x", "y", "z"],
        ["a", "b"],
      ],
    ],
    ["that shares a file with another", ["a b", "b a", "b c", "c b"], [["a", "b", "c"]]],
    ["is not what meets again", ["a b", "a c", "b d", "c d"], []],
    ["is not a file that was visited before", ["a b", "c a", "c b", "b d"], []],
  ])("%s", (_, ways, expected) => {
    for (const arrows of [ways, ways.toReversed()])
      expect(circlesOf(arrows.map((way) => arrow(way))).map((circle) => circle.files)).toEqual(expected);
  });

  test("is cut where types alone go, and few of them", () => {
    const sentence = (arrows: readonly Arrow[]) => sentenceOf(circlesOf(arrows)[0]!);
    expect(sentence([arrow("a b", ["f"]), arrow("b a", ["A", "B"], true)])).toBe(
      "a -> b -> a; cut b -> a: the types A, B",
    );
    expect(sentence([arrow("a b", ["A", "B"], true), arrow("b a", ["C"], true)])).toBe(
      "a -> b -> a; cut b -> a: the type C",
    );
    expect(sentence([arrow("a b", []), arrow("b a", ["f"])])).toBe("a -> b -> a; cut a -> b");
  });
});

describe("an arrow", () => {
  const arrowsOf = (texts: Readonly<Record<string, string>>) =>
    arrowsBetween(Object.keys(texts), (file) => texts[file]!).map(({ from, to, isTypeOnly, names }) =>
      [from, to, isTypeOnly ? "types" : "values", ...names].join(" "),
    );

  test.each([
    ['import { a, type B } from "./y.ts";', ["f/x.ts f/y.ts values a B"]],
    ['import type { A } from "./y.ts";', ["f/x.ts f/y.ts types A"]],
    ['import {\n  type A,\n  type B,\n} from "./y.ts";', ["f/x.ts f/y.ts types A B"]],
    ['export type * from "./y.ts";', ["f/x.ts f/y.ts types *"]],
    ['export * from "./y.ts";', ["f/x.ts f/y.ts values *"]],
    ['import y, { a as b } from "./y.ts";', ["f/x.ts f/y.ts values y a as b"]],
    ['import "./y.ts";', ["f/x.ts f/y.ts values"]],
    ['import { a } from "./y";', ["f/x.ts f/y.ts values a"]],
    ['import * as z from "./z";', ["f/x.ts f/z/index.ts values * as z"]],
    ['import type { A } from "./y.ts";\nimport { b } from "./y.ts";', ["f/x.ts f/y.ts values A b"]],
    ['let a: import("./y.ts").A;', ["f/x.ts f/y.ts types"]],
    ['type Y = typeof import("./y.ts");', ["f/x.ts f/y.ts types"]],
    ['const { a } = await import("./y.ts");', []],
    ['import("./y.ts").then(({ a }) => a());', []],
    ['import fs from "node:fs";\nimport { a } from "./out.ts";', []],
    ['// import { a } from "./y.ts";', []],
  ])("of %j", (text, expected) => {
    expect(arrowsOf({ "f/x.ts": text, "f/y.ts": "", "f/z/index.ts": "" })).toEqual(expected);
  });

  test("makes a circle of types alone", () => {
    const texts = {
      "f/x.ts": 'import { y } from "./y.ts";',
      "f/y.ts": 'import type { X } from "./x.ts";',
    };
    const [circle] = circlesOf(arrowsBetween(Object.keys(texts), (file) => texts[file as keyof typeof texts]));
    expect(sentenceOf(circle!)).toBe("f/x.ts -> f/y.ts -> f/x.ts; cut f/y.ts -> f/x.ts: the type X");
  });
});
