/** `stint run` on the files that people have: CronJobs, and objects that a run has no use for. */
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
  directory = mkdtempSync(join(tmpdir(), "stint-run-"));
});
afterAll(() => rmSync(directory, { recursive: true }));

async function run(
  text: string,
  ...flags: readonly string[]
): Promise<{ exit: number; out: string; err: string; file: string }> {
  const file = join(directory, "all.yaml");
  writeFileSync(file, text);
  const console = new RecordingConsole(directory);
  const exit = await main(["run", "--runtime", "simulated", ...flags, file], "0.0.0", console);
  return { exit, out: console.out, err: console.err, file };
}

const POD = "{spec: {restartPolicy: Never, containers: [{name: c, image: i}]}}";
const JOB = `apiVersion: batch/v1\nkind: Job\nmetadata: {name: migrate}\nspec: {template: ${POD}}\n`;

/** @param job lines of the Job's spec @param schedule of the CronJob */
function cronJob({ schedule = "0 3 * * *", job = "", spec = "" } = {}): string {
  return [
    "apiVersion: batch/v1",
    "kind: CronJob",
    "metadata: {name: nightly, namespace: team}",
    "spec:",
    `  schedule: "${schedule}"${spec}`,
    "  jobTemplate:",
    "    metadata: {labels: {tier: batch}}",
    "    spec:",
    ...(job === "" ? [] : [`      ${job}`]),
    `      template: ${POD}`,
    "",
  ].join("\n");
}

const NEEDS_NOW = "CronJob nightly makes Jobs by its schedule, which a run does not wait for; --now runs its Job once";

describe("a CronJob", () => {
  it("alone is refused, with what to type", async () => {
    const { exit, out, err, file } = await run(cronJob());
    expect({ exit, out, err }).toEqual({ exit: 2, out: "", err: `${file}:1:1: ${NEEDS_NOW}\nNothing was run.\n` });
  });

  it("beside a Job is left out, and said to be", async () => {
    const { exit, out, err, file } = await run(`${cronJob()}---\n${JOB}`);
    expect({ exit, err }).toEqual({ exit: 0, err: `Warning: ${file}:1:1: ${NEEDS_NOW}\n` });
    expect(out).toContain("job migrate  Complete");
    expect(out).not.toContain("nightly");
  });

  it("runs its Job once with --now, under its name and in its namespace, though it is suspended", async () => {
    const { exit, out, err } = await run(`${cronJob({ spec: "\n  suspend: true" })}---\n${JOB}`, "--now");
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    expect(out).toMatch(/\nteam\/nightly +Complete +1\/1 /);
    expect(out).toMatch(/\nmigrate +Complete +1\/1 /);
    expect(out).toContain("\n2 Jobs: 2 complete\n");
  });

  it("does not start by its schedule while its Job runs", async () => {
    const simulate = `{metadata: {annotations: {stint.dev/simulate: '{"runMs": 600000}'}}, ${POD.slice(1)}`;
    const text = cronJob({ schedule: "* * * * *" }).replace(POD, simulate);
    const { exit, out } = await run(text, "--now", "--output", "json");
    expect(exit).toBe(0);
    const lines = out
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line));
    expect(lines.at(-1).jobs.map(({ name }: { name: string }) => name)).toEqual(["nightly"]);
    expect(lines.filter(({ reason }) => reason === "SuccessfulCreate")).toHaveLength(1);
  });

  it("has each mistake printed once, with the CronJob's own fields and their places", async () => {
    const schedule = await run(cronJob({ schedule: "61 3 * * *" }), "--now");
    expect(schedule.exit).toBe(2);
    expect(schedule.err).toMatch(
      /all\.yaml:5:13: spec\.schedule: Invalid value: "61 3 \* \* \*": .*\nNothing was run\.\n$/,
    );
    const job = await run(cronJob({ job: "completions: -1" }), "--now");
    expect(job.err).toBe(
      `${job.file}:9:20: spec.jobTemplate.spec.completions: Invalid value: -1: must be greater than or equal to 0\nNothing was run.\n`,
    );
  });

  it("has what would keep its pods from starting printed with its place in the template", async () => {
    const { exit, err, file } = await run(
      cronJob().replace("containers:", "nodeSelector: {disk: fast}, containers:"),
      "--now",
      "--strict",
    );
    expect(exit).toBe(2);
    expect(err).toContain(`${file}:9:61: spec.template.spec.nodeSelector: no node has that`);
  });

  it("is missing when --now is given", async () => {
    const { exit, err } = await run(JOB, "--now");
    expect({ exit, err }).toEqual({
      exit: 2,
      err: "stint: --now is given, but there is no CronJob in the files; leave it out to run the Jobs\n",
    });
  });
});

describe("objects that a run has no use for", () => {
  const object = (kind: string, name: string, apiVersion = "v1"): string =>
    `apiVersion: ${apiVersion}\nkind: ${kind}\nmetadata: {name: ${name}}\n---\n`;

  it("are left out, with one line that names them", async () => {
    const { exit, err } = await run(
      `${object("Service", "web")}${object("Deployment", "web", "apps/v1")}${object("Certificate", "tls", "cert-manager.io/v1")}${JOB}`,
    );
    expect({ exit, err }).toEqual({
      exit: 0,
      err: "Warning: left out, because a run has no use for it: Service web, Deployment web, Certificate tls\n",
    });
  });

  it("are named only as far as there is room", async () => {
    const { err } = await run(`${Array.from({ length: 12 }, (_, i) => object("Service", `s${i}`)).join("")}${JOB}`);
    expect(err).toContain("Service s9 and 2 more\n");
  });

  it("are refused without a Job, and when they are nearly what a run takes", async () => {
    const alone = await run(object("Service", "web"));
    const nothing = (names: string): string => `there is no Job here, but ${names}; a run needs at least one\nNothing`;
    expect(alone.err).toBe(`${alone.file}:1:1: ${nothing("a Service web")} was run.\n`);
    const three = ["a", "b", "c"].map((name) => object("Service", name)).join("");
    expect((await run(three)).err).toContain(nothing("a Service a, a Service b and a Service c"));
    expect((await run(`${three}${object("Pod", "d")}`)).err).toContain("a Service b, a Service c and 1 more;");
    for (const [kind, version, message] of [
      ["Jobs", "batch/v1", ":2:7: kind: here is batch/v1 Jobs, a kind that Kubernetes does not serve; did you mean "],
      ["Configmap", "v1", ":2:7: kind: here is v1 Configmap; a run takes "],
      [
        "CronJob",
        "batch/v1beta1",
        ":1:13: apiVersion: here is batch/v1beta1 CronJob, which Kubernetes does not serve ",
      ],
    ] as const) {
      const { exit, err } = await run(`${object(kind, "x", version)}${JOB}`);
      expect(exit).toBe(2);
      expect(err).toContain(message);
    }
  });
});

describe("hooks of Helm", () => {
  const job = (name: string, hooks?: string): string =>
    JOB.replace(
      "{name: migrate}",
      `{name: ${name}${hooks === undefined ? "" : `, annotations: {helm.sh/hook: "${hooks}"}`}}`,
    );
  const runsAll = (out: string, ...names: string[]): void => {
    for (const name of names) expect(out).toMatch(new RegExp(`\\n${name} +Complete`));
  };

  it("are left out where an installation does not run them", async () => {
    const config = `apiVersion: v1\nkind: ConfigMap\nmetadata: {name: urls, annotations: {helm.sh/hook: test}}\n`;
    const { exit, out, err } = await run(
      [job("web"), job("try", "test"), job("clean", "post-delete, Pre-Rollback"), config].join("---\n"),
    );
    expect({ exit, err }).toEqual({
      exit: 0,
      err: "Warning: left out, because helm install does not run these hooks: Job try (test), Job clean (post-delete, pre-rollback), ConfigMap urls (test)\n",
    });
    expect(out).toContain("job web  Complete");
  });

  it("of an installation run, at the same time as the other Jobs", async () => {
    const { exit, out, err } = await run(
      [job("web"), job("migrate", "pre-install,pre-upgrade"), job("tell", "post-install")].join("---\n"),
    );
    expect({ exit, err }).toEqual({
      exit: 0,
      err: "Warning: helm would run these hooks in their order; a run starts all Jobs at once: Job migrate (pre-install, pre-upgrade), Job tell (post-install)\n",
    });
    runsAll(out, "web", "migrate", "tell");
  });

  it("run when there is no other Job", async () => {
    const tests = await run([job("first", "test"), job("second", "test")].join("---\n"));
    expect({ exit: tests.exit, err: tests.err }).toEqual({
      exit: 0,
      err: "Warning: helm would run these hooks in their order; a run starts all Jobs at once: Job first (test), Job second (test)\n",
    });
    runsAll(tests.out, "first", "second");
    const beside = await run([job("first", "test"), cronJob()].join("---\n"));
    expect(beside).toMatchObject({ exit: 2, err: `${beside.file}:6:1: ${NEEDS_NOW}\nNothing was run.\n` });
    const single = await run(job("migrate", "pre-install"));
    expect({ exit: single.exit, err: single.err }).toEqual({ exit: 0, err: "" });
  });
});
