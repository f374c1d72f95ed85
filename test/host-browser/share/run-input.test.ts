/** A scenario as a file for `stint run`: the same end, and a comment for what such a file cannot say. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { parse } from "yaml";
import { DEFAULT_NODES, type Scenario } from "../../../cluster/simulation/scenario.ts";
import { runInputOf } from "../../../host-browser/share/run-input.ts";
import { main } from "../../../host-node/cli/program.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "../../host-node/cli/recording-console.ts";

const examples = path.resolve(import.meta.dirname, "../../../examples");
const scratch = mkdtempSync(path.join(tmpdir(), "stint-run-input-"));
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => rmSync(scratch, { recursive: true, force: true }));

const scenario = (example: string, changes: Partial<Scenario> = {}): Scenario => ({
  yaml: readFileSync(path.join(examples, example), "utf8"),
  seed: 1,
  nodes: DEFAULT_NODES,
  outcomes: [],
  inputs: [],
  ...changes,
});

async function exitOf(text: string): Promise<number> {
  const file = path.join(scratch, "job.yaml");
  writeFileSync(file, text);
  const console = new RecordingConsole(scratch);
  const exit = await main(["run", "--runtime", "simulated", file], "0", console);
  expect(console.err).toBe("");
  return exit;
}

describe("the input of stint run", () => {
  const fails = { outcome: { runMs: [1, 2], exitCode: 3 } };
  test("ends as the scenario does", async () => {
    expect(await exitOf(runInputOf(scenario("one-fails.yaml")))).toBe(0);
    expect(await exitOf(runInputOf(scenario("pi.yaml")))).toBe(0);
    expect(await exitOf(runInputOf(scenario("pi.yaml", { outcomes: [fails] })))).toBe(1);
  });

  test("has the outcomes of all pods and of single indexes in its annotation", () => {
    const text = runInputOf(
      scenario("pi.yaml", {
        outcomes: [
          { match: { completionIndex: 2 }, outcome: { runMs: 5 } },
          { match: { completionIndex: 2 }, outcome: { runMs: 6 } },
          fails,
          { match: { completionIndex: 3 }, outcome: {} },
        ],
      }),
    );
    expect(JSON.parse(parse(text).spec.template.metadata.annotations["stint.dev/simulate"])).toEqual({
      ...fails.outcome,
      byIndex: { "2": { exitCode: 0, runMs: 5 } },
    });
  });

  test.each([
    ["metadata without annotations", "    metadata:\n      labels:\n        a: b\n"],
    ["annotations", '    metadata:\n      annotations:\n        a: "b"\n'],
    ["no metadata", ""],
  ])("keeps what the template has: %s", (_, metadata) => {
    const spec = "    spec:\n      restartPolicy: Never\n      containers: [{ name: a, image: b }]\n";
    const yaml = `kind: Job\nspec:\n  template:\n${metadata}${spec}  backoffLimit: 1\n`;
    const { template, backoffLimit } = parse(runInputOf({ ...scenario("pi.yaml"), yaml, outcomes: [fails] })).spec;
    const before = parse(yaml).spec.template;
    expect(template.spec).toEqual(before.spec);
    expect(template.metadata.labels).toEqual(before.metadata?.labels);
    expect(template.metadata.annotations).toMatchObject(before.metadata?.annotations ?? {});
    expect(JSON.parse(template.metadata.annotations["stint.dev/simulate"])).toEqual(fails.outcome);
    expect(backoffLimit).toBe(1);
  });

  test("says in a comment what it leaves out, and what to add by hand", () => {
    const text = runInputOf({
      ...scenario("pi.yaml"),
      yaml: "{kind: Job, spec: {template: {}}}\n",
      outcomes: [fails, { share: 0.5, outcome: {} }],
      inputs: [{ atMs: 1, action: { kind: "drain", node: "node-1" } }],
    });
    expect(text).toContain("# Not in this file: rules of outcomes (1)");
    expect(text).toContain("# Not in this file: what was done to the cluster: drain.");
    expect(text).toContain('# Add this annotation to the pod template:\n#   stint.dev/simulate: \'{"runMs":[1,2]');
    expect(text.endsWith("{kind: Job, spec: {template: {}}}\n")).toBe(true);
  });
});
