/** The document of each part of the npm package names every export of that part. */
import { expect, test } from "vitest";
import { read } from "./sources.ts";

const PARTS = [
  ["cluster/index.ts", "docs/cluster.md"],
  ["host-node/index.ts", "bindings/js/README.md"],
  ["host-node/testing/index.ts", "docs/testing-jobs.md"],
] as const;

function exportsOf(source: string): string[] {
  return [...source.matchAll(/export (?:type )?\{([^}]*)\}/g)]
    .flatMap(([, list]) => list!.split(","))
    .map((name) => name.replace(/^\s*type\s/, "").trim())
    .filter((name) => name !== "");
}

const missing = (source: string, document: string): string[] =>
  exportsOf(source).filter((name) => !new RegExp(`\`[^\`\n]*\\b${name}\\b[^\`\n]*\``).test(document));

test.each(PARTS)("%s is described by %s", (source, document) => {
  expect(exportsOf(read(source)).length).toBeGreaterThan(10);
  expect(missing(read(source), read(document))).toEqual([]);
});

test("the rule catches an export without a word", () => {
  const source = 'export { A, type B } from "./a.ts";\nexport type {\n  C,\n} from "./c.ts";\n';
  expect(missing(source, "`new A()` and `B` and C")).toEqual(["C"]);
});
