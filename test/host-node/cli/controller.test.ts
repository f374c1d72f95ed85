/** The command line of `stint controller`: how flags are read, and how it refuses before anything is connected. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { SETTINGS } from "../../../host-node/controller/settings.ts";
import { defaultOf, flagOf, type Setting } from "../../../host-node/settings/table.ts";
import { RecordingConsole } from "./recording-console.ts";

let directory: string;
beforeAll(() => {
  directory = mkdtempSync(join(tmpdir(), "stint-controller-cli-"));
  writeFileSync(join(directory, "kubeconfig"), "clusters: []\n");
  writeFileSync(join(directory, "stint.yaml"), "leaseDuration: 15\n");
});
afterAll(() => rmSync(directory, { recursive: true }));

async function refusal(...args: string[]): Promise<string> {
  const console = new RecordingConsole(directory);
  expect(await main(["controller", ...args], "0.0.0", console)).toBe(2);
  expect(console.out).toBe("");
  return console.err;
}

describe("stint controller", () => {
  it("refuses what it does not know", async () => {
    expect(await refusal("--lease-duraton", "15s")).toMatch(
      /^stint: unknown option '--lease-duraton'\n\(Did you mean --lease-duration\?\)\n/,
    );
    expect(await refusal("job.yaml")).toMatch(/^stint: too many arguments for 'controller'\. /);
    expect(await refusal("--lease-duration")).toMatch(
      /^stint: option '--lease-duration <duration>' argument missing\n/,
    );
  });

  it("says what is wrong with a flag and with the file", async () => {
    expect(await refusal("--lease-duration", "15")).toBe(
      'stint: --lease-duration is "15"; allowed is a duration such as 500ms, 30s, 5m or 1h30m, more than 0 and at most 3650d; 15 has no unit: 15s, 15m or 15h?\n',
    );
    expect(await refusal("--config", "stint.yaml")).toBe(
      'stint: stint.yaml:1:1: leaseDuration is "15"; allowed is a duration such as 500ms, 30s, 5m or 1h30m, more than 0 and at most 3650d; 15 has no unit: 15s, 15m or 15h?\n',
    );
    expect(await refusal("--config", "missing.yaml")).toBe(
      `stint: cannot read ${join(directory, "missing.yaml")}: there is no such file\n`,
    );
  });

  it("takes a boolean flag alone for true, and with a value in either spelling", async () => {
    const contradiction = "and --managed-by (a.b/c) are given";
    for (const flags of [["--default-controller"], ["--default-controller", "true"], ["--default-controller=true"]]) {
      expect(await refusal("--managed-by", "a.b/c", ...flags)).toContain(
        `--default-controller (true) ${contradiction}`,
      );
    }
    for (const flags of [["--default-controller", "false"], ["--default-controller=false"]]) {
      expect(await refusal("--managed-by", "a.b/c", "--kubeconfig", "kubeconfig", ...flags)).not.toContain(
        contradiction,
      );
    }
  });

  it("finds the kubeconfig from the working directory, and refuses one that is not there or names no server", async () => {
    expect(await refusal("--kubeconfig", "missing")).toMatch(
      new RegExp(`^stint: the kubeconfig ${join(directory, "missing")} cannot be used: there is no such file\\.\n`),
    );
    expect(await refusal("--kubeconfig", "kubeconfig")).toContain("names no cluster");
    expect(await refusal("--kubeconfig", "kubeconfig", "--context", "prod")).toContain('the context is "prod"');
  });
});

describe("docs/controller.md", () => {
  const page = readFileSync(resolve(import.meta.dirname, "../../../docs/controller.md"), "utf8");

  it("has every setting in its tables, in order, with its default and its help", () => {
    const rows = Object.entries<Setting>(SETTINGS).map(
      ([name, setting]) =>
        `| \`${name}\` | ${defaultOf(setting) === "" ? "" : `\`${defaultOf(setting)}\``} | ${setting.help} |`,
    );
    const section = page.slice(page.indexOf("\n## Settings\n"), page.indexOf("\n## Credentials\n"));
    expect(section.split("\n").filter((line) => line.startsWith("| `"))).toEqual(rows);
  });

  it("names no flag that there is not", () => {
    const commands = [...page.matchAll(/stint controller((?: +[^\n`]+)?)/g)].flatMap(([, rest = ""]) =>
      [...rest.matchAll(/--[a-z-]+/g)].map(([flag]) => flag),
    );
    expect(commands.length).toBeGreaterThan(3);
    expect(commands.filter((flag) => flag !== "--config" && !Object.keys(SETTINGS).map(flagOf).includes(flag))).toEqual(
      [],
    );
  });
});
