/** Kinds of values of settings that read-settings.test.ts does not show. */
import { expect, test } from "vitest";
import { byteSize } from "../../../host-node/settings/kinds.ts";

const size = byteSize(1024, 2 * 1024 ** 3);

test.each([
  ["1KiB", 1024],
  ["64MiB", 64 * 1024 ** 2],
  ["2GiB", 2 * 1024 ** 3],
])("%s is a size", (text, bytes) => {
  expect(size.parse(text)).toBe(bytes);
  expect(size.show(bytes)).toBe(text);
});

test.each(["", "64", "64MB", "0KiB", "-1MiB", "1.5MiB", "3GiB", "1023", "MiB"])("%j is no size", (text) => {
  expect(() => size.parse(text)).toThrow(/^a size such as 64MiB, in KiB, MiB or GiB, from 1KiB to 2GiB$/);
});
