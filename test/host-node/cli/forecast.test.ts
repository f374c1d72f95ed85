/** `stint forecast`: what it prints, its exit statuses, and each mistake. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, beforeAll, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import { RecordingConsole } from "./recording-console.ts";

let folder: string;
beforeAll(async () => {
  await buildModule("engine");
  folder = mkdtempSync(join(tmpdir(), "stint-forecast-"));
});
afterAll(() => rmSync(folder, { recursive: true }));

const TEMPLATE = `template:
    spec:
      restartPolicy: Never
      containers: [{name: main, image: busybox, resources: {requests: {cpu: 250m}}}]
`;
const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec:
  ${TEMPLATE}`;

async function forecast(text: string, ...args: string[]): Promise<RecordingConsole & { status: number }> {
  const file = join(folder, "job.yaml");
  writeFileSync(file, text);
  const console = new RecordingConsole(folder);
  const status = await main(["forecast", file, ...args], "0.0.0", console);
  return Object.assign(console, { status });
}

it("forecast shows the retries of the default Job", async () => {
  const { status, out, err: error } = await forecast(JOB);
  expect({ status, error }).toEqual({ status: 0, error: "" });
  expect(out).toMatchInlineSnapshot(`
    "pi
      1 to 7 pods. If every pod fails: 7 pods, gives up after 10 min 30 s
      (spec.backoffLimit). When it ends is not known without --pod-duration.

      pods              1 if nothing fails, 7 at most
      at once           up to 1; up to 4 while evicted pods end (a bound)
      container starts  1 to 7
      ends              not known without --pod-duration
      deleted           never, without spec.ttlSecondsAfterFinished
      status            up to 1373 bytes (a bound)
      pod time          not known without --pod-duration

      if every pod fails
               0 s  █ 1 pod
              10 s  ···················█ 1 pod
              30 s  ····························█ 1 pod
              70 s  ··································█ 1 pod
        2 min 30 s  ········································█ 1 pod
        5 min 10 s  ··············································█ 1 pod
       10 min 30 s  ····················································█ 1 pod
       10 min 30 s  gives up after 7 pods: spec.backoffLimit
    "
  `);
  expect(out.split("\n").filter((line) => line.length > 80)).toEqual([]);
});

it.each([
  [[], "up to 2; up to 8 while evicted pods end (a bound)"],
  [["--disruptions", "1"], "up to 3 (a bound)"],
  [["--disruptions", "0"], "up to 2"],
])("forecast with %j of parallelism 2 says: %s", async (args, text) => {
  const { out } = await forecast(JOB.replace("spec:\n", "spec:\n  parallelism: 2\n  completions: 5\n"), ...args);
  expect(out).toContain(`  at once           ${text}\n`);
});

it.each([
  ["completions: 4\n  backoffLimit: 2", "4 if nothing fails, else 3 to 6"],
  ["parallelism: 3\n  backoffLimit: 1", "3 if nothing fails, 4 at most"],
  ["completions: 4\n  backoffLimit: 0", "4 if nothing fails, else 1 to 4"],
  ["backoffLimit: 0", "1\n"],
  ["parallelism: 0", "0"],
  ["completions: 3\n  completionMode: Indexed\n  successPolicy: {rules: [{succeededCount: 1}]}", "1 to "],
])("forecast of a Job with %j says how many pods it has if none fails: %j", async (spec, text) => {
  const { out } = await forecast(JOB.replace("spec:\n", `spec:\n  ${spec}\n`));
  expect(out).toContain(`  pods              ${text}`);
});

it("forecast prints no word of the engine's interface, with or without assumptions", async () => {
  for (const args of [[], ["--pod-duration", "5m"], ["--disruptions", "1"], ["--outcome", '{"exitCode": 1}']])
    expect((await forecast(JOB, ...args)).out).not.toContain("assumptions.");
});

it("forecast does not mention evictions where they change nothing", async () => {
  const { out } = await forecast(JOB.replace("spec:\n", "spec:\n  podReplacementPolicy: Failed\n"));
  expect(out).toContain("  at once           up to 1\n");
});

it("forecast with --pod-duration prints when the Job ends", async () => {
  const { out } = await forecast(JOB, "--pod-duration", "1m", "--disruptions", "0");
  expect(out).toContain("ends              60 s to 17 min 30 s\n");
  expect(out).toContain("at once           up to 1\n");
  expect(out).toContain("pod time          up to 7 min\n");
  expect(out).toContain("processor         up to 105 CPU-seconds\n");
  expect(out).toContain("17 min 30 s  gives up after 7 pods: spec.backoffLimit\n");
});

it("forecast takes a range of durations, and prints JSON", async () => {
  const { out } = await forecast(JOB, "--pod-duration", "1m..2m", "--output", "json");
  expect(JSON.parse(out).forecasts[0]).toMatchObject({
    job: "pi",
    pods: { most: { value: 7, is: "exact" } },
    end: { earliestMs: { value: 60_000 }, latestMs: { value: 1_470_000 } },
  });
});

it("stint forecast forecasts every Job of its input, also that of a CronJob", async () => {
  const cron = `apiVersion: batch/v1
kind: CronJob
metadata: {name: nightly}
spec:
  schedule: 0 0 * * *
  jobTemplate:
    spec:
      template: {spec: {restartPolicy: OnFailure, containers: [{name: main, image: i}]}}
`;
  const { out, status } = await forecast(`${JOB}---\n${cron}`, "--output", "json");
  expect(status).toBe(0);
  const { kind, forecasts } = JSON.parse(out);
  expect(kind).toBe("ForecastReport");
  expect(forecasts.map(({ job }: { job: string }) => job)).toEqual(["pi", "nightly"]);
  expect(forecasts[1].retries.of).toBe("container");
});

it.each([
  ["kind: ConfigMap\napiVersion: v1\nmetadata: {name: c}\n", "there is no Job here; a forecast needs one"],
  [
    JOB.replace("spec:\n", "spec:\n  backoffLimit: many\n"),
    "job.yaml:5:17: spec.backoffLimit: here is a text; allowed is a whole number",
  ],
  ["kind: [\n", "job.yaml:"],
  [
    `apiVersion: batch/v1\nkind: CronJob\nmetadata: {name: c}\nspec:\n  schedule: "TZ=UTC 0 0 * * *"\n  jobTemplate:\n    spec:\n      ${TEMPLATE.replaceAll("\n", "\n    ")}`,
    'job.yaml:5:13: spec.schedule: Invalid value: "TZ=UTC 0 0 * * *": cannot use TZ or CRON_TZ in schedule',
  ],
])("forecast refuses %j", async (text, refusal) => {
  const { status, out, err: error } = await forecast(text);
  expect({ status, out }).toEqual({ status: 2, out: "" });
  expect(error).toContain(refusal);
  expect(error).not.toContain("Nothing was run");
});

it.each([
  [["--pod-duration", "10"], "10 has no unit"],
  [["--pod-duration", "20m..5m"], "the shorter one first"],
  [["--pod-duration", "1m..2m..3m"], "the shorter one first"],
  [["--disruptions", "-1"], "Allowed is a whole number from 0"],
  [["--output", "yaml"], "Allowed choices are text, json"],
])("forecast refuses %j", async (args, refusal) => {
  const { status, err: error } = await forecast(JOB, ...args);
  expect(status).toBe(2);
  expect(error).toContain(refusal);
});

it("forecast refuses a file that does not exist", async () => {
  const console = new RecordingConsole(folder);
  expect(await main(["forecast", join(folder, "none.yaml")], "0.0.0", console)).toBe(2);
  expect(console.err).toContain("none.yaml");
});

it("forecast says that no limit ends a Job which would take more than a hundred years to reach it", async () => {
  const { status, out } = await forecast(
    JOB.replace("template:", "backoffLimit: 1000000000\n  completions: 7\n  template:"),
  );
  expect(status).toBe(0);
  expect(out.replaceAll(/\s+/g, " ")).toContain(
    "7 pods or more: no limit of retries is reached in 100 years. If every pod fails, it goes on for more than 100 years, because of spec.backoffLimit.",
  );
  expect(out).toMatch(/^ +pods +7 if nothing fails, else any number$/m);
  expect(out).toMatch(/^ +does not give up within 100 years: spec\.backoffLimit$/m);
  expect(out).not.toMatch(/\d{7}/);
});
