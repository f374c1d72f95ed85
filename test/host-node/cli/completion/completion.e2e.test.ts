/** The scripts of `stint completion`, run by the shells themselves; one that is not installed is skipped. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { completionScript } from "../../../../host-node/cli/completion/completion.ts";
import { createProgram } from "../../../../host-node/cli/program.ts";
import { RecordingConsole } from "../recording-console.ts";
import { isInstalled, offered, type Shell } from "./shells.ts";

const program = createProgram("0.0.0", new RecordingConsole("/"), () => {});
const names = program.commands.map((command) => command.name());

let folder: string;
beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), "stint-completion-"));
});
afterEach(() => rmSync(folder, { recursive: true }));

describe.each<Shell>(["bash", "zsh", "fish"])("%s", (shell) => {
  const test = it.skipIf(!isInstalled(shell));
  const script = completionScript(shell, program);
  const after = (line: string): readonly string[] => offered(shell, script, line, folder);

  test("offers the commands", () => {
    expect(after("stint ")).toEqual(expect.arrayContaining([...names, "help"]));
    expect(after("stint w")).toEqual(["wait", "webhook", "why"]);
  });

  test("offers the options of a command, and not those of another one", () => {
    const options = after("stint why --");
    expect(options).toEqual(expect.arrayContaining(["--namespace", "--context", "--kubeconfig", "--help"]));
    expect(options).not.toContain("--runtime");
    expect(after("stint wait pi --give")).toEqual(["--give-up-when-stuck"]);
  });

  test("offers the values of an option of which there are few", () => {
    expect(after("stint lint --output ")).toEqual(["github", "json", "junit", "sarif", "text"]);
    expect(after("stint lint -o j")).toEqual(["json", "junit"]);
    expect(after("stint controller --log-level w")).toEqual(["warn"]);
    expect(after("stint completion ")).toEqual(["bash", "fish", "zsh"]);
    expect(after("stint help exp")).toEqual(["explain"]);
  });

  test("offers files where files are meant, and nothing where a text is", () => {
    for (const name of ["job.yaml", "other.yaml"]) writeFileSync(join(folder, name), "");
    mkdirSync(join(folder, "jobs"));
    for (const line of ["stint lint jo", "stint run --filename jo"])
      expect(
        after(line).map((name) => name.replace(/\/$/, "")),
        line,
      ).toEqual(["job.yaml", "jobs"]);
    expect(after("stint why jo")).toEqual([]);
    expect(after("stint why --namespace jo")).toEqual([]);
  });
});

describe("bash", () => {
  it("takes --flag=value apart as readline does", () => {
    const script = completionScript("bash", program);
    expect(offered("bash", script, "stint lint --output=j", folder)).toEqual(["json", "junit"]);
    expect(offered("bash", script, "stint lint --output=", folder)).toHaveLength(5);
    expect(offered("bash", script, "stint controller --shadow=", folder)).toEqual(["false", "true"]);
  });
});
