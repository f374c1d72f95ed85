/**
 * The words of the ABI in the bindings are those of bindings/ABI.md, byte for byte: they were not edited by hand, and
 * were regenerated after the last change. That ABI.md itself is as the engine is tested in
 * test/bindings/js/abi.test.ts.
 */
import { describe, expect, test } from "vitest";
import { filesOfAbiWords } from "../../scripts/abi-words/files.ts";
import { readAbiWords } from "../../scripts/abi-words/read.ts";
import { read } from "../tidy/sources.ts";

const document = read("bindings/ABI.md");

describe("the words of the ABI", () => {
  test.each(["bindings/js/abi.ts", "bindings/go/abi.go", "bindings/python/src/stint/abi.py"])(
    "in %s are those of ABI.md: npm run abi writes them",
    async (file) => {
      expect(read(file)).toBe((await filesOfAbiWords(document)).get(file));
    },
  );

  test("reach every language from one row", async () => {
    const row = "| 11 | badTime | `now` is no time that is allowed; nothing was taken |";
    const files = await filesOfAbiWords(document.replace(row, `${row}\n| 12 | badJsonText | a new one |`));
    expect(files.get("bindings/js/abi.ts")).toContain("  /** A new one. */\n  badJsonText: 12,\n");
    expect(files.get("bindings/go/abi.go")).toContain("\t// A new one.\n\tCodeBadJSONText Code = 12\n");
    expect(files.get("bindings/python/src/stint/abi.py")).toContain('    BAD_JSON_TEXT = 12\n    """A new one."""\n');
  });

  test.each([
    ["a table that is gone", "| code | name | meaning |", "| number | name | meaning |", /"Codes"/],
    ["a code that is no number", "| 11 | badTime", "| eleven | badTime", /nothing matches/],
    ["codes out of order", "| 11 | badTime", "| 12 | badTime", /count up/],
    ["a type that is none", "| `managedBy` | string,", "| `managedBy` | text,", /managedBy has the type "text"/],
    ["methods out of order", "1 GET, 2 POST", "1 GET, 3 POST", /nothing matches/],
    ["a limit that is gone", "| input of one call | 64 MiB |", "| input of one call | much |", /nothing matches/],
    ["a meaning that is missing", "| `now` is no time that is allowed; nothing was taken |", "| |", /says no meaning/],
    ["sources without members", "`sources[].", "`source.", /sources/],
  ])("are refused with %s", (_, from, to, problem) => {
    expect(document).toContain(from);
    expect(() => readAbiWords(document.replaceAll(from, to))).toThrow(problem);
  });
});
