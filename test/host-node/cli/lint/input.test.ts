/** What `stint lint` makes of input as people have it: live objects, old versions, other kinds, repeated keys. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../../../scripts/build-engine.ts";
import { CommandFolder } from "../command-folder.ts";

const folder = new CommandFolder();
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => folder.remove());

const caseText = (name: string): string =>
  readFileSync(path.join(import.meta.dirname, "cases", `${name}.yaml`), "utf8");
const lintText = (text: string, ...args: readonly string[]): ReturnType<CommandFolder["run"]> =>
  folder.run("lint", ...args, folder.file("in.yaml", text));
const lintCase = (name: string, ...args: readonly string[]): ReturnType<CommandFolder["run"]> =>
  lintText(caseText(name), ...args);
/** `LINE: the sentence` of what the API server refuses. */
const refusedIn = (out: string): string[] =>
  [...out.matchAll(/^in\.yaml:(\d+):\d+: error Refused: (.*)$/gm)].map(([, line, text]) => `${line}: ${text}`);

const SERVICE = "apiVersion: v1\nkind: Service\nmetadata: {name: s}\n";
const POLICY = "apiVersion: networking.k8s.io/v1\nkind: NetworkPolicy\nmetadata: {name: p}\n";
const INGRESS = "apiVersion: networking.k8s.io/v1\nkind: Ingress\nmetadata: {name: i}\n";

describe("a live object", () => {
  const NOTE =
    "note: passed over the fields that a server has added (in.yaml:1): metadata.creationTimestamp, metadata.generation, metadata.resourceVersion and 11 more\n";

  it("is linted as its manifest would be, with one note", async () => {
    const { exit, out, err } = await lintCase("live-object");
    expect({ exit, err }).toEqual({ exit: 0, err: NOTE });
    expect(out).toMatch(/^in\.yaml:21:3: warn ParallelismUnused: .*\n.*\n.*\n.*\n1 warning: 1 Job\n$/);
  });

  it("in a list has one note for all, and standard output stays what was asked for", async () => {
    const item = caseText("live-object").trimEnd().split("\n").join("\n  ");
    const list = `apiVersion: v1\nkind: List\nmetadata: {resourceVersion: ""}\nitems:\n- ${item}\n- ${item}\n`;
    const { out, err } = await lintText(list, "-o", "json");
    expect(err).toMatch(/^note: passed over the fields that a server has added \(2 objects, first in.yaml:5\): .*\n$/);
    for (const finding of JSON.parse(out).findings) expect(finding).toHaveProperty("code");
  });

  it("has no wishes where it has the defaults of a server", async () => {
    const withDefaults = caseText("live-object")
      .replace("backoffLimit: 2", "backoffLimit: 6")
      .replace("activeDeadlineSeconds: 600", "activeDeadlineSeconds: 20")
      .replace("parallelism: 4", "parallelism: 1");
    expect((await lintText(withDefaults)).out).toBe("nothing to say: 1 Job\n");
    // A manifest that says so means it.
    const written = withDefaults.replace(/^ {2}uid: .*\n/m, "");
    expect((await lintText(written)).out).toContain("warn GracePastDeadline");
  });

  it.each(["forecast", "upgrade-check"])("is taken by stint %s, too", async (command) => {
    const file = folder.file("in.yaml", caseText("live-object"));
    const more = command === "upgrade-check" ? ["--from", "1.35"] : [];
    const { exit, err } = await folder.run(command, ...more, file);
    expect(err).toBe(NOTE);
    expect(exit).not.toBe(2);
  });

  it("runs", async () => {
    const file = folder.file("in.yaml", caseText("live-object"));
    const { exit, out, err } = await folder.run("run", "--runtime", "simulated", file);
    expect(err).toContain("Warning: passed over the fields that a server has added (in.yaml:1): ");
    expect(out).toContain("Complete");
    expect(exit).toBe(0);
  });

  it("of a CronJob runs, though its owner is not there", async () => {
    const owned = caseText("live-object").replace(
      "  namespace: default\n",
      "  namespace: default\n  ownerReferences:\n  - {apiVersion: batch/v1, kind: CronJob, name: c, uid: 4b04296d, controller: true}\n",
    );
    const { exit, out } = await folder.run("run", "--runtime", "simulated", folder.file("in.yaml", owned));
    expect(out).toContain("Complete");
    expect(exit).toBe(0);
  });
});

describe("keys that are there twice", () => {
  it("are named with both lines, and the rest is linted", async () => {
    const { exit, out, err } = await lintCase("dup-key-two-documents");
    expect(exit).toBe(2);
    expect(err).toBe(
      "in.yaml:6:3: labels: this key is here again; the first one is in line 5, and kubectl takes the last one\n",
    );
    expect(out).toContain("in.yaml:12:8: warn LastRetryKilled");
    expect(out).toContain(": 2 Jobs\n");
  });

  it("count with their last value, as for kubectl, also in JSON", async () => {
    const { out } = await lintText(
      '{"apiVersion": "batch/v1", "kind": "Job", "metadata": {"name": "j"},\n"spec": {"backoffLimit": -1,\n"backoffLimit": -2, "template": {"spec": {"restartPolicy": "Never", "containers": [{"name": "m", "image": "i"}]}}}}\n',
    );
    expect(refusedIn(out)).toEqual(["3: spec.backoffLimit: Invalid value: -2: must be greater than or equal to 0"]);
  });

  it("keep a run from starting", async () => {
    const { exit, err } = await folder.run(
      "run",
      "--runtime",
      "simulated",
      folder.file("in.yaml", caseText("dup-key")),
    );
    expect(exit).toBe(2);
    expect(err).toContain("in.yaml:7:3: labels: this key is here again; the first one is in line 5");
  });
});

describe("a version that is gone", () => {
  const OLD = caseText("cron-tz").replace("batch/v1", "batch/v1beta1").replace("CRON_TZ=Etc/UTC ", "");
  const SAID =
    "apiVersion: here is batch/v1beta1 CronJob, which Kubernetes does not serve since 1.25; use batch/v1, which it serves since 1.21";

  it("is a finding of lint, and the rest is linted", async () => {
    const { exit, out, err } = await lintText(OLD.replace("restartPolicy: Never", "restartPolicy: Always"));
    expect({ exit, err }).toEqual({ exit: 1, err: "" });
    expect(refusedIn(out)).toEqual([
      `1: ${SAID}`,
      '10: spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"; write restartPolicy: Never, or OnFailure',
    ]);
  });

  it.each([["forecast"], ["upgrade-check", "--from", "1.35"], ["run", "--now", "--runtime", "simulated"]])(
    "is refused by stint %s",
    async (...command) => {
      const { exit, err } = await folder.run(...command, folder.file("in.yaml", OLD));
      expect(exit).toBe(2);
      expect(err).toContain(`in.yaml:1:13: ${SAID}\n`);
    },
  );
});

describe("other kinds", () => {
  const OTHERS = [SERVICE, SERVICE, POLICY, POLICY, INGRESS, INGRESS].join("---\n");

  it("are counted in the last line", async () => {
    const { out } = await lintText(`${OTHERS}---\n${caseText("dup-key").replace(/^ {2}labels:\n.*queue.*\n/m, "")}`);
    expect(out).toMatch(/: 1 Job; passed over: 2 Services, 2 NetworkPolicies, 2 Ingresses\n$/);
  });

  it("alone are a warning, and with --require-jobs a mistake", async () => {
    const last = "nothing to say: there is no Job; passed over: 1 Service\n";
    expect(await lintText(SERVICE)).toEqual({
      exit: 0,
      out: last,
      err: "warning: there is no Job and no CronJob in the input; --require-jobs makes this an error\n",
    });
    expect(await lintText(SERVICE, "--require-jobs")).toEqual({
      exit: 2,
      out: last,
      err: "stint: there is no Job and no CronJob in the input\n",
    });
    const file = folder.file("in.yaml", SERVICE);
    const check = await folder.run("upgrade-check", "--from", "1.35", "--require-jobs", file);
    expect(check.exit).toBe(2);
    expect(check.out).toContain("there is no Job; passed over: 1 Service\n");
    expect(check.err).toBe("stint: there is no Job and no CronJob in the input\n");
  });

  it("of another group may be called Job", async () => {
    const { out } = await lintText("apiVersion: batch.volcano.sh/v1alpha1\nkind: Job\nmetadata: {name: j}\n");
    expect(out).toBe("nothing to say: there is no Job; passed over: 1 Job\n");
  });
});

it.each([
  ["tabs", "apiVersion: batch/v1\nkind: Job\n\tspec: {}\n"],
  ["nothing", "# nothing\n"],
])("nothing is claimed of a text that cannot be read: %s", async (_, text) => {
  const { exit, out, err } = await lintText(text);
  expect({ exit, out }).toEqual({ exit: 2, out: "" });
  expect(err).toMatch(/^in\.yaml:\d+:\d+: /);
});

describe("what the API server refuses of a CronJob", () => {
  it("is a time zone in the schedule", async () => {
    const { exit, out } = await lintCase("cron-tz");
    expect(exit).toBe(1);
    expect(refusedIn(out)).toEqual([
      '5: spec.schedule: Invalid value: "CRON_TZ=Etc/UTC */20 * * * *": cannot use TZ or CRON_TZ in schedule, use timeZone field instead',
    ]);
  });

  it("are all its own fields, and an unknown one hides none of them", async () => {
    const name = "a-cron-job-whose-name-is-longer-than-the-fifty-two-characters-allowed";
    const expected = [
      "10: spec.sucessfulJobsHistoryLimit: unknown field of batch/v1 CronJob; did you mean successfulJobsHistoryLimit, which has a value already? Remove one of them",
      '5: spec.schedule: Invalid value: "0 25 * * *": end of range (25) above maximum (23): 25',
      "8: spec.startingDeadlineSeconds: Invalid value: -1: must be greater than or equal to 0",
      '6: spec.timeZone: Invalid value: "Europe/Berlim": unknown time zone Europe/Berlim',
      '7: spec.concurrencyPolicy: Unsupported value: "forbid": supported values: "Allow", "Forbid", "Replace"',
      "9: spec.successfulJobsHistoryLimit: Invalid value: -2: must be greater than or equal to 0",
      `3: metadata.name: Invalid value: "${name}": must be no more than 52 characters`,
    ];
    expect(refusedIn((await lintCase("cron-own-fields")).out)).toEqual(expected);
    const file = folder.file("in.yaml", caseText("cron-own-fields"));
    const run = await folder.run("run", "--now", "--runtime", "simulated", file);
    expect(run.exit).toBe(2);
    for (const text of expected) expect(run.err).toContain(`: ${text.replace(/^\d+: /, "")}\n`);
  });

  it("and of a Job, too", async () => {
    expect(refusedIn((await lintCase("cron-own-fields-job-unknown-and-invalid")).out)).toEqual([
      "4: spec.paralelism: unknown field of batch/v1 Job; did you mean parallelism?",
      "4: spec.backoffLimit: Invalid value: -1: must be greater than or equal to 0",
      '5: spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"; write restartPolicy: Never, or OnFailure',
    ]);
  });

  it("are misplaced fields of all levels, with paths of the CronJob", async () => {
    const unknown = (text: string): string => text.replace(": ", ": unknown field of batch/v1 CronJob; ");
    const taken = (field: string): string =>
      `its place is spec.jobTemplate.spec.${field}, which has a value already: remove one of them`;
    const pod = "spec.jobTemplate.spec.template.spec";
    expect(refusedIn((await lintCase("misplaced")).out).map((line) => line.replace(/^\d+: /, ""))).toEqual(
      [
        "spec.ttlSecondsAfterFinished: did you mean spec.jobTemplate.spec.ttlSecondsAfterFinished?",
        "spec.backoffLimit: did you mean spec.jobTemplate.spec.backoffLimit?",
        `spec.jobTemplate.ttlSecondsAfterFinished: ${taken("ttlSecondsAfterFinished")}`,
        `spec.jobTemplate.spec.template.backoffLimit: ${taken("backoffLimit")}`,
        `${pod}.ttlSecondsAfterFinished: ${taken("ttlSecondsAfterFinished")}`,
        `${pod}.concurrencyPolicy: did you mean spec.concurrencyPolicy?`,
        `${pod}.containers[0].activeDeadlineSeconds: did you mean spec.jobTemplate.spec.activeDeadlineSeconds?`,
      ].map(unknown),
    );
  });

  it.each([
    [
      "misplaced-after-the-hint",
      [
        "6: spec.ttlSecondsAfterFinished: unknown field of batch/v1 CronJob; did you mean spec.jobTemplate.spec.ttlSecondsAfterFinished?",
        "7: spec.activeDeadlineSeconds: unknown field of batch/v1 CronJob; did you mean spec.jobTemplate.spec.activeDeadlineSeconds?",
      ],
    ],
    [
      "misplaced-schedule-in-the-wrong-place",
      [
        "7: spec.jobTemplate.spec.schedule: unknown field of batch/v1 CronJob; did you mean spec.schedule?",
        '10: spec.jobTemplate.spec.template.spec.restartPolicy: Required value: valid values: "OnFailure", "Never"; write restartPolicy: Never, or OnFailure',
      ],
    ],
    [
      "misplaced-template-instead-of-job-template",
      ["6: spec.template: unknown field of batch/v1 CronJob; did you mean spec.jobTemplate.spec.template?"],
    ],
  ])("are misplaced fields, and not what they leave missing: %s", async (name, expected) => {
    expect(refusedIn((await lintCase(name)).out)).toEqual(expected);
  });
});

describe("--skip-others", () => {
  const good = folder.file(
    "among-others.yaml",
    [
      "services: {web: {image: nginx}}",
      "- a list",
      "a text",
      JSON.stringify({ apiVersion: "v1", kind: "ConfigMap", metadata: { name: "c" } }),
    ].join("\n---\n"),
  );

  it("skips documents that are no Kubernetes objects, and counts them", async () => {
    const { exit, out, err } = await folder.run("lint", "--skip-others", good);
    expect({ exit, out }).toEqual({
      exit: 0,
      out: "nothing to say: there is no Job; passed over: 1 ConfigMap, 3 other documents\n",
    });
    expect(err).toContain("there is no Job and no CronJob in the input");
    expect((await folder.run("lint", good)).exit).toBe(2);
  });

  it.each([
    ["kind: Job", "apiVersion is missing"],
    ["apiVersion: batch/v1", "kind is missing"],
    ["a: [", ""],
  ])("skips no document that wants to be one, or that cannot be read: %s", async (text, message) => {
    const { exit, err } = await folder.run("lint", "--skip-others", folder.file("wrong-head.yaml", text));
    expect([exit, err]).toEqual([2, expect.stringContaining(message)]);
  });
});
