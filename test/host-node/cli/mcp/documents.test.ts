/** docs/agents.md and the skill name the tools, inputs, commands and options that are there, and the right limits. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { describe, expect, it } from "vitest";
import { parse } from "yaml";
import { clusterTools } from "../../../../host-node/cli/mcp/cluster-tools.ts";
import { MAX_ANSWER_LENGTH } from "../../../../host-node/cli/mcp/fitted.ts";
import { manifestTools } from "../../../../host-node/cli/mcp/manifest-tools.ts";
import { createProgram } from "../../../../host-node/cli/program.ts";
import { RecordingConsole } from "../recording-console.ts";

const read = (file: string): string => readFileSync(path.join(import.meta.dirname, "../../../..", file), "utf8");
const page = read("docs/agents.md");
const skill = read("examples/agents/skill/SKILL.md");
const cluster = { kubeconfig: undefined, context: undefined, allowedContexts: [] };
const flags = { ...cluster, controller: undefined, controllerNamespace: "stint-system", version: "0.0.0" };
const tools = [...clusterTools(flags), ...manifestTools(flags)];

describe("docs/agents.md", () => {
  it("has a row for each tool, with its inputs", () => {
    const rows = [...page.matchAll(/^\| `([\w-]+)` \| (.*) \| (.*) \|$/gm)].map(([, name, , inputs]) => ({
      name,
      inputs: [...inputs!.matchAll(/`(\w+)`/g)].map(([, input]) => input!).toSorted(),
    }));
    const there = tools.map(({ name, properties }) => ({ name, inputs: Object.keys(properties).toSorted() }));
    expect(rows).toEqual(there);
  });

  it("has the limits", () => {
    expect(page).toContain(`${MAX_ANSWER_LENGTH.toLocaleString("en")} characters`);
    const { timeoutSeconds } = tools.find(({ name }) => name === "wait")!.properties as any;
    expect(page).toContain(`(${timeoutSeconds.default} unless given, at most ${timeoutSeconds.maximum})`);
    expect(page).toContain(`| a wait | ${timeoutSeconds.maximum} s;`);
  });
});

describe("the skill", () => {
  it("begins with its name and a description that agents take", () => {
    const [, head] = /^---\n([^]*?)\n---\n/.exec(skill)!;
    const { name, description, ...others } = parse(head!);
    expect({ name, others }).toEqual({ name: "stint", others: {} });
    expect(description.length).toBeLessThanOrEqual(1024);
  });

  it("names each tool, and commands with the options that they have", () => {
    const { commands } = createProgram("0.0.0", new RecordingConsole("/"), () => {});
    const named = [...skill.matchAll(/^\| .* \| `([\w-]+)` \| `stint ([\w-]+) (.*)` \|$/gm)];
    expect(named.map(([, tool]) => tool).toSorted()).toEqual(tools.map(({ name }) => name).toSorted());
    for (const [, tool, name, words] of named) {
      expect(name).toBe(tool);
      const { options } = commands.find((command) => command.name() === name)!;
      const known = options.flatMap(({ short, long }) => [short, long]);
      expect(known).toEqual(expect.arrayContaining(words!.split(" ").filter((word) => word.startsWith("-"))));
    }
  });
});
