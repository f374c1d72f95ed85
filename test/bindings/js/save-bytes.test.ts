/**
 * A save as bytes: what is written is read again, whatever it holds; the engine continues; damage is refused. The tests
 * of Go and Python write and read the same file of test/vectors/save/.
 */
import { expect, test } from "vitest";
import { Engine, EngineError } from "../../../bindings/js/engine.ts";
import { decodeSave, encodeSave, restoreBytes, saveBytes } from "../../../bindings/js/save.ts";
import { goOn, loadSaveVector, playToSave } from "./saved-engine.ts";
import { engineModule, moduleSha256, newEngine } from "./vector-files.ts";

const vector = loadSaveVector();
const sha256 = "00112233445566778899aabbccddeeff00112233445566778899aabbccddeeff";
const small = {
  moduleSha256: sha256,
  memory: new Uint8Array(65_536).fill(7),
  globals: { "global:0": -1, "global:1": 9_007_199_254_740_993n, "global:2": 0.1 },
};

test("the bytes are those that ABI.md says", () => {
  const bytes = encodeSave(small, { nowMs: 1500, openRequests: [12, 3] });
  expect(bytes.length).toBe(64 + 3 * 16 + 2 * 8 + 65_536);
  expect(Buffer.from(bytes.subarray(0, 64)).toString("hex")).toBe(
    `${Buffer.from("STINTSAV").toString("hex")}0100000003000000${sha256}00000000007097400200000001000000`,
  );
  expect(Buffer.from(bytes.subarray(64, 128)).toString("hex")).toBe(
    [
      "0000000000000000000000000000f0bf",
      "01000000000000000100000000002000",
      "00000000000000009a9999999999b93f",
      "00000000000008400000000000002840",
    ].join(""),
  );
  expect(bytes.subarray(128).every((byte) => byte === 7)).toBe(true);
  expect(decodeSave(bytes)).toEqual({ saved: small, host: { nowMs: 1500, openRequests: [3, 12] } });
});

test("bytes that lie anywhere in a buffer are read, and not kept", () => {
  const bytes = encodeSave(small, { nowMs: 0, openRequests: [] });
  const buffer = new Uint8Array(bytes.length + 3);
  buffer.set(bytes, 3);
  const { saved } = decodeSave(buffer.subarray(3));
  buffer.fill(0);
  expect(saved).toEqual(small);
});

test("an engine with requests under way continues as it would have", async () => {
  const { engine, host } = await playToSave(vector);
  expect(host.openRequests).toEqual(vector.openRequests);
  const bytes = saveBytes(engine, host);
  const restored = await newEngine();
  expect(restoreBytes(restored, bytes)).toEqual(host);
  const next = goOn(restored, host, vector.goOn);
  expect(next.length).toBeGreaterThan(0);
  expect(next).toEqual(goOn(engine, host, vector.goOn));
});

test("what is no whole save is refused, and changes nothing", async () => {
  const { engine, host } = await playToSave(vector);
  const bytes = saveBytes(engine, host);
  const change = (at: number, byte: number): Uint8Array => bytes.with(at, byte);
  for (const [damaged, sentence] of [
    [bytes.subarray(0, 63), "does not begin as one"],
    [change(0, 0), "does not begin as one"],
    [change(8, 2), "is of format 2, this binding reads format 1"],
    [bytes.subarray(1), "does not begin as one"],
    [bytes.subarray(0, -1), `has ${bytes.length - 1} bytes, and should have ${bytes.length}`],
    [change(56, 9), `has ${bytes.length} bytes, and should have ${bytes.length + 7 * 8}`],
    [change(64, 2), "has a global of kind 2; allowed are 0 and 1"],
  ] as const)
    expect(() => restoreBytes(engine, damaged)).toThrow(
      new EngineError(-1, `this is no save of an engine: it ${sentence}`),
    );
  const other = `the save is of module ${"ff".repeat(32)}, this is module ${moduleSha256}`;
  expect(() => restoreBytes(engine, encodeSave({ ...engine.save(), moduleSha256: "ff".repeat(32) }, host))).toThrow(
    other,
  );
  const fewer = encodeSave({ ...engine.save(), globals: {} }, host);
  expect(() => restoreBytes(engine, fewer)).toThrow(
    /^the save was made by another build: it has 0 globals, this module has [1-9]\d*$/,
  );
  expect(Buffer.compare(saveBytes(engine, host), bytes)).toBe(0);
});

test("an engine that does not know its SHA-256 cannot be saved as bytes", async () => {
  const engine = await Engine.create(engineModule);
  expect(() => saveBytes(engine, { nowMs: 0, openRequests: [] })).toThrow(
    "the engine was created without the SHA-256 of its module, which a save must name; give it to Engine.create",
  );
});
