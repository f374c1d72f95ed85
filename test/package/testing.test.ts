/**
 * `@stint-dev/stint/testing` as its users have it: the example for vitest with the installed package passes, and finds
 * the fault of code that forgets that a Job may fail.
 */
import { cpSync } from "node:fs";
import { join } from "node:path";
import { beforeAll, expect, inject, test } from "vitest";
import { VitestProject } from "../examples/vitest-project.ts";

const folder = inject("userFolder");
let project: VitestProject;

beforeAll(() => {
  project = new VitestProject(join(folder, "reports"), (to) =>
    cpSync(join(folder, "node_modules/@stint-dev/stint"), to, { recursive: true }),
  );
});

test("the example passes", () => {
  const { status, output } = project.test();
  expect(output).toContain("5 passed");
  expect(status).toBe(0);
});

test("a test of the example fails when the code forgets that a Job may fail", () => {
  project.change("src/reports.ts", `  if (has("Failed")) return "failed";\n`, "");
  const { status, output } = project.test();
  expect(status).toBe(1);
  expect(output).toContain("2 failed | 3 passed");
  expect(output).toContain("stint replay stint-recordings/is-tried-twice-again-and-then-has-failed.stint.jsonl");
});
