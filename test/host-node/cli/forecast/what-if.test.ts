/** `stint forecast --outcome`: the exact run, where its numbers lie, its link, and each mistake. */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { readYaml } from "../../../../cluster/yaml/yaml-library.ts";
import { readAddress } from "../../../../host-browser/share/address.ts";
import * as lazyParts from "../../../../cluster/simulation/lazy-parts.ts";
import { World } from "../../../../cluster/simulation/world.ts";
import { main } from "../checked-main.ts";
import { RunObserver } from "../../../../host-node/cli/forecast/run-observer.ts";
import { buildModule, modulePath } from "../../../../scripts/build-engine.ts";
import { RecordingConsole } from "../recording-console.ts";

let folder: string;
beforeAll(async () => {
  await buildModule("engine");
  folder = mkdtempSync(join(tmpdir(), "stint-what-if-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: import}
spec:
  backoffLimit: 3
  template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox}]
`;
const RETRIES = '{"runMs": 20000, "exitCodes": [1, 1, 0]}';

async function whatIf(text: string, ...args: string[]): Promise<RecordingConsole & { status: number }> {
  const file = join(folder, "job.yaml");
  writeFileSync(file, text);
  const console = new RecordingConsole(folder);
  const status = await main(["forecast", file, ...args], "9.9.9", console);
  return Object.assign(console, { status });
}

async function runOf(text: string, outcome: string, ...args: string[]): Promise<any> {
  const { status, out, err: error } = await whatIf(text, "--outcome", outcome, "--output", "json", ...args);
  expect({ status, error }).toEqual({ status: 0, error: "" });
  return JSON.parse(out).forecasts[0].run;
}

it("forecast --outcome shows the attempts, and where each number lies", async () => {
  const { status, out, err: error } = await whatIf(JOB, "--outcome", RETRIES);
  expect({ status, error }).toEqual({ status: 0, error: "" });
  expect(out).toMatchInlineSnapshot(`
    "import
      It succeeds after 90 s: 3 pods, 2 failed.
      Beside it: the forecast for pods that take 20 s, as these do, if none is
      evicted.

            0 s              30 s                   70 s        90 s
            ┬────────────────┬──────────────────────┬───────────
      pods  ███████████✗·····███████████✗···········███████████✓  exit 1×2, 0

      █ running   ✗ failed   ✓ succeeded   · waits to be tried again

                        this run      forecast
      pods              3             1 to 4
      at once           1             up to 1, the most
      container starts  3             1 to 4
      ends              90 s          20 s to 2 min 30 s
      deleted           -             never, without spec.ttlSecondsAfterFinished
      status            587 bytes     up to 1256 bytes (a bound)
      pod time          60 s          up to 80 s
    "
  `);
  expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

it("forecast --outcome prints of each pod what it did and what was decided then", async () => {
  const { timeline, end, pods, endMs } = await runOf(JOB, RETRIES);
  expect(end).toMatchObject({ type: "Complete", reason: "CompletionsReached" });
  expect({ pods, endMs: endMs.is }).toEqual({ pods: { value: 3, is: "between" }, endMs: "between" });
  expect(timeline).toHaveLength(3);
  expect(timeline[1]).toMatchObject({
    index: null,
    attempt: 2,
    phase: "Failed",
    createdMs: 30_000,
    startMs: 30_000,
    endMs: 50_000,
    exitCode: 1,
    decision: "Backoff",
    runs: [{ startMs: 30_000, endMs: 50_000, exitCode: 1 }],
  });
  expect(timeline[2]).toMatchObject({ phase: "Succeeded", exitCode: 0, decision: "CompletionsReached" });
});

it("a forecast with outcomes reaches the most, and says so", async () => {
  const { out } = await whatIf(JOB, "--outcome", '{"runMs": 1000, "exitCode": 1}');
  expect(out).toContain("It fails (BackoffLimitExceeded) after 74 s: 4 pods, all failed.\n");
  expect(out).toContain("  pods              4             1 to 4, the most\n");
  expect(out).toContain("  ends              74 s          1 s to 74 s, the most\n");
});

it("forecast --outcome says that a number lies outside, if --pod-duration is not what the pods do", async () => {
  const { out } = await whatIf(JOB, "--outcome", RETRIES, "--pod-duration", "1s");
  expect(out).toContain("A number lies outside the forecast: the pods of this run do not keep what the\n");
  expect(out).toContain("1 s to 74 s, OUTSIDE\n");
  expect(out).not.toContain("Beside it");
});

it("forecast --outcome has a row for each run of a container that restarts", async () => {
  const { timeline } = await runOf(JOB.replace("Never", "OnFailure"), RETRIES);
  expect(timeline).toHaveLength(1);
  expect(timeline[0].runs.map((run: { exitCode: number }) => run.exitCode)).toEqual([1, 1, 0]);
});

it("forecast --outcome shows the exit code of the container that failed, and not of one that was stopped", async () => {
  const two = JOB.replace("[{name: main", "[{name: first, image: busybox}, {name: main");
  const sidecar = "initContainers: [{name: logs, image: busybox, restartPolicy: Always}]\n      containers:";
  const byContainer = { first: { runMs: 10, exitCode: 0 }, main: { runMs: 20, exitCode: 3 } };
  const { timeline } = await runOf(two.replace("containers:", sidecar), JSON.stringify({ byContainer }));
  expect(timeline[0]).toMatchObject({ phase: "Failed", exitCode: 3, runs: [{ exitCode: 3 }] });
});

it("forecast --outcome takes the outcome of the Job's own annotation", async () => {
  const annotated = JOB.replace(
    "template:\n",
    `template:\n    metadata: {annotations: {stint.dev/simulate: '{"exitCodes": [3, 0]}'}}\n`,
  );
  const { timeline } = await runOf(annotated, "annotation");
  expect(timeline.map((pod: { exitCode: number }) => pod.exitCode)).toEqual([3, 0]);
});

it("forecast --outcome runs the Job that a CronJob makes, whatever its managedBy and its nodeSelector", async () => {
  const cron = `apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly, namespace: team}
spec:
  schedule: 0 0 * * *
  jobTemplate:
    spec:
      suspend: true
      managedBy: example.com/queue
      template:
        spec:
          restartPolicy: Never
          nodeSelector: {disk: ssd}
          volumes: [{name: data, configMap: {name: none}}]
          containers: [{name: main, image: i, envFrom: [{secretRef: {name: none}}]}]
`;
  expect((await runOf(cron, "{}")).end).toMatchObject({ type: "Complete" });
});

it("a forecast with outcomes draws another time with another seed, and the same with the same", async () => {
  const outcome = '{"runMs": [1000, 900000]}';
  const [one, again, other] = [
    await runOf(JOB, outcome),
    await runOf(JOB, outcome),
    await runOf(JOB, outcome, "--seed", "2"),
  ];
  expect(again).toEqual(one);
  expect(other.timeline[0].endMs).not.toBe(one.timeline[0].endMs);
});

it("forecast --outcome says that a run does not end, and why", async () => {
  const { out, status } = await whatIf(JOB, "--outcome", '{"runMs": "forever"}');
  expect(status).toBe(0);
  expect(out).toContain("It does not end. Nothing is left to happen: pod import-");
  expect(out).toMatch(/0 s {2,}for ever\n/);
});

describe("the link", () => {
  it("opens the same run in the playground, with the engine that it has", async () => {
    const { playground, end } = await runOf(JOB, '{"runMs": [1000, 90000], "exitCodes": [1, 0]}');
    const shared = (await readAddress(playground, async () => undefined))!;
    const core = await WebAssembly.compile(readFileSync(modulePath("core")));
    const tools = { readYaml, lazyParts: () => lazyParts, checks: () => lazyParts };
    const world = new World(core, shared.scenario, new RunObserver(() => undefined), tools);
    while (!world.isFinished()) world.runNext();
    expect(world.digest).toBe(shared.digest);
    expect(shared).toMatchObject({ atMs: end.atMs, engineVersion: "stint 9.9.9" });
  });

  it("is below the picture, with the given address", async () => {
    const { out } = await whatIf(JOB, "--outcome", "{}", "--playground", "http://127.0.0.1:8080/?nodes=0#old");
    expect(out).toMatch(/\n {2}http:\/\/127\.0\.0\.1:8080\/\?nodes=0#v1\/[\w-]+\n$/);
  });

  it("holds nothing of commands and the environment", async () => {
    const more = "command: [login, hunter2], env: [{name: PASSWORD, value: hunter2}]";
    const secret = JOB.replace("image: busybox", `image: busybox, ${more}`);
    const { playground } = await runOf(secret, "{}");
    const { scenario } = (await readAddress(playground, async () => undefined))!;
    expect(scenario.yaml).toContain("image: busybox");
    expect(scenario.yaml).not.toContain("hunter2");
  });
});

it("forecast --outcome prints what docs/forecast.md shows", async () => {
  const root = join(import.meta.dirname, "../../../..");
  const page = readFileSync(join(root, "docs/forecast.md"), "utf8");
  const shown = [...page.matchAll(/^\$ stint forecast (\S+) --outcome (?:'([^']*)'|(\S+))\n([^]*?)```/gm)];
  expect(shown).toHaveLength(2);
  for (const [, file, json, word, printed] of shown) {
    const console = new RecordingConsole(root);
    expect(await main(["forecast", join(root, file!), "--outcome", json ?? word!], "0.0.0", console)).toBe(0);
    expect(console.out).toBe(printed);
  }
});

it.each([
  [["--outcome", '{"exitcode": 1}'], "--outcome: exitcode is not a field of an outcome; allowed are startDelayMs,"],
  [["--outcome", '{"exitcode": 1}'], "did you mean exitCode?"],
  [["--outcome", '{"exitCode": 256}'], "--outcome: exitCode is 256; allowed is an integer from 0 to 255"],
  [["--outcome", '{"byContainer": {"mian": {}}}'], "byContainer.mian is no container of the pod; it has main"],
  [["--outcome", "fails"], "--outcome: not JSON"],
  [["--outcome", "annotation"], "the pod template of import has no annotation stint.dev/simulate"],
  [["--outcome", "{}", "--playground", "here"], '--playground is "here"; allowed is the address of a playground'],
  [["--outcome", "{}", "--playground", "javascript:alert(1)"], "allowed is the address of a playground"],
  [["--playground", "http://127.0.0.1:1/"], "give --outcome, too"],
  [["--outcome", "{}", "--seed", "-1"], "Allowed is a whole number"],
])("forecast --outcome refuses %j", async (args, refusal) => {
  const { status, out, err: error } = await whatIf(JOB, ...args);
  expect({ status, out }).toEqual({ status: 2, out: "" });
  expect(error).toContain(refusal);
});

it.each([
  [
    "what the API server would refuse",
    JOB.replace("Never", "Always"),
    '{"exitCode": 1}',
    "job.yaml:8:22: spec.template.spec.restartPolicy: ",
  ],
  [
    "a mistake in the annotation",
    JOB.replace("template:\n", "template:\n    metadata: {annotations: {stint.dev/simulate: '{'}}\n"),
    "annotation",
    "job.yaml:1:1: stint.dev/simulate: not JSON",
  ],
])("forecast --outcome refuses %s, with its place", async (_name, text, outcome, refusal) => {
  const { status, out, err: error } = await whatIf(text, "--outcome", outcome);
  expect({ status, out }).toEqual({ status: 2, out: "" });
  expect(error).toContain(refusal);
});
