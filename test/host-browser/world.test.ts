/**
 * The world of the playground on the real engine: each example ends as its comment says, runs repeat, and bad Jobs are
 * refused with their place.
 */
import { readdirSync, readFileSync } from "node:fs";
import path from "node:path";
import { beforeAll, describe, expect, test } from "vitest";
import { MAX_YAML_LENGTH, World } from "../../host-browser/world.ts";
import { modulePath } from "../../scripts/build-engine.ts";

const folder = path.resolve(import.meta.dirname, "../../host-browser/examples");
const example = (name: string): string => readFileSync(path.join(folder, `${name}.yaml`), "utf8");
/** More timers than any example needs. */
const MAX_TIMERS = 10_000;

let module: WebAssembly.Module;
beforeAll(async () => {
  module = await WebAssembly.compile(readFileSync(modulePath("engine")));
});

async function runToEnd(yaml: string, seed = 1) {
  const world = await World.create(module, yaml, seed);
  expect(world.problems).toEqual([]);
  world.begin();
  for (let i = 0; i < MAX_TIMERS && !world.isFinished(); i++) world.step();
  expect(world.isFinished()).toBe(true);
  return world.snapshot("finished", "");
}

describe("examples", () => {
  const EXPECTED: Readonly<Record<string, object>> = {
    indexed: { status: "Complete", completions: "8/8", completedIndexes: "0-7", counts: { succeeded: 8, failed: 0 } },
    retry: { status: "Complete", completions: "1/1", counts: { succeeded: 1, failed: 2 } },
    "gives-up": {
      status: "Failed",
      counts: { failed: 3 },
      conditions: [{ type: "FailureTarget" }, { type: "Failed", status: "True", reason: "BackoffLimitExceeded" }],
    },
    deadline: {
      status: "Failed",
      duration: "90s",
      conditions: [{ type: "FailureTarget" }, { type: "Failed", status: "True", reason: "DeadlineExceeded" }],
    },
    restarts: { status: "Complete", counts: { succeeded: 1, failed: 0 } },
    "work-queue": { status: "Complete", counts: { active: 0, failed: 0 } },
  };

  test.each(Object.entries(EXPECTED))("%s ends as it says", async (name, job) => {
    const { jobs, decisionCount, events } = await runToEnd(example(name));
    expect(jobs).toHaveLength(1);
    expect(jobs).toMatchObject([job]);
    expect(decisionCount).toBeGreaterThan(2);
    expect(events.some((event) => event.reason === "SuccessfulCreate")).toBe(true);
  });

  test("there is an expectation for each", () => {
    expect(readdirSync(folder).sort()).toEqual(
      Object.keys(EXPECTED)
        .map((name) => `${name}.yaml`)
        .sort(),
    );
  });
});

describe("a run", () => {
  test("repeats with its seed, and is another with another seed", async () => {
    const yaml = example("indexed");
    const first = await runToEnd(yaml, 7);
    expect(await runToEnd(yaml, 7)).toEqual(first);
    expect((await runToEnd(yaml, 8)).pods).not.toEqual(first.pods);
  });

  test("shows the Job before the controller has looked at it", async () => {
    const world = await World.create(module, example("indexed"), 1);
    expect(world.snapshot("paused", "")).toMatchObject({
      nowMs: 0,
      podCount: 0,
      decisionCount: 0,
      jobs: [{ name: "render", explanation: "The controller has not looked at it yet." }],
    });
  });

  test("gives each pod the columns of kubectl and its completion index", async () => {
    const { pods } = await runToEnd(example("indexed"));
    expect(pods.map((pod) => pod.completionIndex).sort()).toEqual(["0", "1", "2", "3", "4", "5", "6", "7"]);
    expect(pods[0]).toMatchObject({ ready: "0/1", status: "Completed", restarts: "0", namespace: "default" });
  });

  test("takes several Jobs", async () => {
    const { jobs } = await runToEnd(`${example("indexed")}---\n${example("gives-up")}`);
    expect(jobs.map((job) => [job.name, job.status])).toEqual([
      ["render", "Complete"],
      ["broken", "Failed"],
    ]);
  });
});

describe("a manifest", () => {
  const changed = (from: string, to: string): Promise<World> =>
    World.create(module, example("indexed").replace(from, to), 1);

  test.each([
    [
      "parallelism: 3",
      "parallelism: -3",
      { line: 10, message: "spec.parallelism: Invalid value: -3: must be greater than or equal to 0" },
    ],
    ["parallelism: 3", "paralelism: 3", { line: 10, message: "spec.paralelism: unknown field of batch/v1 Job; did you mean parallelism?" }],
    ["parallelism: 3", "parallelism: x", { line: 10, message: expect.stringContaining("spec.parallelism") }],
    [
      "restartPolicy: Never",
      "restartPolicy: Always",
      { line: 17, message: expect.stringContaining("spec.template.spec.restartPolicy") },
    ],
    ["parallelism: 3", "suspend: true", { line: 10, message: expect.stringContaining("spec.suspend") }],
    ["kind: Job", "kind: Pod", { line: 4, message: expect.stringContaining("kind") }],
    ["kind: Job", "kind: [", { line: 5, message: expect.stringContaining("]") }],
    [
      "kind: Job",
      `# ${"x".repeat(MAX_YAML_LENGTH)}`,
      { message: expect.stringContaining(`allowed are ${MAX_YAML_LENGTH}`) },
    ],
  ])("with %s as %.20s is refused", async (from, to, problem) => {
    const { problems } = await changed(from, to);
    expect(problems[0]).toMatchObject(problem);
  });

  test("that the API server takes with a warning says so", async () => {
    const { problems, warnings } = await changed(
      "completions: 8\n  parallelism: 3",
      "completions: 100001\n  parallelism: 10001",
    );
    expect(problems).toEqual([]);
    expect(warnings).toMatchObject([{ message: expect.stringContaining("completions") }]);
  });
});
