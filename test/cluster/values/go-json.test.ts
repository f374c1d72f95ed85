/** Syntax errors and duplicate members as Go reports them. */
import fc from "fast-check";
import { describe, expect, test } from "vitest";
import { duplicateMembers, parseJson } from "../../../cluster/values/go-json.ts";

describe("syntax errors", () => {
  const cases: readonly (readonly [string, string])[] = [
    ["", "unexpected end of JSON input"],
    ['{"a":', "unexpected end of JSON input"],
    ['"a', "unexpected end of JSON input"],
    ["tru", "unexpected end of JSON input"],
    ["x", "invalid character 'x' looking for beginning of value"],
    ["{a:1}", "invalid character 'a' looking for beginning of object key string"],
    ['{"a" 1}', "invalid character '1' after object key"],
    ['{"a":1 "b"}', "invalid character '\"' after object key:value pair"],
    ["[1 2]", "invalid character '2' after array element"],
    ["{} x", "invalid character 'x' after top-level value"],
    ["trux", "invalid character 'x' in literal true (expecting 'e')"],
    ["-x", "invalid character 'x' in numeric literal"],
    ["1.x", "invalid character 'x' after decimal point in numeric literal"],
    ["1ex", "invalid character 'x' in exponent of numeric literal"],
    ['"\\x"', "invalid character 'x' in string escape code"],
    ['"\\u12x4"', "invalid character 'x' in \\u hexadecimal character escape"],
    ['"a\nb"', "invalid character '\\n' in string literal"],
    ["{'a':1}", "invalid character '\\'' looking for beginning of object key string"],
  ];
  for (const [text, message] of cases)
    test(JSON.stringify(text), () => expect(() => parseJson(text)).toThrow(new SyntaxError(message)));
});

test("refuses whatever JSON.parse refuses, with Go's text", () => {
  fc.assert(
    fc.property(fc.json(), fc.nat(), fc.constantFrom("", "x", '"', "{", "]", ",", "\\"), (text, at, inserted) => {
      const broken = text.slice(0, at % (text.length + 1)) + inserted + text.slice((at % (text.length + 1)) + 1);
      let expected: unknown;
      try {
        expected = JSON.parse(broken);
      } catch {
        expect(() => parseJson(broken)).toThrow(/^(unexpected end of JSON input|invalid character )/);
        return;
      }
      expect(parseJson(broken)).toEqual(expected);
    }),
    { numRuns: 2000, seed: 3 },
  );
});

describe("duplicates", () => {
  const cases: readonly (readonly [string, string[]])[] = [
    ['{"a":1,"b":2}', []],
    ['{"a":1,"a":2}', ["a"]],
    ['{"a":{"b":1,"b":2},"a":3}', ["a.b", "a"]],
    ['{"l":[{"x":1},{"x":1,"x":2}]}', ["l[1].x"]],
    ['{"a":":{\\":","b":"\\\\"}', []],
    ['{"a":1,"\\u0061":2}', ["a"]],
  ];
  for (const [text, paths] of cases) test(text, () => expect(duplicateMembers(text, JSON.parse(text))).toEqual(paths));
});
