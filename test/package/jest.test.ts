/** `testing/jest` of the package, with its environment, in a jest from npm: a failed test leaves its recording. */
import { spawnSync } from "node:child_process";
import { cpSync, existsSync, mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, inject, test } from "vitest";
import { npm } from "../../scripts/release/artefact.ts";

const FROM_NPM = "30.5.2";
const ENVIRONMENT = `import { TestEnvironment } from "jest-environment-node";
import { withReports } from "@stint-dev/stint/testing/jest-environment";

export default withReports(TestEnvironment);
`;
const TESTS = `import { startCluster } from "@stint-dev/stint/testing";
import "@stint-dev/stint/testing/jest";

const containers = [{ name: "main", image: "busybox" }];
const spec = { backoffLimit: 0, template: { spec: { restartPolicy: "Never", containers } } };
const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "pi" }, spec };
let cluster;
beforeEach(async () => {
  cluster = await startCluster();
});
afterEach(() => cluster.stop());

describe("a report", () => {
  test("is published", async () => {
    cluster.outcomes("job/pi", { exitCode: 3 });
    await cluster.apply(job);
    await cluster.untilIdle();
    expect("published").toBe("failed");
  });
  test("is started", async () => {
    await cluster.apply(job);
    expect("pi").not.toHaveFailed();
  });
});
`;

test("a failed test says why its Jobs are where they are", () => {
  const folder = join(inject("userFolder"), "with-jest");
  mkdirSync(folder);
  const settings = { name: "with-jest", private: true, type: "module", jest: { testEnvironment: "./environment.js" } };
  writeFileSync(join(folder, "package.json"), JSON.stringify(settings));
  writeFileSync(join(folder, "environment.js"), ENVIRONMENT);
  writeFileSync(join(folder, "report.test.js"), TESTS);
  npm(["install", "--no-audit", "--no-fund", `jest@${FROM_NPM}`], { cwd: folder });
  cpSync(join(inject("userFolder"), "node_modules/@stint-dev/stint"), join(folder, "node_modules/@stint-dev/stint"), {
    recursive: true,
  });
  const { status, stdout, stderr } = spawnSync(process.execPath, ["node_modules/jest/bin/jest.js"], {
    cwd: folder,
    encoding: "utf8",
    env: { ...process.env, NODE_OPTIONS: "--experimental-vm-modules" },
  });
  expect(stderr).toContain("1 failed, 1 passed, 2 total");
  expect(status).toBe(1);
  for (const part of [
    'the cluster of the failed test "a report is published", at 2026-01-01T00:00:',
    "the Job has failed",
    "recording: stint-recordings/a-report-is-published.stint.jsonl",
  ])
    expect(stdout).toContain(part);
  expect(existsSync(join(folder, "stint-recordings/a-report-is-published.stint.jsonl"))).toBe(true);
  expect(existsSync(join(folder, "stint-recordings/a-report-is-started.stint.jsonl"))).toBe(false);
});
