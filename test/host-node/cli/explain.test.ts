/** `stint run --explain`: each decision of the engine as it is made, in both formats and with both runtimes. */
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
  directory = mkdtempSync(join(tmpdir(), "stint-explain-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

/** Simulated, its pods fail; as a process, its only pod succeeds. */
function job(namespace = "default"): string {
  const path = join(directory, `${namespace}.json`);
  const metadata = { annotations: { "stint.dev/simulate": JSON.stringify({ runMs: 1000, exitCode: 1 }) } };
  const template = {
    metadata,
    spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none", command: ["true"] }] },
  };
  writeFileSync(
    path,
    JSON.stringify({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name: "j", namespace },
      spec: { backoffLimit: 1, template },
    }),
  );
  return path;
}

async function run(args: readonly string[], console = new RecordingConsole(directory)): Promise<RecordingConsole> {
  await main(["run", ...args], "0.0.0", console);
  expect(console.err.replace(/^Warning: .*\n/gm, "")).toBe("");
  return console;
}

const simulated = ["--runtime", "simulated"];
const bare = ["--no-isolation"];

describe("stint run --explain", () => {
  it("says when, of which Job, what and what comes next", async () => {
    const { out } = await run([...simulated, "--explain", job()]);
    expect(out).toContain("  0.0s  job j: creating 1 pod: 0 of 1 wanted active, 0 succeeded\n");
    expect(out).toMatch(
      /\n {2}\d\.\ds {2}job j: waiting 10 s before the next pod is created: 1 failure in a row, back-off 10 s since (\d{4}-\d\d-\d\d )?\d\d:\d\d:\d\d\n/,
    );
    expect(out).toContain("  job j: the Job fails: 2 failed pods, more than backoffLimit 1 allows\n");
    expect(out).toMatch(/\nexit status 1 after .*\n$/);
  });

  it("distinguishes Jobs of other namespaces", async () => {
    expect((await run([...simulated, "--explain", job("team")])).out).toContain("  0.0s  job team/j: creating 1 pod");
  });

  it("sets the decisions of several Jobs below each other, and says what ends a wait", async () => {
    const path = join(directory, "two.json");
    const named = (name: string): object => ({
      apiVersion: "batch/v1",
      kind: "Job",
      metadata: { name },
      spec: {
        activeDeadlineSeconds: 600,
        template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } },
      },
    });
    writeFileSync(path, JSON.stringify({ apiVersion: "v1", kind: "List", items: [named("j"), named("longer")] }));
    const { out } = await run([...simulated, "--explain", path]);
    expect(out).toContain("  0.0s  job j:      creating 1 pod: 0 of 1 wanted active, 0 succeeded\n");
    expect(out).toContain(
      "  0.0s  job longer: waiting for pods: 1 active, 0 of them ready, 0 succeeded of 1; deadline in 10 min\n",
    );
  });

  it("explains what runs as processes too", async () => {
    const { out } = await run([...bare, "--explain", job()]);
    expect(out).toContain("s  job j: creating 1 pod: 0 of 1 wanted active, 0 succeeded\n");
    expect(out).toContain("s  job j: the Job has ended with Complete: 1 succeeded, 0 failed\n");
  });

  it("is quiet unless it is asked for", async () => {
    expect((await run([...simulated, job()])).out).not.toContain("job j: ");
    expect((await run([...simulated, "--output", "json", job()])).lines.some(({ type }) => type === "decision")).toBe(
      false,
    );
  });

  it.each([
    ["simulated", simulated, "TooManyFailures"],
    ["process", bare, "CompletionsReached"],
  ])("has one JSON object a decision, runtime %s", async (_name, runtime, code) => {
    const { lines } = await run([...runtime, "--output", "json", "--explain", job()]);
    const decisions = lines.filter(({ type }) => type === "decision");
    expect(decisions[0]).toMatchObject({
      namespace: "default",
      job: "j",
      code: "Creating",
      message: "creating 1 pod: 0 of 1 wanted active, 0 succeeded",
      nextMs: null,
      numbers: { pods: 1, active: 0, wanted: 1, succeeded: 0 },
    });
    expect(Object.keys(decisions[0]!)).toEqual([
      "type",
      "time",
      "id",
      "atMs",
      "namespace",
      "job",
      "uid",
      "code",
      "message",
      "nextMs",
      "numbers",
    ]);
    for (const { time, atMs } of decisions) expect(Date.parse(time)).toBeGreaterThanOrEqual(atMs);
    expect(decisions.map((decision) => decision["code"])).toContain(code);
    const backoff = decisions.find((decision) => decision["code"] === "Backoff");
    if (backoff !== undefined) expect(backoff["nextMs"]).toBe(backoff["atMs"] + backoff["numbers"].remainingMs);
    expect(lines.at(-1)).toMatchObject({ type: "result" });
  });

  it("on a terminal it is dimmed, above the status block", async () => {
    const console = new RecordingConsole(directory);
    console.terminal = () => ({ columns: 80, rows: 24 });
    const { out } = await run([...simulated, "--explain", job()], console);
    // The block of one line is removed, the decision takes its place, and the block follows.
    expect(out).toMatch(
      /\u001b\[1A\u001b\[2K\u001b\[2m {2}0\.0s\u001b\[0m {2}\u001b\[2mjob j: waiting for pods: 1 active, 0 of them ready, 0 succeeded of 1\u001b\[0m\n[^\n]*j[^\n]*0\/1[^\n]*\n/,
    );
  });
});
