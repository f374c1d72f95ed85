/** Problems of the input: everything at once, each with its place, in the order of the lines, and never half a run. */
import { describe, expect, test } from "vitest";
import { checkManifest } from "../../../cluster/simulation/load-manifest.ts";
import { scenarioFaults } from "../../../cluster/simulation/scenario-limits.ts";
import { DEFAULT_NODES, MAX_INPUTS, MAX_YAML_LENGTH, type Scenario } from "../../../cluster/simulation/scenario.ts";
import { allTools } from "./tools.ts";
import { create, engineModule, jobYaml, scenarioOf } from "./harness.ts";

const tools = { readYaml: allTools.readYaml, lazyParts: allTools.lazyParts() };
const check = (yaml: string): string[] =>
  checkManifest(engineModule, yaml, { nodes: DEFAULT_NODES }, tools).map(
    ({ severity, message, line, column }) => `${line}:${column} ${severity} ${message}`,
  );

describe("a manifest", () => {
  test("without a fault has no problems", () => {
    expect(check(jobYaml("completions: 3"))).toEqual([]);
  });

  test("gets all causes of admission, in the order of lines", () => {
    const yaml = jobYaml("parallelism: -3\nbackoffLimit: -1").replace("restartPolicy: Never", "restartPolicy: Always");
    expect(check(yaml)).toEqual([
      "6:16 error spec.parallelism: Invalid value: -3: must be greater than or equal to 0",
      "7:17 error spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
      expect.stringMatching(/^13:22 error spec\.template\.spec\.restartPolicy: /),
    ]);
  });

  test("with a misspelt field gets the one that may be meant", () => {
    expect(check(jobYaml("paralelism: 3"))).toEqual([
      "6:3 error spec.paralelism: unknown field of batch/v1 Job; did you mean parallelism?",
    ]);
  });

  test("that wants more pods than a simulation has room for is refused with the number, the limit and what to do", () => {
    const refusal = (field: string, pods: string): string =>
      `6:16 error ${field}: the Job wants ${pods} pods, and a simulation makes at most 100,000 of a ` +
      "Job; set it to 100,000 or less, or ask stint forecast, which reckons with any number";
    expect(check(jobYaml("parallelism: 2147483647"))[0]).toBe(refusal("spec.parallelism", "2,147,483,647"));
    expect(check(jobYaml("completions: 100001"))[0]).toBe(refusal("spec.completions", "100,001"));
    expect(check(jobYaml("parallelism: 2147483647\ncompletions: 3"))).toEqual([]);
    expect(create(scenarioOf(jobYaml("parallelism: 2147483647"))).world.isRefused).toBe(true);
  });

  test("whose pods have no room on the nodes gets a warning that says where nodes are added", () => {
    expect(check(jobYaml("parallelism: 5000"))).toEqual([
      "6:16 warning spec.parallelism: the Job runs 5,000 pods at once, and the nodes have room for 330; " +
        "the other 4,670 wait as Pending: add nodes in “The world”",
    ]);
    expect(check(jobYaml("parallelism: 330"))).toEqual([]);
  });

  test("of a live cluster runs without what its server has added, with one note", () => {
    const live = jobYaml("completions: 1")
      .replace("  name: ", `  uid: 2585d759\n  resourceVersion: "7"\n  ownerReferences: [{uid: x}]\n  name: `)
      .concat("\nstatus: {succeeded: 1}\n");
    const note =
      "passed over the fields that a server has added (manifest:1): metadata.resourceVersion, metadata.uid, status and 1 more";
    expect(checkManifest(engineModule, live, { nodes: DEFAULT_NODES }, tools)).toEqual([
      { severity: "warning", message: note },
    ]);
    expect(create(scenarioOf(live)).world.isRefused).toBe(false);
  });

  test("of a version that is gone, or with a key twice, is refused with what to do", () => {
    expect(check(jobYaml().replace("batch/v1", "extensions/v1beta1"))).toEqual([
      expect.stringMatching(/^1:13 error apiVersion: here is extensions\/v1beta1 Job, .* since 1\.6; use batch\/v1/),
    ]);
    expect(check(jobYaml("parallelism: 1\nparallelism: 2"))).toEqual([
      "7:3 error parallelism: this key is here again; the first one is in line 6, and kubectl takes the last one",
    ]);
  });

  test("with an unknown field says what else is wrong", () => {
    expect(check(jobYaml("paralelism: 3\nbackoffLimit: -1"))).toEqual([
      "6:3 error spec.paralelism: unknown field of batch/v1 Job; did you mean parallelism?",
      "7:17 error spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
    ]);
  });

  test("with a bad outcome is refused with its place", () => {
    expect(check(jobYaml("", '{ "exitcode": 1 }'))).toEqual([
      expect.stringMatching(/^10:32 error .*exitcode is not a field of an outcome; .*; did you mean exitCode\?$/),
    ]);
  });

  test("that could never start gets a warning, and runs", () => {
    const yaml = jobYaml().replace("image: ", "resources: {requests: {cpu: 100}}\n        image: ");
    const { world } = create(scenarioOf(yaml));
    expect(world.isRefused).toBe(false);
    expect(world.problems(tools.lazyParts)).toEqual([
      {
        severity: "warning",
        message: "spec.template.spec.containers[0].resources: the pod requests 100 of cpu; no node has more than 16",
        line: 15,
        column: 20,
      },
    ]);
  });

  test("whose fields have no effect gets warnings; one that is suspended gets none", () => {
    expect(check(jobYaml("suspend: true"))).toEqual([]);
    expect(check(jobYaml("managedBy: example.com/x"))).toEqual([
      expect.stringMatching(/^6:3 warning spec\.managedBy: "example.com\/x" would wait for that controller/),
    ]);
    const probes = jobYaml().replace("image: ", "readinessProbe: {exec: {command: [x]}}\n        image: ");
    expect(check(probes)).toEqual([expect.stringMatching(/^15:9 warning .*readinessProbe has no effect: probes/)]);
  });

  test("that is no YAML, has no Job, or is too long is refused", () => {
    expect(check("kind: [")).toEqual([expect.stringMatching(/^1:8 error /)]);
    expect(check("apiVersion: v1\nkind: Namespace\nmetadata: {name: a}")).toEqual([
      "1:1 error there is no Job here, but a Namespace a; a run needs at least one",
    ]);
    expect(checkManifest(engineModule, " ".repeat(MAX_YAML_LENGTH + 1), { nodes: DEFAULT_NODES }, tools)).toEqual([
      {
        severity: "error",
        message: `the manifest is ${MAX_YAML_LENGTH + 1} characters long; allowed are ${MAX_YAML_LENGTH}`,
      },
    ]);
  });

  test("that is refused leaves nothing half done", () => {
    const { world } = create(scenarioOf(`${jobYaml()}---\n${jobYaml("parallelism: -1", "{}", "bad")}`));
    expect(world.isRefused).toBe(true);
    expect(world.nextAt()).toBe(Infinity);
  });
});

describe("a scenario", () => {
  const faults = (rest: Partial<Scenario>): readonly string[] => scenarioFaults(scenarioOf(jobYaml(), rest));
  const [node] = DEFAULT_NODES;

  test("as it should be has no problems", () => {
    expect(faults({})).toEqual([]);
  });

  test.each([
    [{ seed: -1 }, "seed is -1; allowed is an integer from 0 to 4294967295"],
    [{ yaml: " ".repeat(MAX_YAML_LENGTH + 1) }, "yaml is 1048577 characters long; allowed are 1048576"],
    [{ nodes: [] }, "nodes has 0 nodes; allowed are 1 to 1000"],
    [
      { nodes: [{ ...node!, name: "Node" }] },
      'nodes[0].name is "Node"; allowed is a name of at most 52 lower-case letters, digits and hyphens',
    ],
    [{ nodes: [{ ...node!, cpu: "much" }] }, 'nodes[0].cpu is "much"; allowed is a quantity such as 500m or 8'],
    [{ nodes: [{ ...node!, pods: 0 }] }, "nodes[0].pods is 0; allowed is an integer from 1 to 100000"],
    [{ outcomes: [{ share: 2, outcome: {} }] }, "outcomes[0].share is 2; allowed is a number above 0, up to 1"],
    [
      { outcomes: [{ outcome: { exitCode: 300 } }] },
      "outcomes[0].outcome.exitCode is 300; allowed is an integer from 0 to 255",
    ],
    [
      { outcomes: [{ match: { container: "main" }, outcome: {}, pod: { kind: "never-scheduled" } }] },
      "outcomes[0].match.container cannot be together with outcomes[0].pod; leave one of both out",
    ],
    [
      { outcomes: [{ outcome: {}, pod: { kind: "evicted", afterMs: [5, 1] } }] },
      "outcomes[0].pod.afterMs[1] is 1; allowed is an integer from 5 to 3162240000000",
    ],
    [
      {
        inputs: [
          { atMs: 5, action: { kind: "cordon", node: "a" } },
          { atMs: 4, action: { kind: "cordon", node: "a" } },
        ],
      },
      "inputs[1].atMs is 4, before the input in front of it; allowed is the order of time",
    ],
    [
      { inputs: [{ atMs: 315_360_000_001, action: { kind: "cordon", node: "a" } }] },
      "inputs[0].atMs is 315360000001; allowed is an integer from 0 to 315360000000",
    ],
    [
      { inputs: [{ atMs: 5, action: { kind: "api-errors", status: 200, forMs: 5 } }] },
      "inputs[0].action.status is 200; allowed is an integer from 400 to 599",
    ],
    [
      {
        inputs: [{ atMs: 5, action: { kind: "scale", namespace: "default", name: "a", parallelism: -1 } }],
      },
      "inputs[0].action.parallelism is -1; allowed is an integer from 0 to 100000",
    ],
    [
      { outcomes: [{ match: { attempt: 0.5 }, outcome: {} }] },
      "outcomes[0].match.attempt is 0.5; allowed is an integer from 0 to 2147483647",
    ],
    [
      { inputs: Array.from({ length: MAX_INPUTS + 1 }, () => ({ atMs: 5, action: { kind: "uncordon", node: "a" } })) },
      "inputs has 1001 entries; allowed are 1000",
    ],
  ] as [Partial<Scenario>, string][])("is refused, and it says why (%#)", (rest, message) => {
    expect(faults(rest)).toEqual([message]);
  });
});
