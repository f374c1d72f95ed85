/**
 * The long-running commands as a shell sees them: they have help, and run nothing for an option that they do not have.
 */
import { spawnSync } from "node:child_process";
import { resolve } from "node:path";
import { describe, expect, it } from "vitest";

const root = resolve(import.meta.dirname, "../..");
const run = (script: string, option: string): { status: number | null; stdout: string; stderr: string } => {
  const { status, stdout, stderr } = spawnSync(process.execPath, [script, option], { cwd: root, encoding: "utf8" });
  return { status, stdout, stderr };
};

describe.each([
  ["bench", "test/bench/index.ts"],
  ["bench:playground", "test/bench/playground/main.ts"],
  ["bench:bindings", "test/bench/bindings/main.ts"],
  ["bench:cluster", "test/kubernetes/bench/main.ts"],
  ["fuzz", "test/fuzz/main.ts"],
  ["parity", "test/parity/main.ts"],
  ["simulate", "test/simulation/main.ts"],
  ["soak", "test/kubernetes/soak/main.ts"],
])("npm run %s", (name, script) => {
  it("prints its usage", () => {
    const { status, stdout, stderr } = run(script, "--help");
    expect({ status, stderr }).toEqual({ status: 0, stderr: "" });
    expect(stdout).toContain(`usage: npm run ${name} -- [--`);
  });

  it("refuses an unknown option, and says where the known ones are", () => {
    const { status, stdout, stderr } = run(script, "--no-such-option");
    expect({ status, stdout }).toEqual({ status: 2, stdout: "" });
    expect(stderr).toMatch(/'--no-such-option'[^]*--help shows what there is\n$/);
  });
});
