/** Packing the literals of a module changes nothing in its memory but where they come from. */
import { readFileSync } from "node:fs";
import asc from "assemblyscript/asc";
import { expect, test } from "vitest";
import { packText } from "../../scripts/pack-text.ts";

const source = `
import "./packed-text";
const gap: StaticArray<i32> = [1, 0, 0, 0, 0, 0, 0, 0, 0, 2];
const words: StaticArray<string> = ["", "a", "sixteen bytes", "a literal that is longer than one block of memory", "…", "behind what is not ASCII", "\\n\\x7f"];
export function word(i: i32): usize { return changetype<usize>(words[i]); }
export function number(i: i32): i32 { return gap[i]; }
`;

async function compile(): Promise<Uint8Array> {
  let binary: Uint8Array | undefined;
  const files: Record<string, string> = {
    "index.ts": source,
    "packed-text.ts": readFileSync(new URL("../../assembly/memory/packed-text.ts", import.meta.url), "utf8"),
  };
  const { error, stderr } = await asc.main(
    ["index.ts", "--runtime", "stub", "-O3", "--use", "abort=", "--outFile", "out.wasm"],
    {
      readFile: (name) => files[name] ?? null,
      writeFile: (_, contents) => void (typeof contents === "string" ? undefined : (binary = contents)),
      listFiles: () => [],
    },
  );
  if (error !== null || binary === undefined)
    throw new Error(`the test's module does not compile: ${stderr.toString()}`);
  return binary;
}

test("a packed module starts with the memory of the compiled one", async () => {
  const compiled = await compile();
  const packed = packText(compiled);
  expect(packed.length).toBeLessThan(compiled.length);
  const memories = await Promise.all(
    [compiled, packed].map(async (binary) => {
      const instance = await WebAssembly.instantiate(await WebAssembly.compile(binary as Uint8Array<ArrayBuffer>), {});
      return Buffer.from((instance.exports["memory"] as WebAssembly.Memory).buffer);
    }),
  );
  const [plain, unpacked] = memories as [Buffer, Buffer];
  expect(plain.includes(Buffer.from("a literal that", "utf16le"))).toBe(true);
  expect(Buffer.from(packed).includes("a literal that")).toBe(true);
  expect(unpacked.subarray(0, plain.length).equals(plain)).toBe(true);
  // The page that the packed text came in is empty.
  expect(unpacked.length).toBeGreaterThan(plain.length);
  expect(unpacked.subarray(plain.length).every((byte) => byte === 0)).toBe(true);
});

test("a module without memory cannot be packed", () => {
  expect(() => packText(Uint8Array.of(0, 0x61, 0x73, 0x6d, 1, 0, 0, 0))).toThrow(/no memory or no data/);
});
