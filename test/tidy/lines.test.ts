/** Lines end at column 120, in every text file of the repository. Each exception is shown to let through no more. */
import { describe, expect, test } from "vitest";
import { longLinesOf, MAX_COLUMNS } from "./lines.ts";
import { files, read } from "./sources.ts";

const words = (columns: number): string => "word ".repeat(columns).slice(0, columns - 1) + "s";
const sentence = words(130);

/** How many lines of a file are too long. */
const count = (file: string, ...lines: string[]): number => longLinesOf(file, lines.join("\n")).length;

describe("lines", () => {
  const tops = [...new Set(files.map((file) => file.split("/")[0]!))];

  test.each(tops)("of %s end at column 120", (top) => {
    const inside = files.filter((file) => file === top || file.startsWith(`${top}/`));
    expect(inside.flatMap((file) => longLinesOf(file, read(file)))).toEqual([]);
  });

  test("that are too long are found, with their place", () => {
    expect(longLinesOf("a.ts", `f();\n// ${sentence}\n`)).toEqual(["a.ts:2 has 133 columns"]);
    expect(count("a.ts", `/** ${sentence} */`, ` * ${sentence}`, `const ${words(120).replaceAll(" ", "_")} = 1;`)).toBe(
      3,
    );
    expect(count("a.md", sentence, `- ${sentence}`, `# ${sentence}`)).toBe(3);
    expect(count("a.yaml", `# ${sentence}`, `a: "${sentence}"`)).toBe(2);
    expect(count("LICENSE", sentence)).toBe(1);
  });

  test("are measured in characters", () => {
    expect(count("a.md", "…".repeat(MAX_COLUMNS), "😀".repeat(MAX_COLUMNS))).toBe(0);
    expect(count("a.md", "…".repeat(MAX_COLUMNS + 1), "😀".repeat(MAX_COLUMNS + 1))).toBe(2);
  });

  test("of locks and recordings may be longer", () => {
    expect(count("package-lock.json", sentence) + count("test/kubernetes/binaries/go.sum", sentence)).toBe(0);
    expect(count("test/kubernetes/go-types/kubernetes-1.37.sum", sentence)).toBe(0);
    expect(count("test/vectors/recordings/a.jsonl", sentence)).toBe(0);
    expect(count("test/vectors/README.md", sentence)).toBe(1);
  });
});

describe("a long line of Markdown", () => {
  test("may be a row of a table, or a line inside a fence", () => {
    expect(count("a.md", `| a | ${sentence} |`, "```console", sentence, "```", "~~~~", "```", sentence, "~~~~")).toBe(
      0,
    );
    expect(count("a.md", "```", "a", "```", sentence)).toBe(1);
    expect(count("a.md", `| ${sentence}`, `${sentence} |`)).toBe(2);
  });

  test("may be one link or code span alone", () => {
    const url = `https://example.com/${"a".repeat(MAX_COLUMNS)}`;
    expect(count("a.md", url, `- <${url}>`, `[a link](${url}).`, `  \`${sentence}\`,`)).toBe(0);
    expect(count("a.md", `See ${url}`, `\`${sentence}\` is said.`, `[${sentence}](a.md) and more`)).toBe(3);
  });
});

describe("a long line of source", () => {
  test("may be long by the text of one literal", () => {
    expect(count("a.ts", `  "${sentence}",`, `const a = '${sentence}';`, `f(\`\${a} ${sentence}\`);`)).toBe(0);
    expect(count("a.ts", `const a = /${sentence}["/]/u;`, "const b = `", sentence, "`;", `return /${sentence}/;`)).toBe(
      0,
    );
    expect(count("a.json", `{ "description": "${sentence}" }`)).toBe(0);
  });

  test("may not be long by two, by an interpolation or by a comment", () => {
    expect(count("a.ts", `f("${sentence}", "${sentence}");`)).toBe(1);
    expect(count("a.ts", `f(\`\${${sentence.replaceAll(" ", ".")}}\`);`)).toBe(1);
    expect(count("a.ts", `f("a", 1 / 2); // it's "${sentence}" / 2`, `/* "${sentence}" */`)).toBe(2);
    expect(count("a.ts", `const a = ${words(60).replaceAll(" ", "_")} / ${words(60).replaceAll(" ", "_")} / 2;`)).toBe(
      1,
    );
    expect(
      count("a.ts", 'const a = "\\"";', `// "${sentence}"`, "const b = `${f(`${1}`, {})}`;", `// ${sentence}`),
    ).toBe(2);
  });
});
