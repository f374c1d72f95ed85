/** What lint claims of a Job comes true when the Job is run: simulated, by the same controller as everywhere. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "../checked-main.ts";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { RecordingConsole } from "../recording-console.ts";

type Line = Record<string, any>;

const folder = mkdtempSync(path.join(tmpdir(), "stint-claims-"));
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => rmSync(folder, { recursive: true, force: true }));

interface Told {
  /** The advice that has this code. */
  readonly advice: Line | undefined;
  /** What a run prints. */
  readonly run: readonly Line[];
}

/** @param spec of the Job; its pods fail 100 ms after their start */
async function lintAndRun(code: string, spec: object, restartPolicy = "Never", exitCode = 1): Promise<Told> {
  const outcome = { runMs: 100, exitCode, logs: ["begin", "end"] };
  return lintAndRunPod(code, spec, outcome, { restartPolicy, containers: [{ name: "c", image: "i" }] });
}

/** @param outcome of the pods, as in the annotation `stint.dev/simulate` */
async function lintAndRunPod(code: string, spec: object, outcome: object, podSpec: object): Promise<Told> {
  const template = { metadata: { annotations: { "stint.dev/simulate": JSON.stringify(outcome) } }, spec: podSpec };
  const job = { apiVersion: "batch/v1", kind: "Job", metadata: { name: "j" }, spec: { ...spec, template } };
  const file = path.join(folder, "job.json");
  writeFileSync(file, JSON.stringify(job));
  const [linted, run] = [await linesOf("lint", file), await linesOf("run", "--runtime", "simulated", file)];
  return { advice: linted[0]!["findings"].find((finding: Line) => finding["code"] === code), run };
}

async function linesOf(...args: readonly string[]): Promise<Line[]> {
  const console = new RecordingConsole(folder);
  await main([...args, "--output", "json"], "0.0.0", console);
  return console.out
    .trim()
    .split("\n")
    .map((line) => JSON.parse(line) as Line);
}

const logged = (run: readonly Line[], text: string): number =>
  run.filter(({ type, line }) => type === "log" && line === text).length;
const podsOf = (run: readonly Line[]): number =>
  new Set(run.filter(({ type }) => type === "pod").map(({ pod }) => pod as string)).size;
const conditionsOf = (run: readonly Line[]): Line[] => run.at(-1)!["jobs"][0].conditions;

describe("LastRetryKilled", () => {
  it.each([0, 1, 2, 3])("with backoffLimit %i", async (backoffLimit) => {
    const { advice, run } = await lintAndRun("LastRetryKilled", { backoffLimit }, "OnFailure");
    const { restarts } = advice!["numbers"];
    // Each try prints when it begins and when it ends; the last one has begun and does not end.
    expect([logged(run, "begin"), logged(run, "end")]).toEqual([restarts + 1, restarts]);
  });
});

describe("RetriesPastDeadline", () => {
  it.each([5, 20, 60, 120, 300, 600])("with a deadline of %i s", async (activeDeadlineSeconds) => {
    const { advice, run } = await lintAndRun("RetriesPastDeadline", { backoffLimit: 6, activeDeadlineSeconds });
    expect(podsOf(run) - 1).toBe(advice!["numbers"].retries);
    expect(conditionsOf(run)).toContainEqual(expect.objectContaining({ type: "Failed", reason: "DeadlineExceeded" }));
  });

  it("is silent when all retries can start", async () => {
    const { advice, run } = await lintAndRun("RetriesPastDeadline", { backoffLimit: 6, activeDeadlineSeconds: 660 });
    expect([advice, podsOf(run)]).toEqual([undefined, 7]);
  });
});

it("LimitPerIndexUnused: the Job fails before an index does", async () => {
  const { advice, run } = await lintAndRun("LimitPerIndexUnused", {
    completions: 3,
    parallelism: 3,
    completionMode: "Indexed",
    backoffLimit: 2,
    backoffLimitPerIndex: 2,
  });
  expect(advice).toBeDefined();
  expect(conditionsOf(run)).toContainEqual(expect.objectContaining({ type: "Failed", reason: "BackoffLimitExceeded" }));
  expect(run.at(-1)!["jobs"][0].failedIndexes ?? "").toBe("");
});

it("ParallelismUnused: no more pods than completions run at once", async () => {
  const { advice, run } = await lintAndRun("ParallelismUnused", { parallelism: 9, completions: 4 }, "Never", 0);
  expect(advice).toBeDefined();
  expect(Math.max(...run.filter(({ type }) => type === "job").map(({ active }) => active as number))).toBe(4);
});

it("NoCompletionsWanted: the Job succeeds without a pod", async () => {
  const { advice, run } = await lintAndRun("NoCompletionsWanted", { parallelism: 1, completions: 0 });
  expect(advice).toBeDefined();
  expect([run.at(-1)!["exitStatus"], podsOf(run)]).toEqual([0, 0]);
});

it("ContainerNeverEnds: the work has succeeded, and the Job fails at its deadline", async () => {
  const { advice, run } = await lintAndRunPod(
    "ContainerNeverEnds",
    { backoffLimit: 1, activeDeadlineSeconds: 1800 },
    { byContainer: { tests: { runMs: 2000 }, selenium: { runMs: 1000 } } },
    {
      restartPolicy: "Never",
      containers: [
        { name: "tests", image: "i" },
        { name: "selenium", image: "i", restartPolicy: "Always" },
      ],
    },
  );
  expect(advice).toBeDefined();
  expect(conditionsOf(run)).toContainEqual(expect.objectContaining({ type: "Failed", reason: "DeadlineExceeded" }));
});

it("RuleMatchesSidecar: the rule that leaves exit code 1 to the retries fails the Job on it", async () => {
  const onExitCodes = { operator: "NotIn", values: [1] };
  const logs = { runMs: "forever", sigterm: { exitCode: 143, afterMs: 100 } };
  const podSpec = {
    restartPolicy: "Never",
    initContainers: [{ name: "logs", image: "i", restartPolicy: "Always" }],
    containers: [{ name: "tests", image: "i" }],
  };
  const ask = (rule: object): Promise<Told> =>
    lintAndRunPod(
      "RuleMatchesSidecar",
      { backoffLimit: 3, podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: rule }] } },
      { byContainer: { tests: { runMs: 2000, exitCode: 1 }, logs } },
      podSpec,
    );
  const { advice, run } = await ask(onExitCodes);
  expect([advice !== undefined, podsOf(run)]).toEqual([true, 1]);
  const named = await ask({ ...onExitCodes, containerName: "tests" });
  expect([named.advice, podsOf(named.run)]).toEqual([undefined, 4]);
});

it("RuleNeverSees: the container restarts with the code that should fail the Job", async () => {
  const { advice, run } = await lintAndRunPod(
    "RuleNeverSees",
    { podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [42] } }] } },
    { exitCodes: [42, 42, 0], runMs: 3000 },
    {
      restartPolicy: "Never",
      containers: [
        {
          name: "main",
          image: "i",
          restartPolicy: "Never",
          restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
        },
      ],
    },
  );
  expect(advice).toBeDefined();
  expect(conditionsOf(run)).toContainEqual(expect.objectContaining({ type: "Complete" }));
});

it("FailedLogsLost: with restartPolicy OnFailure the only pod is deleted, and with Never each try stays", async () => {
  const spec = { backoffLimit: 4, activeDeadlineSeconds: 3600 };
  const deletions = ({ run }: Told): number => run.filter(({ reason }) => reason === "SuccessfulDelete").length;
  const lost = await lintAndRun("FailedLogsLost", spec, "OnFailure");
  expect([lost.advice !== undefined, podsOf(lost.run), deletions(lost)]).toEqual([true, 1, 1]);
  const kept = await lintAndRun("FailedLogsLost", spec);
  expect([kept.advice, podsOf(kept.run), deletions(kept)]).toEqual([undefined, 5, 0]);
});
