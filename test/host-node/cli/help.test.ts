/** What --help prints fits a terminal of 80 columns. */
import { describe, expect, it } from "vitest";
import { main } from "../../../host-node/cli/program.ts";
import { RecordingConsole } from "./recording-console.ts";

describe("--help", () => {
  it.each([[], ["run"], ["serve"], ["replay"], ["why"]])("of stint %s", async (...command) => {
    const console = new RecordingConsole("/");
    expect(await main([...command, "--help"], "0.0.0", console)).toBe(0);
    expect(console.out).toMatch(/\nExamples:\n/);
    expect(console.out.split("\n").filter((line) => line.length > 80)).toEqual([]);
  });
});
