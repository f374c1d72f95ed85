/**
 * The paths that documents, comments and errors name are there: a reader who follows one finds a file or a folder. The
 * beginning of a name will do, as `npm run test:cluster` takes it. Leaves out CHANGELOG.md, which tells of its time,
 * the examples, whose paths begin at their folders, and the tidy tests, which plant paths.
 */
import { expect, test } from "vitest";
import { files, read } from "./sources.ts";

const LEFT_OUT = /^(CHANGELOG\.md$|examples\/|test\/tidy\/)/;
const tops = [...new Set(files.filter((file) => file.includes("/")).map((file) => file.split("/")[0]!))];
const PATH = new RegExp(String.raw`(?<![\w./@$:-])(?:${tops.join("|").replaceAll(".", "\\.")})/[\w./-]*\w`, "g");
/** In code, other words with a slash are resources, media types and lists of Kubernetes. */
const FILE = /\.(ts|tsx|mjs|md)$/;

/** The paths in a text that lead nowhere. */
function astray(file: string, text = read(file)): string[] {
  return [...text.matchAll(PATH)]
    .map(([path]) => path)
    .filter((path) => file.endsWith(".md") || FILE.test(path))
    .filter((path) => !files.some((other) => other.startsWith(path)))
    .map((path) => `${file} names ${path}`);
}

const texts = files.filter((file) => FILE.test(file) && !LEFT_OUT.test(file));

test("documents, comments and errors name paths that are there", () => {
  expect(texts.length).toBeGreaterThan(tops.length);
  expect(texts.flatMap((file) => astray(file))).toEqual([]);
});

test("the rule catches what leads nowhere", () => {
  const text = "`cluster/nowhere/`, `cluster/apiserver/`, `cluster/index.ts`, test/kubernetes/clients/helm, docs/no.md";
  expect(astray("README.md", text)).toEqual(["README.md names cluster/nowhere", "README.md names docs/no.md"]);
  expect(astray("cluster/a.ts", `// cluster/nowhere, ./cluster/x.ts, docs/no.md and kube/docs/new.md`)).toEqual([
    "cluster/a.ts names docs/no.md",
  ]);
});
