/** What --help prints fits a terminal of 80 columns. */
import { describe, expect, it } from "vitest";
import { createProgram } from "../../../host-node/cli/program.ts";
import { main } from "./checked-main.ts";
import { SETTINGS as CONTROLLER_SETTINGS } from "../../../host-node/controller/settings.ts";
import { flagOf, type Setting } from "../../../host-node/settings/table.ts";
import { SETTINGS as WEBHOOK_SETTINGS } from "../../../host-node/webhook/settings.ts";
import { RecordingConsole } from "./recording-console.ts";

const settingsOf = (command: string, table: Readonly<Record<string, Setting>>): [string, string, Setting][] =>
  Object.entries(table).map(([name, setting]) => [command, name, setting]);

const NAMES = createProgram("0.0.0", new RecordingConsole("/"), () => {}).commands.map((command) => command.name());

describe("--help", () => {
  it.each([[], ...NAMES.map((name) => [name])])("of stint %s", async (...command) => {
    const console = new RecordingConsole("/");
    expect(await main([...command, "--help"], "0.0.0", console)).toBe(0);
    expect(console.out).toMatch(/\nExamples:\n/);
    expect(console.out.split("\n").filter((line) => line.length > 80)).toEqual([]);
    expect(console.out).not.toMatch(/default:\s+false/);
  });

  it.each(NAMES)("of stint %s has the meanings of exit statuses in one column, two spaces behind", async (command) => {
    const console = new RecordingConsole("/");
    await main([command, "--help"], "0.0.0", console);
    const lines = /\nExit status:\n([^]*?)\n\n/.exec(console.out)![1]!.split("\n");
    const column = Math.max(...lines.map((line) => /^ *\d*/.exec(line)![0].trimStart().length)) + 4;
    expect(lines.filter((line) => line.search(/[^\d ]/) !== column)).toEqual([]);
  });

  it.each(["run", "serve"])("of stint %s shows defaults as they would be written", async (command) => {
    const console = new RecordingConsole("/");
    await main([command, "--help"], "0.0.0", console);
    expect(console.out).not.toMatch(/default:\s+[[{]/);
    expect(console.out).toMatch(/default:\s+WorkloadWithJob=false\)/);
  });

  it("of stint run has its options in groups", async () => {
    const console = new RecordingConsole("/");
    await main(["run", "--help"], "0.0.0", console);
    expect(console.out.match(/^[A-Z][^\n]*:$/gm)).toEqual([
      "Arguments:",
      "What is run:",
      "What commands and containers may do, by runtime:",
      "Kubernetes:",
      "Recording:",
      "How it is run, and what is shown:",
      "Options:",
      "Exit status:",
      "Examples:",
    ]);
  });

  it.each([...settingsOf("controller", CONTROLLER_SETTINGS), ...settingsOf("webhook", WEBHOOK_SETTINGS)])(
    "of stint %s says of %s what it is, its default and what stands for its value",
    async (command, name, { kind, help, initial }) => {
      const console = new RecordingConsole("/");
      await main([command, "--help"], "0.0.0", console);
      const shown = kind.show(initial) === "false" ? "" : kind.show(initial);
      const text = console.out.replace(/\s+/g, " ");
      const value = kind.placeholder === "boolean" ? "[boolean]" : `<${kind.placeholder}>`;
      expect(text).toContain(` ${flagOf(name)} ${value} ${help}${shown === "" ? " " : ` (default: ${shown}) `}`);
    },
  );
});
