/**
 * The engine's interval sets against the naive twin, and the vectors of docs/spec/controller.md 14.3.
 */
import fc from "fast-check";
import { beforeAll, describe, expect, test } from "vitest";
import * as naive from "../naive/intervals.ts";
import { Leaves, type Pointer } from "./leaves.ts";
import { tries } from "../tries.ts";

const runs = { numRuns: tries(50_000), seed: 20_260_201 };
const NO_OVERLAP = -1;

let leaves: Leaves;
beforeAll(async () => {
  leaves = await Leaves.load();
});

// Dense enough that neighbours meet, wide enough that numbers of every length come up.
const index = fc.oneof(
  { weight: 6, arbitrary: fc.nat(60) },
  { weight: 2, arbitrary: fc.nat(12_000) },
  { weight: 1, arbitrary: fc.integer({ min: 99_999_990, max: 100_000_020 }) },
);
const smallIndex = fc.nat(80);
const completions = fc.oneof({ weight: 3, arbitrary: fc.nat(70) }, { weight: 1, arbitrary: fc.nat(100_000_100) });
const interval = fc.tuple(index, fc.nat(9)).map(([first, more]) => ({ first, last: first + more }));

function text(items: readonly naive.Interval[]): string {
  const indexes = new Set<number>();
  for (const { first, last } of items) for (let i = first; i <= last; i++) indexes.add(i);
  return naive.formatIntervals(indexes);
}

// What a reader meets: mostly items in order, some of them not, some of them not items at all.
const item = fc.oneof(
  { weight: 8, arbitrary: interval.map(({ first, last }) => (first === last ? `${first}` : `${first}-${last}`)) },
  { weight: 1, arbitrary: fc.tuple(smallIndex, smallIndex).map(([a, b]) => `${a}-${b}`) },
  {
    weight: 1,
    arbitrary: fc.constantFrom(
      "",
      "-",
      "+",
      "+3",
      "3-",
      "-3",
      "1-+2",
      "1-2-3",
      "1--2",
      "007",
      "000000000012",
      "00000000000000000000012",
      "1-foo",
      "bar",
      " 1",
      "1 ",
      "é",
      "2147483647",
      "2147483648",
      "4294967297",
      "99999999",
      "100000000",
      "9223372036854775807",
      "9223372036854775808",
      "1/2",
      "1:2",
      "1_0",
    ),
  },
);
const looseText = fc.array(item, { maxLength: 12 }).map((items) => items.join(","));
const orderedText = fc.array(interval, { maxLength: 12 }).map(text);
const anyText = fc.oneof(looseText, orderedText);

describe("interval sets, against the naive twin", () => {
  test("parse, count and format", () => {
    fc.assert(
      fc.property(anyText, completions, (given, limit) => {
        const expected = naive.parseIntervals(given, limit);
        leaves.withSet(given, limit, (set) => {
          expectSet(set, expected);
        });
      }),
      runs,
    );
  });

  test("a text survives reading and writing, and equals the set's", () => {
    fc.assert(
      fc.property(orderedText, anyText, (given, other) => {
        leaves.withSet(given, 200_000_000, (set) => {
          expectSame(leaves.format(set), given);
          const { setEqualsText } = leaves.exports;
          expectSame(setEqualsText(set, leaves.input, leaves.write(given)), 1);
          expectSame(setEqualsText(set, leaves.input, leaves.write(other)), given === other ? 1 : 0);
        });
      }),
      runs,
    );
  });

  test("add, addRange, contains and firstMissingFrom", () => {
    const additions = fc.array(fc.tuple(smallIndex, fc.oneof(fc.constant(0), fc.nat(20))), { maxLength: 14 });
    fc.assert(
      fc.property(additions, smallIndex, (ranges, probe) => {
        const expected = new Set<number>();
        leaves.withSet("", 0, (set) => {
          for (const [first, more] of ranges) {
            if (more === 0) {
              expectSame(leaves.exports.setAdd(set, first), expected.has(first) ? 0 : 1);
              expected.add(first);
            } else {
              leaves.exports.setAddRange(set, first, first + more);
              for (let i = first; i <= first + more; i++) expected.add(i);
            }
          }
          expectSet(set, expected);
          expectSame(leaves.exports.setContains(set, probe), expected.has(probe) ? 1 : 0);
          expectSame(leaves.exports.setFirstMissingFrom(set, probe), naive.firstMissingFrom(expected, probe));
        });
      }),
      runs,
    );
  });

  test("addSet, countCommon and clamp", () => {
    const someText = fc
      .array(fc.tuple(smallIndex, fc.nat(6)), { maxLength: 12 })
      .map((ranges) => text(ranges.map(([first, more]) => ({ first, last: first + more }))));
    fc.assert(
      fc.property(someText, someText, smallIndex, (a, b, limit) => {
        const [inA, inB] = [naive.parseIntervals(a, 1000), naive.parseIntervals(b, 1000)];
        const inEither = new Set([...inA, ...inB]);
        leaves.withSet(a, 1000, (left) =>
          leaves.withSet(b, 1000, (right) => {
            expectSame(leaves.exports.setCountCommon(left, right), inA.size + inB.size - inEither.size);
            leaves.exports.setAddSet(left, right);
            expectSet(left, inEither);
            expectSet(right, inB);
            leaves.exports.setClamp(left, limit);
            expectSet(left, new Set([...inEither].filter((i) => i < limit)));
          }),
        );
      }),
      runs,
    );
  });

  test("strict validation", () => {
    const finding = leaves.exports.allocate(24);
    fc.assert(
      fc.property(anyText, completions, (given, limit) => {
        expectSame(validate(given, limit, finding), naive.validateIntervals(given, limit));
      }),
      runs,
    );
    leaves.exports.release(finding);
  });

  test("the first overlap of two texts", () => {
    fc.assert(
      fc.property(anyText, anyText, completions, (a, b, limit) => {
        const aLength = leaves.write(a);
        const bLength = leaves.write(b, aLength);
        const overlap = leaves.exports.firstOverlap(leaves.input, aLength, leaves.input + aLength, bLength, limit);
        expectSame(overlap === NO_OVERLAP ? undefined : overlap, naive.firstOverlap(a, b, limit));
      }),
      runs,
    );
  });

  test("every number of digits is written as it is", () => {
    const around = [
      0, 1, 9, 10, 99, 100, 9_999, 10_000, 99_999_999, 100_000_000, 999_999_999, 1_000_000_000, 2_147_483_646,
    ];
    for (const number of [
      ...Array(10_001).keys(),
      ...around,
      ...around.map((n) => n * 10_000 + 7).filter((n) => n < 2 ** 31 - 1),
    ]) {
      leaves.withSet(`${number}`, 2 ** 31 - 1, (set) => expectSame(leaves.format(set), `${number}`));
    }
  });
});

describe("vectors of controller.md 14.3", () => {
  test.each([
    ["0-5,8-10", 8, "0-5"],
    ["0-5,8-10", 10, "0-5,8,9"],
    ["0,4,5,10-12", 100, "0,4,5,10-12"],
    ["0,1-foo,bar", 100, "0"],
    ["0,2,3,5-7", 8, "0,2,3,5-7"],
    ["", 8, ""],
  ])("%j with %d completions holds %j", (given, limit, expected) => {
    leaves.withSet(given, limit, (set) => expect(leaves.format(set)).toBe(expected));
  });

  test("3,4,6 plus 2,7,8", () => {
    leaves.withSet("3,4,6", 10, (set) => {
      for (const added of [2, 7, 8]) leaves.exports.setAdd(set, added);
      expect(leaves.format(set)).toBe("2-4,6-8");
      expect(leaves.exports.setLength(set)).toBe(2);
    });
  });

  test("first pending: the indexes that are in none of the sets", () => {
    leaves.withSet("3,5,8", 20, (taken) =>
      leaves.withSet("2-4,9", 20, (succeeded) => {
        leaves.exports.setAddSet(taken, succeeded);
        const pending: number[] = [];
        for (let i = 0; pending.length < 5; i++) {
          i = leaves.exports.setFirstMissingFrom(taken, i);
          pending.push(i);
        }
        expect(pending).toEqual([0, 1, 6, 7, 10]);
      }),
    );
  });
});

describe("texts that the API server refuses (api.md V41)", () => {
  test.each([
    ["0,1-foo", `cannot convert string to integer for index: "foo"`],
    ["1,", `cannot convert string to integer for index: ""`],
    ["-3", `cannot convert string to integer for index: ""`],
    ["1, 2", `cannot convert string to integer for index: " 2"`],
    ["7-10", `too large index: "10"`],
    ["4294967297", `too large index: "4294967297"`],
    ["9223372036854775808", `cannot convert string to integer for index: "9223372036854775808"`],
    ["3,2", "non-increasing order, previous: 3, current: 2"],
    ["1-3,3", "non-increasing order, previous: 3, current: 3"],
    ["5-5", "non-increasing order, previous: 5, current: 5"],
    [
      "1,2-3-4",
      `the fragment "2-3-4" violates the requirement that an index interval can have at most two parts separated by '-'`,
    ],
  ])("%j", (given, sentence) => {
    const finding = leaves.exports.allocate(24);
    expect(validate(given, 10, finding)).toBe(sentence);
    expect(naive.validateIntervals(given, 10)).toBe(sentence);
    leaves.exports.release(finding);
  });
});

/** The answer of the strict reader, its codes turned into the sentences of V41. */
function validate(given: string, limit: number, finding: Pointer): number | string {
  leaves.exports.validate(leaves.input, leaves.write(given), limit, finding);
  const view = leaves.view(finding, 24);
  const [code, offset, length, previous, current, count] = [0, 4, 8, 12, 16, 20].map((at) => view.getInt32(at, true));
  const part = () => leaves.read(leaves.input + offset!, length!);
  switch (code) {
    case 0:
      return count!;
    case 1:
      return `cannot convert string to integer for index: "${part()}"`;
    case 2:
      return `too large index: "${part()}"`;
    case 3:
      return `non-increasing order, previous: ${previous}, current: ${current}`;
    case 4:
      return `the fragment "${part()}" violates the requirement that an index interval can have at most two parts separated by '-'`;
    default:
      throw new Error(`unknown code ${code}`);
  }
}

function expectSet(set: Pointer, expected: ReadonlySet<number>): void {
  expectSame(leaves.format(set), naive.formatIntervals(expected));
  expectSame(leaves.exports.setCount(set), expected.size);
}

// `expect` itself costs more than a comparison of a whole run.
function expectSame<T>(actual: T, expected: T): void {
  if (!Object.is(actual, expected)) expect(actual).toBe(expected);
}
