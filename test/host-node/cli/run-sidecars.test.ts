/** Which container `stint run` blames when the kubelet stopped others because the work of the pod was over. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "./recording-console.ts";

let directory: string;
beforeAll(async () => {
  await buildModule("engine");
  directory = mkdtempSync(join(tmpdir(), "stint-sidecars-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** A native sidecar ends with 143 when the kubelet stops it, 100 ms after the tests have ended. */
const withSidecar = (testsExitCode: number): string => `apiVersion: batch/v1
kind: Job
metadata: {name: with-sidecar}
spec:
  backoffLimit: 0
  completionMode: Indexed
  completions: 1
  template:
    metadata:
      annotations:
        stint.dev/simulate: '{"byContainer": {"tests": {"exitCode": ${testsExitCode}, "runMs": 2000},
          "logs": {"runMs": "forever", "sigterm": {"exitCode": 143, "afterMs": 100}}}}'
    spec:
      restartPolicy: Never
      initContainers:
      - {name: logs, image: registry.example/logs:1, restartPolicy: Always, command: [tail, -F, /dev/null]}
      containers:
      - {name: tests, image: registry.example/tests:1, command: ["false"]}
`;

/** The container beside the work is restarted whenever it ends, and is none that the kubelet stops. */
const WITH_HELPER = `apiVersion: batch/v1
kind: Job
metadata: {name: helper}
spec:
  backoffLimit: 1
  template:
    metadata:
      annotations:
        stint.dev/simulate: '{"byContainer": {"main": {"exitCode": 0, "runMs": 2000}, "metrics": {"runMs": "forever"}}}'
    spec:
      restartPolicy: Never
      containers:
      - {name: main, image: registry.example/main:1, command: ["true"]}
      - {name: metrics, image: registry.example/push:1, restartPolicy: Always, command: ["push"]}
`;

function run(testsExitCode: number, ...flags: readonly string[]): Promise<{ exit: number; out: string }> {
  return runText(withSidecar(testsExitCode), ...flags);
}

async function runText(text: string, ...flags: readonly string[]): Promise<{ exit: number; out: string }> {
  const file = join(directory, "job.yaml");
  writeFileSync(file, text);
  const console = new RecordingConsole(directory);
  const exit = await main(["run", "--runtime", "simulated", ...flags, file], "0.0.0", console);
  return { exit, out: console.out };
}

const BLAMED = "container tests exited (exit code 1, Error)";

describe("a sidecar that was stopped after the main container had failed", () => {
  it("is not blamed on the terminal", async () => {
    const { exit, out } = await run(1);
    expect(exit).toBe(1);
    expect(out).toContain(BLAMED);
    expect(out).not.toContain("143");
  });

  it("is not blamed in the objects of JSON", async () => {
    const { out } = await run(1, "--output", "json");
    expect(out).toContain(BLAMED);
    expect(out).not.toMatch(/container logs exited/);
  });

  it("is not blamed in annotations of GitHub", async () => {
    const { out } = await run(1, "--output", "github");
    expect(out).toMatch(new RegExp(`::error [^\\n]*${BLAMED.replaceAll(/[()]/g, "\\$&")}`));
    expect(out).not.toMatch(/::error [^\n]*143/);
  });

  it("is not blamed in a report for JUnit", async () => {
    const { out } = await run(1, "--output", "junit");
    expect(out).toContain(BLAMED);
    expect(out).not.toContain("143");
  });
});

describe("a sidecar that was stopped after the main container had succeeded", () => {
  it("makes no pod a failed one", async () => {
    const { exit, out } = await run(0);
    expect(exit).toBe(0);
    expect(out).not.toContain("143");
  });
});

describe("a container with restartPolicy Always that keeps a pod from ending", () => {
  it("is named when the run gives up", async () => {
    const { exit, out } = await runText(WITH_HELPER, "--timeout", "10m");
    expect(exit).not.toBe(0);
    // The summary breaks its lines.
    expect(out.replaceAll(/\s+/g, " ")).toMatch(
      /the Job is running: 1 active.*; pod helper-\w+ does not end: its work is over, but container metrics has restartPolicy Always/,
    );
  });
});
