/** Secure random numbers: each from separate bytes, and many from one fetch. */
import { expect, test } from "vitest";
import { NUMBERS_A_FETCH, secureRandomNumbers } from "../../../host-node/embedded/secure-random.ts";

test("bytes are fetched for many numbers at once, and used once", () => {
  let fetches = 0;
  const random = secureRandomNumbers((bytes) => {
    fetches++;
    for (let i = 0; i < NUMBERS_A_FETCH; i++) bytes.writeUIntBE(fetches * NUMBERS_A_FETCH + i, 6 * i, 6);
  });
  const numbers = Array.from({ length: 2 * NUMBERS_A_FETCH }, random);
  expect(numbers).toEqual(numbers.map((_, i) => (NUMBERS_A_FETCH + i) / 2 ** 48));
  expect(fetches).toBe(2);
  random();
  expect(fetches).toBe(3);
});

test("numbers lie in [0, 1), differ, and are everywhere in it", () => {
  const random = secureRandomNumbers();
  const numbers = Array.from({ length: 3 * NUMBERS_A_FETCH }, random);
  expect(new Set(numbers).size).toBe(numbers.length);
  expect(numbers.every((number) => number >= 0 && number < 1)).toBe(true);
  expect(new Set(numbers.map((number) => Math.floor(number * 10))).size).toBe(10);
});

test("the least and the most are in [0, 1)", () => {
  expect(secureRandomNumbers((bytes) => bytes.fill(0))()).toBe(0);
  expect(secureRandomNumbers((bytes) => bytes.fill(255))()).toBeLessThan(1);
});
