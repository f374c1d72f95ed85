/**
 * How much a search tries. Tests that play many seeds, or make one call very often, find a fault with growing odds.
 * With STINT_REQUIRE_ALL_TRIES=1, which CI sets, they try all; otherwise they try a part, always the same one.
 *
 * Invariant: both run as many tests and check the same; only the number of tries in a test differs.
 */
export const TRIES_ALL = process.env["STINT_REQUIRE_ALL_TRIES"] === "1";

const SHARE = 0.1;

/** @returns `all`, or outside of CI only `some` of them: a tenth where it is not given */
export function tries(all: number, some = Math.ceil(all * SHARE)): number {
  return TRIES_ALL ? all : some;
}
