/**
 * The incidents of examples/incidents: each Job does not complete, and completes with the remedy; and the product names
 * the cause and the object at fault.
 */
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, test } from "vitest";
import { main } from "../host-node/cli/checked-main.ts";
import { RecordingConsole } from "../host-node/cli/recording-console.ts";
import {
  incidentFolder,
  type Incident,
  incidentNames,
  repaired,
  readIncident,
} from "../../host-node/incidents/incident.ts";
import { KNOWN_GAPS } from "./known-gaps.ts";
import { isLike } from "../../host-node/incidents/like.ts";
import { ask, nameOf } from "./sources.ts";
import { play, type Seen } from "../../host-node/incidents/play.ts";
import { withTable } from "./table.ts";

const incidents = incidentNames().map(readIncident);

/** What is wrong with what the product says; undefined: it names the cause and the object. */
async function gapOf(incident: Incident, seen: Seen): Promise<string | undefined> {
  const { cause, by, object, named = nameOf(object) } = incident.answer;
  const said = await ask(by, incident, seen);
  const right = said.filter(({ code }) => code === cause);
  if (right.length === 0) return `${by} says ${[...new Set(said.map(({ code }) => code))].join(", ") || "nothing"}`;
  return right.some(({ words }) => words.includes(named)) ? undefined : `${by} does not name ${object}`;
}

describe.each(incidents.map((incident) => [incident.name, incident] as const))("%s", (name, incident) => {
  test("does not complete, and is explained", async () => {
    const seen = await play(incident, false);
    expect(seen.isComplete).toBe(false);
    expect(await gapOf(incident, seen)).toBe(KNOWN_GAPS[name]);
  });

  test("completes with the remedy", async () => {
    const { isComplete, why } = await play(repaired(incident), true);
    expect({ isComplete, why: isComplete ? "" : why }).toEqual({ isComplete: true, why: "" });
  });
});

test.each(incidents.filter(({ run }) => run !== undefined).map(({ name, run }) => [name, run!] as const))(
  "stint run shows %s",
  async (name, shown) => {
    const console = new RecordingConsole(incidentFolder());
    const file = join(incidentFolder(), `${name}.yaml`);
    const exit = await main(["run", "--runtime", "simulated", "--timeout", "1h", file], "0.0.0", console);
    expect(exit).not.toBe(0);
    expect(`${console.out}${console.err}`).toContain(shown);
  },
);

test("the table of the README lists them all", async () => {
  const file = join(incidentFolder(), "README.md");
  await expect(withTable(readFileSync(file, "utf8"), incidents)).toMatchFileSnapshot(file);
});

test("every known gap is one of an incident", () => {
  expect(Object.keys(KNOWN_GAPS).filter((name) => !incidents.some((incident) => incident.name === name))).toEqual([]);
});

test("a wrong cause and a wrong object are found", async () => {
  const incident = incidents.find(({ name }) => name === "memory-limit")!;
  const seen = await play(incident, false);
  const answer = { ...incident.answer, cause: "LivenessProbe" };
  expect(await gapOf({ ...incident, answer }, seen)).toBe("account says OutOfMemory");
  const other = { ...incident.answer, object: "container sidecar" };
  expect(await gapOf({ ...incident, answer: other }, seen)).toBe("account does not name container sidecar");
});

test("a remedy of something else does not help", async () => {
  const incident = incidents.find(({ name }) => name === "memory-limit")!;
  const patches = [{ patch: { kind: "Job", name: "convert" }, with: { spec: { backoffLimit: 9 } } }];
  const other = { ...incident, remedy: { says: "Try more often.", patches } };
  expect((await play(repaired(other), true)).isComplete).toBe(false);
});

test.each([
  [{ a: { b: 1, c: 2 } }, { a: { b: 1 } }, true],
  [{ a: { b: 1 } }, { a: { b: 2 } }, false],
  [{ list: [{ name: "x", n: 1 }, { name: "y" }] }, { list: [{ name: "y" }] }, true],
  [{ list: [{ name: "x" }] }, { list: [{ name: "y" }] }, false],
  [{ memory: "1Gi" }, { memory: ">=700Mi" }, true],
  [{ memory: "512Mi" }, { memory: ">=700Mi" }, false],
  [{ seconds: 5 }, { seconds: "<30" }, true],
  [{}, { memory: ">=1" }, false],
  [{}, { memory: null }, true],
  [{ memory: "1" }, { memory: null }, false],
])("%j is like %j: %s", (given, pattern, wanted) => {
  expect(isLike(given, pattern)).toBe(wanted);
});
