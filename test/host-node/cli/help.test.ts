/** What --help prints fits a terminal of 80 columns. */
import { describe, expect, it } from "vitest";
import { flagOf, SETTING_NAMES, type Setting, SETTINGS } from "../../../host-node/controller/settings.ts";
import { main } from "../../../host-node/cli/program.ts";
import { RecordingConsole } from "./recording-console.ts";

describe("--help", () => {
  it.each([[], ["run"], ["serve"], ["replay"], ["why"], ["controller"]])("of stint %s", async (...command) => {
    const console = new RecordingConsole("/");
    expect(await main([...command, "--help"], "0.0.0", console)).toBe(0);
    expect(console.out).toMatch(/\nExamples:\n/);
    expect(console.out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });

  it.each(SETTING_NAMES)("of stint controller says of %s what it is, its default and what stands for its value", async (name) => {
    const console = new RecordingConsole("/");
    await main(["controller", "--help"], "0.0.0", console);
    const { kind, help, initial } = SETTINGS[name] as Setting;
    const shown = kind.show(initial);
    const text = console.out.replace(/\s+/g, " ");
    const value = kind.placeholder === "boolean" ? "[boolean]" : `<${kind.placeholder}>`;
    expect(text).toContain(` ${flagOf(name)} ${value} ${help}${shown === "" ? " " : ` (default: ${shown}) `}`);
  });
});
