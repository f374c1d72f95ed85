/**
 * A saved engine continues bit for bit: each vector is played a second time on an engine that is saved and restored
 * into a fresh instance at each step and each poll (in `npm test` at some of them, others in each vector), and hands
 * out the same to the last byte. At the end both have the same memory.
 */
import { expect, test } from "vitest";
import { Engine, type SavedEngine } from "../../../bindings/js/engine.ts";
import { engineModule, loadVectors, moduleSha256, newEngine } from "./vector-files.ts";
import { type LoadedVector } from "./vector-files.ts";
import { runVector } from "./vector-runner.ts";
import { TRIES_ALL } from "../../tries.ts";

/** What a run handed out, and the engine as it was at the end. */
async function outputsOf(
  { vector, objects }: LoadedVector,
  replaceEngine: (engine: Engine) => Promise<Engine>,
): Promise<{ outputs: unknown[]; last: SavedEngine }> {
  const outputs: unknown[] = [];
  let last: Engine | undefined;
  await runVector(vector, objects, {
    newEngine,
    observe: (output) => outputs.push(output),
    replaceEngine: async (engine) => (last = await replaceEngine(engine)),
  });
  return { outputs, last: last!.save() };
}

/** A save, a fresh instance and a restore for one call in so many. */
const CALLS_A_SAVE = TRIES_ALL ? 1 : 5;

const vectors = loadVectors().map((loaded, at) => ({ ...loaded, at, name: `${loaded.file}: ${loaded.vector.name}` }));

test.each(vectors)("$name", async (loaded) => {
  const plain = await outputsOf(loaded, async (engine) => engine);
  let calls = loaded.at;
  const restored = await outputsOf(loaded, async (engine) => {
    if (calls++ % CALLS_A_SAVE !== 0) return engine;
    const fresh = await newEngine();
    fresh.restore(engine.save());
    return fresh;
  });
  expect(restored.outputs).toEqual(plain.outputs);
  expect(restored.last.globals).toEqual(plain.last.globals);
  expect(Buffer.compare(restored.last.memory, plain.last.memory)).toBe(0);
});

test("what happens after a save does not reach into it", async () => {
  const engine = await newEngine();
  const saved = engine.save();
  engine.configure({
    instance: "a",
    sources: [
      { id: 0, resource: "jobs" },
      { id: 1, resource: "pods" },
    ],
  });
  const restored = await newEngine();
  restored.restore(saved);
  expect(() => restored.ingest(0, 0, "", 1000)).toThrow(/configure comes first/);
  expect(engine.ingest(0, 0, "", 1000)).toBe(0);
});

test("an engine that has grown is restored into a fresh one", async () => {
  const small = await newEngine();
  const before = small.save();
  const large = await newEngine();
  large.explain("a".repeat(4 * 1024 * 1024), "j");
  const after = large.save();
  expect(after.memory.length).toBeGreaterThan(before.memory.length);
  small.restore(after);
  expect(Buffer.compare(small.save().memory, after.memory)).toBe(0);
});

test("a save of another module is refused, naming both", async () => {
  const saved = (await newEngine()).save();
  expect(saved.moduleSha256).toBe(moduleSha256);
  const engine = await newEngine();
  expect(() => engine.restore({ ...saved, moduleSha256: "of-another-module" })).toThrow(
    `the save is of module of-another-module, this is module ${moduleSha256}`,
  );
});

test("an engine that does not know its SHA-256 restores no save, not even its own", async () => {
  const engine = await Engine.create(engineModule);
  const before = engine.save();
  const refusal = "the engine was created without the SHA-256 of its module";
  expect(() => engine.restore(before)).toThrow(refusal);
  expect(() => engine.restore({ ...before, moduleSha256 })).toThrow(refusal);
  const known = await newEngine();
  expect(() => known.restore(before)).toThrow("the save is of module , this is module ");
});
