/** Text that is put together as UTF-8 piece by piece. */
import fc from "fast-check";
import { expect, test } from "vitest";
import { Utf8Buffer } from "../../../cluster/apiserver/utf8-buffer.ts";

test("pieces of any text and bytes are what an encoder makes of the whole", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 60 }),
    fc.string({ maxLength: 30 }),
    fc.constant("é€😀".repeat(500)),
  );
  const piece = fc.oneof(
    text.map((value) => ({ value, bytes: Buffer.from(value) })),
    fc.uint8Array({ maxLength: 60 }).map((value) => ({ value, bytes: Buffer.from(value) })),
  );
  const buffer = new Utf8Buffer();
  fc.assert(
    fc.property(fc.array(piece), (pieces) => {
      expect(buffer.isEmpty).toBe(true);
      for (const { value } of pieces)
        if (typeof value === "string") buffer.write(value);
        else buffer.append(value);
      expect(Buffer.concat(pieces.map(({ bytes }) => bytes)).equals(buffer.take())).toBe(true);
    }),
    { numRuns: 200, seed: 1 },
  );
});

test("what was taken does not change when more is written", () => {
  const buffer = new Utf8Buffer();
  buffer.write("first");
  const taken = buffer.take();
  buffer.write("other");
  expect(Buffer.from(taken).toString()).toBe("first");
});
