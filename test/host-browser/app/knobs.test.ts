/** Knobs: the numbers of a manifest and of its pods, found and turned. */
import { describe, expect, test } from "vitest";
import { knobsOf } from "../../../host-browser/app/knobs.ts";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";

const YAML = `# Work.
apiVersion: batch/v1
kind: Job
metadata:
  name: work
spec: # what is wanted
  completions: 8 # all of it
  parallelism: 2
  template:
    spec:
      parallelism: 7
      restartPolicy: Never
`;

function scenario(yaml: string, outcomes: Scenario["outcomes"] = []): Scenario {
  return { yaml, seed: 1, nodes: DEFAULT_NODES, outcomes, inputs: [] };
}

function values(of: Scenario): Record<string, number> {
  return Object.fromEntries(knobsOf(of).map(({ name, value }) => [name, value]));
}

function turn(of: Scenario, name: string, value: number): Scenario {
  return knobsOf(of)
    .find((knob) => knob.name === name)!
    .turn(value);
}

describe("fields of the Job", () => {
  test("are found where they are written, and with their defaults", () => {
    expect(values(scenario(YAML))).toEqual({
      "spec.completions": 8,
      "spec.parallelism": 2,
      "spec.backoffLimit": 6,
      "pods that fail": 0,
    });
  });

  test("are turned in their place, and comments stay", () => {
    expect(turn(scenario(YAML), "spec.completions", 12).yaml).toBe(
      YAML.replace("completions: 8 # all", "completions: 12 # all"),
    );
  });

  test("are added to the spec where they were not written", () => {
    const { yaml } = turn(scenario(YAML), "spec.backoffLimit", 0);
    expect(yaml).toBe(YAML.replace("spec: # what is wanted\n", "spec: # what is wanted\n  backoffLimit: 0\n"));
    expect(values(scenario(yaml))["spec.backoffLimit"]).toBe(0);
  });

  test("are those of the first Job of several documents", () => {
    const other = `kind: ConfigMap\nmetadata:\n  name: c\ndata:\n  parallelism: "3"\n---\n`;
    const second = `---\n${YAML.replace("parallelism: 2", "parallelism: 9")}`;
    const { yaml } = turn(scenario(other + YAML + second), "spec.parallelism", 5);
    expect(yaml).toBe(other + YAML.replace("parallelism: 2", "parallelism: 5") + second);
  });

  test("have no limit of the whole Job where each index has one", () => {
    const yaml = YAML.replace("  template:", "  backoffLimitPerIndex: 1\n  template:");
    expect(values(scenario(yaml))).not.toHaveProperty("spec.backoffLimit");
    expect(values(scenario(yaml))).toHaveProperty("spec.backoffLimitPerIndex", 1);
  });

  test.each([
    ["no number", YAML.replace("parallelism: 2", "parallelism: two")],
    ["a text", YAML.replace("parallelism: 2", 'parallelism: "2"')],
  ])("are left alone when there is %s", (_what, yaml) => {
    expect(values(scenario(yaml))).not.toHaveProperty("spec.parallelism");
  });

  test.each([
    ["flow style", "kind: Job\nspec: { parallelism: 2 }\n"],
    ["JSON", '{"kind": "Job", "spec": {"parallelism": 2}}'],
    ["another kind", YAML.replace("kind: Job", "kind: CronJob")],
    ["nothing", ""],
  ])("are none in %s", (_what, yaml) => {
    expect(Object.keys(values(scenario(yaml))).filter((name) => name.startsWith("spec."))).toEqual([]);
  });
});

describe("pods", () => {
  const FAIL = { share: 0.25, outcome: { exitCode: 3, runMs: [1000, 2000] } };
  const REST = { outcome: { runMs: [10_000, 30_000] } };

  test("fail in a share, with the exit code that they had", () => {
    const of = scenario(YAML, [FAIL, REST]);
    expect(values(of)).toMatchObject({ "pods that fail": 25, "pods take, on average": 20 });
    expect(turn(of, "pods that fail", 40).outcomes).toEqual([{ ...FAIL, share: 0.4 }, REST]);
    expect(turn(of, "pods that fail", 0).outcomes).toEqual([REST]);
  });

  test("that never failed begin to fail before all other rules", () => {
    const { outcomes } = turn(scenario(YAML, [REST]), "pods that fail", 10);
    expect(outcomes).toHaveLength(2);
    expect(outcomes[0]).toMatchObject({ share: 0.1, outcome: { exitCode: 1 } });
    expect(turn(scenario(YAML, [REST]), "pods that fail", 0).outcomes).toEqual([REST]);
  });

  test("take longer, as wide as before", () => {
    const { outcomes } = turn(scenario(YAML, [REST]), "pods take, on average", 40);
    expect(outcomes).toEqual([{ outcome: { runMs: [20_000, 60_000] } }]);
  });
});
