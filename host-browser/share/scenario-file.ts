/**
 * A scenario as a file, which users can read and this page imports: the same as an address holds, but for the lesson,
 * the instant and the panel.
 *
 * Invariant: `readScenarioFile(scenarioFile(s))` is the same scenario, and an untrusted file gives a scenario within
 * all limits or one sentence that says what is wrong.
 */
import type { Scenario } from "../../cluster/simulation/scenario.ts";
import { record, SharedDataError } from "./fields.ts";
import { readScenario } from "./read-scenario.ts";

const FORMAT = "stint.scenario";
const VERSION = 1;
/** The first member of the file; a recording and a manifest begin otherwise. */
const BEGINNING = new RegExp(`^\\s*\\{\\s*"format"\\s*:\\s*"${FORMAT.replace(".", "\\.")}"`);

export function scenarioFile(scenario: Scenario): string {
  return `${JSON.stringify({ format: FORMAT, version: VERSION, scenario }, undefined, 2)}\n`;
}

export function isScenarioFile(text: string): boolean {
  return BEGINNING.test(text);
}

/** Undefined: it is a file of another kind. @throws SharedDataError with the sentence for the page */
export function readScenarioFile(text: string): Scenario | undefined {
  if (!isScenarioFile(text)) return undefined;
  const { version, scenario } = record(parsed(text), "the file", ["format", "version", "scenario"]);
  if (version !== VERSION)
    throw new SharedDataError(
      `the file is of version ${JSON.stringify(version)}, and this page reads ${VERSION}: a newer page may read it`,
    );
  return readScenario(scenario);
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch (error) {
    throw new SharedDataError(`the file is no JSON: ${(error as Error).message}`);
  }
}
