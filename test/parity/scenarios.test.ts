/** The parity scenarios are well-formed, and what they name is there: no API server is needed for that. */
import { describe, expect, test } from "vitest";
import { parseOutcome } from "../../cluster/kubelet/simulation-outcome.ts";
import { RULES } from "../history/check.ts";
import { read } from "../tidy/sources.ts";
import { ASPECTS, type Scenario } from "./scenario.ts";
import { SCENARIOS } from "./scenarios/index.ts";
import { namespaceOf, SIDES } from "./theatre.ts";

const LABEL = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?$/;
const MIN_SCENARIOS = 60;
const MIN_TAKEOVERS_A_WAY = 6;

const firstCells = (file: string): string[] => [...read(file).matchAll(/^\| (.+?) \|/gm)].map((match) => match[1]!);
const conformance = firstCells("docs/conformance.md");
const differences = firstCells("docs/differences.md");

/** What is wrong with a scenario. */
function problemsOf(scenario: Scenario): string[] {
  const { name, rows, outcome = {}, takeover } = scenario;
  const problems: string[] = [];
  for (const text of [name, ...SIDES.map((side) => namespaceOf(scenario, side))])
    if (!LABEL.test(text)) problems.push(`${text} is no DNS label`);
  if (rows.length === 0) problems.push("no row of docs/conformance.md is named");
  for (const row of rows) if (!conformance.includes(row)) problems.push(`docs/conformance.md has no row ${row}`);
  for (const { row, excuses } of scenario.differences ?? []) {
    if (!differences.includes(row)) problems.push(`docs/differences.md has no row "${row}"`);
    if (excuses.length === 0 || excuses.some((aspect) => !ASPECTS.includes(aspect)))
      problems.push(`"${row}" excuses nothing that is compared`);
  }
  for (const { change, aspects = [], field, podField } of scenario.shows ?? [])
    if ([aspects.length > 0, field !== undefined, podField !== undefined].filter(Boolean).length !== 1)
      problems.push(`${change} needs aspects, a field, or a field of pods`);
  for (const rule of scenario.upstreamBreaks ?? [])
    if (!RULES.some(({ name }) => name === rule)) problems.push(`test/history/ has no rule "${rule}"`);
  if (scenario.upstreamBreaks !== undefined && scenario.differences === undefined)
    problems.push("upstream breaks a rule, and no difference says why");
  if (takeover !== undefined && takeover.hold === undefined && takeover.killWhen === undefined)
    problems.push("nothing says when to kill");
  try {
    parseOutcome(outcome, "outcome");
    for (const pattern of [takeover?.hold?.requests, takeover?.hold?.armedBy]) new RegExp(pattern ?? "");
  } catch (error) {
    problems.push((error as Error).message);
  }
  return problems;
}

describe("the parity scenarios", () => {
  test.each(SCENARIOS.map((scenario) => [scenario.name, scenario] as const))(
    "%s names what is there",
    (_name, scenario) => {
      expect(problemsOf(scenario)).toEqual([]);
    },
  );

  test("have unique names, and are as many as expected", () => {
    const names = SCENARIOS.map(({ name }) => name);
    expect(names.filter((name, at) => names.indexOf(name) !== at)).toEqual([]);
    expect(names.length).toBeGreaterThanOrEqual(MIN_SCENARIOS);
    for (const from of SIDES)
      expect(SCENARIOS.filter(({ takeover }) => takeover?.from === from).length).toBeGreaterThanOrEqual(
        MIN_TAKEOVERS_A_WAY,
      );
  });

  test("a scenario that is wrong is seen", () => {
    const wrong: Scenario = {
      name: "Wrong",
      rows: ["J0"],
      job: {},
      outcome: { runMs: -1 },
      differences: [{ row: "nothing of the kind", excuses: [] }],
      upstreamBreaks: ["nothing of the kind"],
      shows: [{ change: "hostname-override" }],
      takeover: { from: "stint" },
    };
    expect(problemsOf(wrong)).toHaveLength(9);
  });
});
