/**
 * The parts for Node, in Node, Deno and Bun: the command runs a Job and gives advice, and the programs of examples/js
 * work with the package that is installed beside them.
 */
import { copyFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, inject, test } from "vitest";
import { inRoot, run } from "../../scripts/release/artefact.ts";
import { type Runner, tryPrograms } from "../examples/js-programs.ts";
import { findOrFetch } from "./runtimes.ts";

const folder = inject("userFolder");
for (const name of ["controller.mjs", "webhook.mjs"])
  copyFileSync(join(folder, "node_modules/@stint-dev/stint/examples/js", name), join(folder, name));

const RUNNERS: Readonly<Record<string, () => Runner>> = {
  Node: () => [process.execPath],
  Deno: () => [findOrFetch("deno"), "run", "--no-remote", "--node-modules-dir=manual", "--allow-all"],
  Bun: () => [findOrFetch("bun"), "run", "--no-install"],
};

describe.each(Object.entries(RUNNERS))("%s", (_name, runner) => {
  const stint = (...args: readonly string[]): string => {
    const [command, ...before] = runner();
    return run(command, [...before, "node_modules/@stint-dev/stint/dist/stint.mjs", ...args], { cwd: folder });
  };

  test("runs the command", () => {
    const hello = inRoot("examples/hello.yaml");
    expect(stint("run", "--runtime", "simulated", hello)).toContain("hello: Complete, 1/1 complete");
    expect(stint("lint", hello)).toContain("warn NoTimeToLive: ");
    expect(stint("forecast", hello)).toContain("pods");
  });

  tryPrograms(runner, folder);
});
