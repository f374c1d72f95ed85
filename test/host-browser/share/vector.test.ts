/** A run of the page as a vector: the runner of the vectors plays it, and it fails when the engine does otherwise. */
import { readFileSync } from "node:fs";
import { beforeAll, describe, expect, test } from "vitest";
import { LESSONS } from "../../../host-browser/catalogue/lessons.ts";
import type { Action, Scenario } from "../../../cluster/simulation/scenario.ts";
import { vectorOfRun } from "../../../host-browser/share/record-run.ts";
import { World } from "../../../cluster/simulation/world.ts";
import { buildModule, modulePath } from "../../../scripts/build-engine.ts";
import schema from "../../vectors/engine.schema.json" with { type: "json" };
import { newEngine } from "../../bindings/js/vector-files.ts";
import { runVector } from "../../bindings/js/vector-runner.ts";
import type { Step, VectorFile } from "../../bindings/js/vector-types.ts";
import { jobYaml, scenarioOf } from "../../cluster/simulation/harness.ts";
import { allTools } from "../../cluster/simulation/tools.ts";

let engineBytes: Uint8Array<ArrayBuffer>;
let engineModule: WebAssembly.Module;
beforeAll(async () => {
  await buildModule("engine");
  engineBytes = new Uint8Array(readFileSync(modulePath("engine")));
  engineModule = await WebAssembly.compile(engineBytes);
});

function vectorOf(scenario: Scenario, name = "a run"): VectorFile {
  const text = vectorOfRun(
    name,
    engineBytes,
    (recorder, recording) => new World(engineModule, scenario, recorder, allTools, recording),
  );
  return JSON.parse(text) as VectorFile;
}

const play = (file: VectorFile): Promise<void> => runVector(file.cases[0]!, {}, { newEngine });

/** Lessons that the format cannot say, and why. */
const UNSAYABLE: Readonly<Record<string, RegExp>> = {
  gang: /namespace default alone/,
  accounting: /an event is answered late/,
};

describe("every lesson", () => {
  // A thousand pods take as long as all others together.
  test.each(LESSONS.filter(({ id }) => id !== "thousand"))(
    "$id is played by the runner, or refused with the reason",
    async ({ id, title, scenario }) => {
      const reason = UNSAYABLE[id];
      if (reason !== undefined) {
        expect(() => vectorOf(scenario)).toThrow(reason);
        return;
      }
      const file = vectorOf(scenario, title);
      const { steps, name, spec } = file.cases[0]!;
      expect([name, spec]).toEqual([title, "controller.md 14.6"]);
      await expect(play(file)).resolves.toBeUndefined();
      const requests = steps.flatMap((step) => ("run" in step ? (step.requests ?? []) : []));
      expect(requests.length).toBeGreaterThan(1);
    },
  );
});

// The order of a list depends on the names of pods, and so on the seed.
test.each([1, 2, 3, 4, 5, 6])(
  "a restart is played by the runner, whatever the pods are called: seed %d",
  async (seed) => {
    const { scenario } = LESSONS.find(({ id }) => id === "restart")!;
    await expect(play(vectorOf({ ...scenario, seed }))).resolves.toBeUndefined();
  },
);

const SPEC = "completions: 4\nparallelism: 3\ncompletionMode: Indexed\nbackoffLimitPerIndex: 1";
const OUTCOME = '{ "runMs": 4000, "byIndex": { "1": { "exitCode": 1 } } }';
const JOB = { namespace: "default", name: "pi" };

describe("a run in which a user", () => {
  test.each<[string, readonly (readonly [number, Action])[]]>([
    [
      "suspends and resumes",
      [
        [2_000, { kind: "suspend", ...JOB }],
        [50_000, { kind: "resume", ...JOB }],
      ],
    ],
    ["scales", [[2_000, { kind: "scale", ...JOB, parallelism: 1 }]]],
    ["drains a node", [[2_000, { kind: "drain", node: "node-1" }]]],
    ["deletes the Job", [[2_000, { kind: "delete-job", ...JOB }]]],
    [
      "deletes the Job and makes it again",
      [
        [2_000, { kind: "delete-job", ...JOB }],
        [90_000, { kind: "apply", yaml: jobYaml(SPEC, OUTCOME) }],
      ],
    ],
    [
      "restarts the controller",
      [
        [1_000, { kind: "restart-controller", downMs: 5_000 }],
        [9_000, { kind: "restart-controller", downMs: 1 }],
      ],
    ],
    ["makes the API server fail", [[3_900, { kind: "api-errors", status: 500, forMs: 20_000 }]]],
    ["makes the API server refuse", [[3_900, { kind: "api-errors", status: 429, forMs: 20_000 }]]],
    ["stops the scheduler", [[0, { kind: "stop-scheduler", forMs: 30_000 }]]],
  ])("%s is played by the runner", async (_, done) => {
    const inputs = done.map(([atMs, action]) => ({ atMs, action }));
    await expect(play(vectorOf(scenarioOf(jobYaml(SPEC, OUTCOME), { inputs })))).resolves.toBeUndefined();
  });
});

describe("a vector of a run", () => {
  test("has the members of the format and no others", () => {
    const { step } = schema.$defs;
    for (const { scenario } of LESSONS.slice(0, 5))
      for (const entry of vectorOf(scenario).cases[0]!.steps) {
        const kind = step.oneOf.find(({ required }) => required.every((key) => key in entry));
        expect(
          Object.keys(entry).filter((key) => !(key in (kind?.properties ?? {}))),
          JSON.stringify(entry),
        ).toEqual([]);
      }
  });

  test.each([
    [
      "a number in a status",
      (step: Step) => ("run" in step ? text(step).replace(/"active":3/, '"active":2') : text(step)),
    ],
    ["a request", (step: Step) => text(step).replace(/\{"strip":"[^}]*\},?/, "")],
    ["a request that comes sooner", (step: Step) => text(step).replace(/"run":6010,/, '"run":6009,')],
  ])("fails when the engine must do otherwise: %s", async (_, change) => {
    const file = vectorOf(scenarioOf(jobYaml(SPEC, OUTCOME)));
    const [one] = file.cases;
    const steps = one!.steps.map((step) => JSON.parse(change(step).replace(",]", "]")) as Step);
    expect(steps).not.toEqual(one!.steps);
    await expect(play({ cases: [{ ...one!, steps }] })).rejects.toThrow(/step \d+/);
  });

  test("of a run that the format cannot say is refused with the reason", () => {
    const many = scenarioOf(jobYaml("parallelism: 300\ncompletions: 300"));
    expect(() => vectorOf(many)).toThrow(/requests are sent at once .* export a smaller run/);
    const word = scenarioOf(jobYaml().replace("image: ", "args: [$name]\n        image: "));
    expect(() => vectorOf(word)).toThrow(/has \$name in it/);
    const inputs = [{ atMs: 500, action: { kind: "slow-api", delayMs: 3_000, forMs: 60_000 } }] as const;
    expect(() => vectorOf(scenarioOf(jobYaml(SPEC), { inputs }))).toThrow(/an event is answered late at \d+ ms/);
    const elsewhere = scenarioOf(
      `apiVersion: v1\nkind: Namespace\nmetadata: { name: other }\n---\n${jobYaml().replace("  name: pi", "  name: pi\n  namespace: other")}`,
    );
    expect(() => vectorOf(elsewhere)).toThrow(/namespace default alone; here is other/);
  });
});

function text(step: Step): string {
  return JSON.stringify(step);
}
