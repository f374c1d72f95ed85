/** The example for vitest: its tests pass, find a fault of its code, and leave what explains the failure. */
import { existsSync, mkdtempSync, readFileSync, statSync, symlinkSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { inflateRawSync } from "node:zlib";
import { afterAll, beforeAll, expect, test } from "vitest";
import { VitestProject } from "./vitest-project.ts";

const RECORDING = "stint-recordings/is-tried-twice-again-and-then-has-failed.stint.jsonl";
/** Each runs another vitest, on a machine that may be busy. */
const TIMEOUT_MS = 120_000;
let project: VitestProject;

beforeAll(() => {
  // As npm link does it.
  const install = (to: string): void => symlinkSync(resolve(import.meta.dirname, "../.."), to);
  project = new VitestProject(mkdtempSync(join(tmpdir(), "stint-vitest-")), install);
});
afterAll(() => project.remove());

test("passes, and leaves nothing behind", { timeout: TIMEOUT_MS }, () => {
  const { status, output } = project.test();
  expect(output).toContain("5 passed");
  expect(status).toBe(0);
  expect(existsSync(project.path("stint-recordings"))).toBe(false);
});

test(
  "the example fails when the code forgets that a Job may fail, and says why and where the recording is",
  { timeout: TIMEOUT_MS },
  () => {
    project.change("src/reports.ts", `  if (has("Failed")) return "failed";\n`, "");
    const { status, output } = project.test({ STINT_PLAYGROUND: "http://127.0.0.1:8080/" });
    expect(status).toBe(1);
    expect(output).toContain("2 failed | 3 passed");
    expect(output).toContain("expected 'running' to be 'failed'");
    expect(output).toContain('the cluster of the failed test "is tried twice again, and then has failed"');
    expect(output).toContain("last failure: pod report-2026-01-01-");
    expect(output).toContain("│ no such table: orders");
    expect(output).toContain(`recording: ${RECORDING}\n  stint replay ${RECORDING}\n`);
    const [, squeezed] = /^ {2}http:\/\/127\.0\.0\.1:8080\/#r1\/([A-Za-z0-9_-]+)$/m.exec(output)!;
    const linked = inflateRawSync(Buffer.from(squeezed!, "base64url")).toString();
    expect(linked).toBe(readFileSync(project.path(RECORDING), "utf8"));
    expect(statSync(project.path(RECORDING)).mode & 0o777).toBe(0o600);
    expect(readFileSync(project.path(RECORDING), "utf8").split("\n").length).toBeGreaterThan(50);
  },
);
