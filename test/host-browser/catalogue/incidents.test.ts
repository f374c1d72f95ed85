/** The incidents of the playground: a Job does not complete, it does with the remedy, and the panel has the cause. */
import { describe, expect, test } from "vitest";
import type { Scenario } from "../../../cluster/simulation/scenario.ts";
import type { JobAccount } from "../../../host-browser/history/panels/account.ts";
import { readAddress, writeAddress } from "../../../host-browser/share/address.ts";
import { readScenario } from "../../../host-browser/share/read-scenario.ts";
import { incidentNames, readIncident } from "../../../host-node/incidents/incident.ts";
import { pageIncidents } from "../../../scripts/build-incidents.ts";
import { convertedOf, NOT_AS_IN_A_CLUSTER } from "../../../scripts/incident-scenarios.ts";
import { Run } from "../history/run.ts";

const LIMIT_MS = 3_600_000;
const incidents = pageIncidents();
const played = incidents.filter(({ broken }) => broken !== undefined);

interface End {
  readonly isComplete: boolean;
  readonly job: JobAccount;
  readonly ends: readonly string[];
}

/** How the newest Job of this name stands after an hour. */
function endOf({ yaml, ...scenario }: Scenario, name: string): End {
  const run = new Run(yaml, scenario).to(LIMIT_MS);
  const job = run.history.book.tables.jobs.findLastIndex((each) => each.name === name);
  const { account } = run.look({ atMs: LIMIT_MS, job, panel: "account" });
  const { sentence } = account!.job!;
  const ends = account!.rows.map(({ endedBy }) => endedBy);
  return { isComplete: sentence.startsWith("the Job has succeeded"), job: account!.job!, ends };
}

describe.each(played.map((incident) => [incident.name, incident] as const))(
  "%s",
  (name, { broken, repaired, cause }) => {
    const { subject, answer } = readIncident(name);

    test("does not complete, and the panel says why", () => {
      const { isComplete, job, ends } = endOf(broken!, subject.name);
      expect(isComplete).toBe(false);
      if (answer.by === "account" || answer.by === "verdict") expect(JSON.stringify([job, ends])).toContain(cause);
    });

    test("completes with the remedy", () => {
      const { isComplete, job } = endOf(repaired!, subject.name);
      expect({ isComplete, said: isComplete ? "" : job.sentence }).toEqual({ isComplete: true, said: "" });
    });

    test("is one that a stranger may send", async () => {
      for (const scenario of [broken!, repaired!]) {
        expect(readScenario(scenario)).toEqual(scenario);
        const state = {
          scenario,
          atMs: 0,
          panel: "account",
          engineVersion: "0.1.0",
          digest: "0123456789abcdef0123456789abcdef",
        };
        const none = (): Promise<undefined> => Promise.resolve(undefined);
        expect(await readAddress(await writeAddress(state, none), none)).toEqual(state);
      }
    });
  },
);

test("all incidents are there, and many are played", () => {
  expect(incidents.map(({ name }) => name).toSorted()).toEqual(incidentNames());
  expect(played.length).toBeGreaterThanOrEqual(35);
});

test.each([...NOT_AS_IN_A_CLUSTER])("%s would not be as in a cluster", (name) => {
  const incident = readIncident(name);
  const { subject, answer } = incident;
  const { broken, repaired } = convertedOf(incident)!;
  const isAsThere = (): boolean => {
    const { isComplete, job, ends } = endOf(broken, subject.name);
    const isSaid = !["account", "verdict"].includes(answer.by) || JSON.stringify([job, ends]).includes(answer.cause);
    return !isComplete && isSaid && endOf(repaired, subject.name).isComplete;
  };
  let isRight = false;
  try {
    isRight = isAsThere();
  } catch {
    // The API server refuses the Job, so nothing runs.
  }
  expect(isRight).toBe(false);
});
