/**
 * docs/conformance.md names what proves each of its rows. Here every name is looked up, so that the page cannot speak
 * of what is not there, and every step of docs/spec/controller.md is looked for in the page.
 */
import { describe, expect, test } from "vitest";
import { files, read } from "./sources.ts";

const page = read("docs/conformance.md");
const recordingsTest = read("test/bindings/js/recordings.test.ts");
/** Recordings that are there but not compared as a whole. */
const leftOut = /const LEFT_OUT = \[(.*)\]/.exec(recordingsTest)![1]!;

function caseNames(file: string): string[] {
  const vectors: { name: string }[] | { cases: { name: string }[] } = JSON.parse(read(file));
  return (Array.isArray(vectors) ? vectors : vectors.cases).map(({ name }) => name);
}

/** What is wrong with a name in backquotes; undefined: nothing, or it names no proof. */
function problemOf(name: string): string | undefined {
  const [, file = "", text = ""] = /^([\w./-]+\.(?:json|ts)): (.+)$/.exec(name) ?? [];
  if (file.endsWith(".json")) {
    const path = `test/vectors/${file.includes("/") ? file : `engine/${file}`}`;
    if (!files.includes(path)) return `${path} does not exist`;
    const names = caseNames(path);
    const found =
      names.filter((other) => other === text).length || names.filter((other) => other.startsWith(text)).length;
    return found === 1 ? undefined : `${found} cases of ${path} begin with "${text}"`;
  }
  if (file !== "") {
    if (!/\.(test|spec)\.ts$/.test(file) || !files.includes(file)) return `${file} is no test`;
    return read(file).includes(text) ? undefined : `${file} does not say "${text}"`;
  }
  const recording = /^recordings\/(.+)\.jsonl$/.exec(name)?.[1];
  if (recording !== undefined)
    return files.includes(`test/vectors/${name}`) && !leftOut.includes(`"${recording}"`)
      ? undefined
      : `${name} is not compared with`;
  if (name.startsWith("examples/")) return files.includes(name) ? undefined : `${name} does not exist`;
  return undefined;
}

const problemsOf = (markdown: string): string[] =>
  [...markdown.matchAll(/`([^`\n]+)`/g)]
    .map((match) => problemOf(match[1]!))
    .filter((problem) => problem !== undefined);

/** The numbers of the steps S1 to T15 and of the surprises of section 13. */
function stepsOf(specification: string): string[] {
  const steps = [...specification.matchAll(/^([SMT]\d+)\. /gm)].map((match) => match[1]!);
  const surprises = specification.slice(specification.indexOf("\n## 13."), specification.indexOf("\n## 14."));
  return [...steps, ...[...surprises.matchAll(/^(\d+[a-z]?)\. /gm)].map((match) => `13.${match[1]!}`)];
}

const firstCells = (markdown: string): string[] =>
  [...markdown.matchAll(/^\| ([\w.-]+) \|/gm)].map((match) => match[1]!);

describe("docs/conformance.md", () => {
  test("names only vectors, recordings, tests and examples that are there", () => {
    expect(problemsOf(page)).toEqual([]);
    expect([...page.matchAll(/`[\w/-]+\.json: /g)].length).toBeGreaterThan(100);
  });

  test("has a row for every step and every surprise of the specification", () => {
    const steps = stepsOf(read("docs/spec/controller.md"));
    expect(steps.length).toBeGreaterThan(90);
    const rows = firstCells(page);
    expect(steps.filter((step) => !rows.includes(step))).toEqual([]);
  });

  test("has each row once, and each says what proves it or what is missing", () => {
    const rows = firstCells(page).filter((row) => /\d/.test(row));
    expect(rows.filter((row, at) => rows.indexOf(row) !== at)).toEqual([]);
    const said = /`[^`]+`|\b(not yet|not in|differs|no rule|as [JP]\d+)\b/i;
    const silent = [...page.matchAll(/^\| ([\w.-]*\d[\w.-]*) \|.*\| ([^|]+) \|$/gm)]
      .filter((match) => !said.test(match[2]!))
      .map((match) => match[1]);
    expect(silent).toEqual([]);
  });

  test("the rules catch what they forbid", () => {
    const wrong = [
      "tracking.json: no such case",
      "one-sync.json: 2 of 5",
      "nowhere.json: x",
      "admission/spec.json: foo",
      "test/tidy/tidy.test.ts: nothing of the kind",
      "test/nowhere.test.ts: x",
      "recordings/success-policy.jsonl",
      "examples/none.yaml",
    ];
    expect(problemsOf(wrong.map((name) => `\`${name}\``).join(" "))).toHaveLength(wrong.length);
    expect(
      problemsOf("`kubectl get` `tracking.json: the first write fails` `recordings/pi.jsonl` `examples/pi.yaml`"),
    ).toEqual([]);
    expect(stepsOf("S1. a\nT2. b\n## 13. x\n1. c\n8a. d\n## 14. y\n1. e")).toEqual(["S1", "T2", "13.1", "13.8a"]);
  });
});
