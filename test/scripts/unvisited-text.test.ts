/** The collection of garbage leaves constant text out, and visits everything else that it visited. */
import binaryen from "binaryen";
import { expect, test } from "vitest";
import { leaveTextUnvisited } from "../../scripts/unvisited-text.ts";

const STRING = 2;
const ARRAY = 9;

/** A module whose collection visits a string at 16, an array at 48, and what a global refers to. */
function moduleThatVisits(...visits: string[]): binaryen.Module {
  return binaryen.parseText(`(module
    (memory 1)
    (data (i32.const 8) "\\0${STRING}\\00\\00\\00\\02\\00\\00\\00a\\00")
    (data (i32.const 40) "\\0${ARRAY}\\00\\00\\00\\04\\00\\00\\00\\10\\00\\00\\00")
    (global $held (mut i32) (i32.const 0))
    (func $~lib/rt/tcms/__visit (param i32) (drop (local.get 0)))
    (func $assembly/memory/garbage/collectGarbage (block ${visits.join("")}))
  )`);
}

const visitOf = (what: string): string => `(call $~lib/rt/tcms/__visit (${what}))`;
const visited = (module: binaryen.Module): string[] =>
  [...module.emitText().matchAll(/\(call \$~lib\/rt\/tcms\/__visit\s+\(([^)]*)\)/g)].map(([, what]) => what!);

test("the visit of a string in static data is left out; those of an array and of a global stay", () => {
  const module = moduleThatVisits(visitOf("i32.const 16"), visitOf("i32.const 48"), visitOf("global.get $held"));
  leaveTextUnvisited(binaryen, module);
  expect(module.validate()).toBe(1);
  expect(visited(module)).toEqual(["i32.const 48", "global.get $held"]);
});

test("a collection without a visit of text is an error: the compiler may write it in another way now", () => {
  expect(() =>
    leaveTextUnvisited(binaryen, moduleThatVisits(visitOf("i32.const 48"), visitOf("i32.const 48"))),
  ).toThrow("assembly/memory/garbage/collectGarbage visits no constant text");
});

test("a module without a collection stays as it is", () => {
  const module = binaryen.parseText("(module (func $other))");
  const text = module.emitText();
  leaveTextUnvisited(binaryen, module);
  expect(module.emitText()).toBe(text);
});
