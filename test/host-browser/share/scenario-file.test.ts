/** Scenarios as files: they come back as they were, and the file of a stranger is checked. */
import { describe, expect, test } from "vitest";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import { readScenarioFile, scenarioFile } from "../../../host-browser/share/scenario-file.ts";

test.each(LESSONS)("the scenario of the lesson $id comes back as it was", ({ scenario }) => {
  expect(readScenarioFile(scenarioFile(scenario))).toEqual(scenario);
});

describe("a file", () => {
  const [{ scenario }] = LESSONS as [(typeof LESSONS)[number]];
  test.each(["apiVersion: batch/v1\n", '{"format":"stint.recording","version":1}\n', "", "{}"])(
    "of another kind is left to others: %j",
    (text) => expect(readScenarioFile(text)).toBeUndefined(),
  );
  test.each([
    [scenarioFile(scenario).slice(0, -9), /^the file is no JSON/],
    [scenarioFile(scenario).replace('"version": 1', '"version": 2'), /of version 2, and this page reads 1/],
    [scenarioFile(scenario).replace('"seed"', '"seeed"'), /has a field "seeed"/],
    [scenarioFile({ ...scenario, seed: -1 }), /seed is -1/],
  ])("that is wrong is refused with a sentence", (text, sentence) =>
    expect(() => readScenarioFile(text)).toThrow(sentence),
  );
});
