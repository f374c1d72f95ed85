/** No function of a source folder has more than 70 lines. */
import { describe, expect, it } from "vitest";
import { longFunctionsOf, MAX_LINES } from "./function-length.ts";
import { files, read } from "./sources.ts";

const FOLDERS = ["assembly", "bindings/js", "cluster", "host-node", "host-browser", "scripts"];

describe("functions", () => {
  it.each(FOLDERS)(`of %s have at most ${MAX_LINES} lines`, (folder) => {
    const sources = files.filter((file) => file.startsWith(`${folder}/`) && /\.(ts|tsx|mjs)$/.test(file));
    expect(sources.length).toBeGreaterThan(0);
    const long = sources.flatMap((file) => longFunctionsOf(file, read(file)));
    const shown = long.map(({ file, name }) => `${file} ${name}`);
    expect(shown).toEqual([]);
  });

  const body = (lines: number): string => "  work();\n".repeat(lines);

  it.each([
    ["a", `function a() {\n${body(69)}}\n`],
    ["b", `export async function* b() {\n${body(69)}}\n`],
    ["c", `const c = (x: number): void => {\n${body(69)}};\n`],
    ["constructor", `class A {\n  constructor() {\n${body(69)}  }\n}\n`],
    ["d", `class A {\n  readonly d = () => {\n${body(69)}  };\n}\n`],
    ["e", `export const table = {\n  e() {\n${body(69)}  },\n};\n`],
    ["f", `@inline\nfunction f(): i32 {\n${body(69)}}\n`],
  ])("that are too long are found: %s", (name, source) => {
    expect(longFunctionsOf("a.ts", `\n${source}`)).toEqual([
      { file: "a.ts", name, line: expect.any(Number), lines: 71 },
    ]);
    // A line less is fine, however many other lines the file has.
    expect(longFunctionsOf("a.ts", `${"\n".repeat(MAX_LINES)}${source.replace("  work();\n", "")}`)).toEqual([]);
  });

  it("that are too long are found in the functions of which they are a part, too", () => {
    const inner = `  const inner = () => {\n${body(70)}  };\n`;
    const found = longFunctionsOf("a.ts", `function outer() {\n${inner}}\n`);
    expect(found.map(({ name, line, lines }) => [name, line, lines])).toEqual([
      ["outer", 1, 74],
      ["inner", 2, 72],
    ]);
  });

  it("that are short are found in no class, however long it is", () => {
    const methods = Array.from({ length: 100 }, (_, i) => `  m${i}() {}\n`).join("");
    expect(longFunctionsOf("a.ts", `class A {\n${methods}}\n`)).toEqual([]);
  });
});
