/** Pieces of a stream that become few chunks, in their order. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { ChunkBuffer } from "../../../cluster/values/chunk-buffer.ts";

test("chunks of any texts and bytes are, in their order, what was written", () => {
  const piece = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.constant(`${"é€😀".repeat(15_000)}\n`),
    fc.uint8Array({ maxLength: 60 }),
  );
  const buffer = new ChunkBuffer();
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      expect(buffer.isEmpty).toBe(true);
      for (const value of pieces)
        if (typeof value === "string") buffer.write(value);
        else buffer.append(value);
      const written = Buffer.concat(pieces.map((value) => Buffer.from(value as string)));
      expect(buffer.isEmpty).toBe(pieces.every((value) => value === ""));
      expect(Buffer.concat(buffer.take().map((chunk) => Buffer.from(chunk as string))).equals(written)).toBe(true);
    }),
    { numRuns: 200, seed: 1 },
  );
});

test("lines of an instant are one chunk, and many lines are few chunks of whole lines", () => {
  const line = ["{", "x".repeat(998), "\n"];
  const buffer = new ChunkBuffer();
  const chunksOf = (lines: number): (string | Uint8Array)[] => {
    for (let i = 0; i < lines; i++) for (const piece of line) buffer.write(piece);
    return buffer.take();
  };
  expect(chunksOf(60)).toHaveLength(1);
  const chunks = chunksOf(1000);
  expect(chunks).toHaveLength(16);
  for (const chunk of chunks) expect(chunk).toMatch(/\n$/);
});
