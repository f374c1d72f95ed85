/**
 * docs/testing.md says what CI did: the figures are put in from CI's own results, and a page that is behind is found
 * out.
 */
import { describe, expect, test } from "vitest";
import { figures, readResults, type StageResult, staleRows, withFigures } from "../../scripts/testing-page.ts";

const page =
  "# Testing\n<!-- figures: begin, written by scripts/testing-page.ts -->\nold\n<!-- figures: end -->\nThe end.\n";
const stage = (name: string, passed: number): StageResult => ({
  stage: name,
  command: `run ${name}`,
  seconds: 7,
  exitStatus: 0,
  passed,
  failed: 0,
  endedSeconds: 7,
  lastLine: `${name}: all | hold`,
});
const results = [stage("npm test", 100), { ...stage("simulation", 0), endedSeconds: 14 }];

test("the figures take the place of the old ones, and nothing else changes", () => {
  const written = withFigures(page, results);
  expect(written).toBe(page.replace("old", () => figures(results)));
  expect(written).toContain("| npm test | `run npm test` | 100 |  | 7 |");
  expect(written).toContain("| simulation | `run simulation` |  | simulation: all   hold | 7 |");
  expect(written).toContain("| all | `.ci/run` | 100 | | 14 |");
  expect(withFigures(written, results)).toBe(written);
});

test("the time of all ends with the last stage, whatever ran at the same time", () => {
  expect(figures([...results, { ...stage("specs", 30), endedSeconds: 12 }])).toContain(
    "| all | `.ci/run` | 130 | | 14 |",
  );
});

describe("a page that is behind", () => {
  const written = withFigures(page, results);

  test.each([
    ["nothing", results, []],
    ["ten more tests in a hundred", [stage("npm test", 110), results[1]!], []],
    ["twenty more", [stage("npm test", 120), results[1]!], ['stage "npm test" has 120 tests; the page knows of 100']],
    ["a test less", [stage("npm test", 99), results[1]!], ['stage "npm test" has 99 tests; the page claims 100']],
    ["a test that failed", [{ ...stage("npm test", 99), failed: 1 }, results[1]!], []],
    ["a new stage", [...results, stage("red team", 30)], ['stage "red team" is not in the page']],
    ["a stage that is gone", [results[0]!], ['stage "simulation" of the page is none of CI']],
    [
      "another command",
      [{ ...results[0]!, command: "vitest" }, results[1]!],
      ['stage "npm test" runs `vitest`; the page says `run npm test`'],
    ],
  ])("%s", (_what, now, expected) => {
    expect(staleRows(written, now)).toEqual(expected);
  });
});

test("the last result counts of a stage that was run again", () => {
  const text = [...results, stage("npm test", 101)].map((result) => `${JSON.stringify(result)}\n`).join("");
  expect(readResults(text)).toEqual([stage("npm test", 101), results[1]]);
});

test("what is no result is refused, with its line", () => {
  expect(readResults(`${JSON.stringify(results[0])}\n`)).toEqual([results[0]]);
  expect(() => readResults("")).toThrow("there is no stage in it");
  expect(() => readResults(`${JSON.stringify(results[0])}\n{"stage":1}\n`)).toThrow(
    "line 2 is no result of a stage of .ci/run",
  );
  expect(() => readResults("not JSON\n")).toThrow("line 1 is no result");
  expect(() => withFigures("# Testing\n", results)).toThrow("has no lines");
});
