/**
 * What the build promises of a module: no imports, and a state that is memory and the exported globals and nothing
 * else.
 */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterEach, beforeAll, expect, test, vi } from "vitest";
import { buildModule, engineFlavour, globalsThatChange, modulePath, sourcesOf } from "../../scripts/build-engine.ts";
import { INTERVAL_SET_BYTES, type LeavesExports } from "../properties/leaves.ts";

let module: WebAssembly.Module;
beforeAll(async () => {
  await buildModule("leaves");
  module = await WebAssembly.compile(readFileSync(modulePath("leaves")));
});

afterEach(() => vi.unstubAllEnvs());

test("a build is a release build unless STINT_ENGINE says otherwise, with a word that is known", () => {
  vi.stubEnv("STINT_ENGINE", undefined);
  expect(engineFlavour()).toBe("release");
  vi.stubEnv("STINT_ENGINE", "debug");
  expect(engineFlavour()).toBe("debug");
  vi.stubEnv("STINT_ENGINE", "fast");
  expect(engineFlavour).toThrow('STINT_ENGINE is "fast"; allowed are release and debug');
});

test("the module has no imports", () => {
  expect(WebAssembly.Module.imports(module)).toEqual([]);
});

test("the description names the exports, and is what an unchanged build returns", async () => {
  const info = await buildModule("leaves");
  expect(info.exports).toEqual(WebAssembly.Module.exports(module).map((entry) => entry.name));
  expect(info.bytes).toBe(readFileSync(modulePath("leaves")).length);
  expect(await buildModule("leaves")).toEqual(info);
});

test("every input of an engine build is in its stamp", () => {
  const sources = sourcesOf("engine");
  expect(sources).toContain("assembly/json/reader.ts");
  const importedByScripts = sources
    .filter((file) => file.startsWith("scripts/"))
    .flatMap((file) =>
      [...readFileSync(file, "utf8").matchAll(/ from "(\.{1,2}\/[^"]+)"/g)].map((match) =>
        path.join(path.dirname(file), match[1]!),
      ),
    );
  expect(importedByScripts.length).toBeGreaterThan(0);
  expect(sources).toEqual(expect.arrayContaining(importedByScripts));
});

test("memory and the global:<n> exports carry a state into another instance, the heap's included", async () => {
  const saved = await start();
  const set = saved.exports.allocate(INTERVAL_SET_BYTES);
  for (let index = 0; index < 4_000; index += 2) saved.exports.setAdd(set, index);
  saved.exports.release(saved.exports.allocate(100));

  const restored = await start();
  const bytes = saved.exports.memory.buffer.byteLength;
  restored.exports.memory.grow((bytes - restored.exports.memory.buffer.byteLength) / 65_536);
  new Uint8Array(restored.exports.memory.buffer).set(new Uint8Array(saved.exports.memory.buffer));
  expect(saved.globals.size).toBeGreaterThan(0);
  for (const [name, global] of saved.globals) restored.globals.get(name)!.value = global.value;

  const addresses = [saved, restored].map(({ exports }) => {
    for (let index = 4_000; index < 40_000; index += 3) exports.setAdd(set, index);
    return [exports.setCount(set), exports.allocate(100), exports.allocate(100_000)];
  });
  expect(addresses[1]).toEqual(addresses[0]);
  expect(Buffer.compare(Buffer.from(saved.exports.memory.buffer), Buffer.from(restored.exports.memory.buffer))).toBe(0);
});

test("a save has the globals that something besides the start function sets, in the order of the module", () => {
  const text = [
    "(module",
    " (global $once (mut i32) (i32.const 0))",
    " (global $often (mut i32) (i32.const 0))",
    " (global $both (mut i64) (i64.const 0))",
    " (global $constant i32 (i32.const 1))",
    " (start $begin)",
    " (func $begin (global.set $once (i32.const 1)) (global.set $both (i64.const 1)))",
    " (func $later (global.set $both (i64.const 2)) (global.set $often (global.get $once)))",
    ")",
  ].join("\n");
  expect(globalsThatChange(text)).toEqual(["often", "both"]);
  expect(globalsThatChange(text.replace(" (start $begin)", ""))).toEqual(["once", "often", "both"]);
});

async function start(): Promise<{ exports: LeavesExports; globals: Map<string, WebAssembly.Global> }> {
  const { exports } = await WebAssembly.instantiate(module, {});
  const globals = Object.entries(exports).filter(([name]) => name.startsWith("global:")) as [
    string,
    WebAssembly.Global,
  ][];
  return { exports: exports as unknown as LeavesExports, globals: new Map(globals) };
}
