/** The hash of texts, compared with values that its authors publish. */
import { expect, test } from "vitest";
import { fnv1a } from "../../../cluster/values/fnv1a.ts";

test("the hash is FNV-1a of 32 bits, and another one with a seed", () => {
  expect(["", "a", "foobar"].map((text) => fnv1a(text))).toEqual([0x811c9dc5, 0xe40c292c, 0xbf9cf968]);
  expect(fnv1a("a", 1)).not.toBe(fnv1a("a"));
});
