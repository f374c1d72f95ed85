/** `stint lint`: what it reads, what it says, where it points, and its exit statuses. */
import { cpSync } from "node:fs";
import path from "node:path";
import { parseAllDocuments } from "yaml";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { main } from "./checked-main.ts";
import { buildModule } from "../../../scripts/build-engine.ts";
import type { LintFinding, LintReport } from "../../../host-node/cli/lint/document.ts";
import { CommandFolder } from "./command-folder.ts";
import { RecordingConsole } from "./recording-console.ts";

const folder = new CommandFolder();
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => folder.remove());

const GOOD = `apiVersion: batch/v1
kind: Job
metadata:
  name: good
spec:
  activeDeadlineSeconds: 600
  ttlSecondsAfterFinished: 3600
  template:
    spec:
      restartPolicy: Never
      containers:
        - name: work
          image: example.com/work:1
          command: [work]
`;
const retry = (name: string): string =>
  GOOD.replace("name: good", `name: ${name}`)
    .replace("Never", "OnFailure")
    .replace("  template:", "  backoffLimit: 1\n  template:");

const file = (name: string, text: string): string => folder.file(name, text);
const lint = (...args: readonly string[]): ReturnType<CommandFolder["run"]> => folder.run("lint", ...args);

const findingsOf = (out: string): readonly LintFinding[] => (JSON.parse(out) as LintReport).findings;
const codesOf = (out: string): string[] => findingsOf(out).map(({ code }) => code);

describe("text", () => {
  it("shows place, line, mark and fix", async () => {
    const { exit, out, err } = await lint(file("retry.yaml", retry("j")));
    expect([exit, err]).toEqual([0, ""]);
    expect(out)
      .toBe(`retry.yaml:8:3: warn LastRetryKilled: with restartPolicy OnFailure the Job fails once its containers have restarted once: the controller deletes the pod as the last retry starts, and the logs are gone with it
  8 │   backoffLimit: 1
    │   ^
  fix: set restartPolicy to Never, which keeps failed pods with their logs, or raise backoffLimit by one
1 warning: 1 Job
`);
  });

  it("says that there is nothing to say", async () => {
    expect(await lint(file("good.yaml", GOOD))).toEqual({ exit: 0, out: "nothing to say: 1 Job\n", err: "" });
  });

  it("has colours on a terminal alone, and makes names harmless", async () => {
    const name = file(
      "colour.yaml",
      GOOD.replace("command: [work]", 'resources: { requests: { memory: "1Gi" } }').replace(
        "name: work",
        '"name": "w\\e[31m"',
      ),
    );
    const console = new RecordingConsole(folder.path);
    console.terminal = () => ({ columns: 80, rows: 24 });
    await main(["lint", name], "0.0.0", console);
    expect(console.out).toContain("\u001b[31merror\u001b[0m Refused:");
    expect(console.out).not.toContain("w\u001b");
    expect((await lint(name)).out).not.toContain("\u001b");
  });

  it("puts what the API server refuses first, in its words", async () => {
    const { exit, out } = await lint(
      file("refused.yaml", retry("Bad_Name").replace("backoffLimit: 1", "backoffLimit: -1")),
    );
    expect(exit).toBe(1);
    const [first, ...others] = out.split("\n").filter((line) => line.startsWith("refused"));
    expect(first).toMatch(/^refused.yaml:4:9: error Refused: metadata.name: Invalid value: "Bad_Name": /);
    expect(others[0]).toMatch(
      /^refused.yaml:8:17: error Refused: spec.backoffLimit: Invalid value: -1: must be greater/,
    );
    expect(others.at(-1)).toMatch(/^refused.yaml:8:3: warn LastRetryKilled: /);
  });

  it.each([
    ["1.36", 0, []],
    ["1.37", 1, ["Refused"]],
  ])("refuses what Kubernetes %s does", async (version, exit, codes) => {
    const volumes = "      volumes: [{ name: data, image: {} }]\n";
    const path = file("image.yaml", GOOD.replace("      containers:\n", `${volumes}      containers:\n`));
    const result = await lint("--kubernetes", version, "-o", "json", path);
    expect([result.exit, codesOf(result.out)]).toEqual([exit, codes]);
  });

  it("says what is wrong with fields of another type, and unknown ones", async () => {
    expect((await lint(file("type.yaml", GOOD.replace("600", "soon")))).out).toMatch(
      /^type.yaml:6:26: error Refused: spec.activeDeadlineSeconds: here is a text; allowed is a whole number\n/,
    );
    expect((await lint(file("unknown.yaml", GOOD.replace("activeDeadline", "activeDedline")))).out).toMatch(
      /^unknown.yaml:6:3: error Refused: spec.activeDedlineSeconds: unknown field of batch\/v1 Job/,
    );
  });

  it("cuts long lines around the mark", async () => {
    const long = `{"apiVersion":"batch/v1","kind":"Job","metadata":{"name":"j","annotations":{"a":"${"x".repeat(500)}"}},"spec":{"backoffLimit":1,"activeDeadlineSeconds":60,"ttlSecondsAfterFinished":60,"template":{"spec":{"restartPolicy":"OnFailure","containers":[{"name":"c","image":"i"}]}}}}`;
    const { out } = await lint(file("long.json", long));
    const [, shown, mark] = out.split("\n") as [string, string, string];
    expect(shown.length).toBeLessThan(120);
    expect(shown.slice(mark.indexOf("^"))).toMatch(/^"backoffLimit":1/);
  });
});

describe("what is read", () => {
  it("takes several documents, lists and CronJobs, and passes over other kinds", async () => {
    const service = "apiVersion: v1\nkind: Service\nmetadata: { name: s }\n";
    const list = `apiVersion: v1\nkind: List\nitems:\n${indented(retry("listed"), "- ", "  ")}`;
    const cronJob = `apiVersion: batch/v1\nkind: CronJob\nmetadata: { name: nightly }\nspec:\n  schedule: "0 0 * * *"\n  jobTemplate:\n    spec:\n      ttlSecondsAfterFinished: 100\n      backoffLimit: 1\n      activeDeadlineSeconds: 60\n      template:\n        spec:\n          restartPolicy: OnFailure\n          containers: [{ name: c, image: i }]\n`;
    const { exit, out } = await lint(
      "-o",
      "json",
      file("many.yaml", `# Source: chart\n${service}---\n${list}---\n---\n${cronJob}`),
    );
    expect(exit).toBe(0);
    expect(findingsOf(out)).toMatchObject([
      { line: 16, column: 5, kind: "Job", name: "listed", code: "LastRetryKilled", field: "spec.backoffLimit" },
      {
        line: 33,
        kind: "CronJob",
        name: "nightly",
        code: "TimeToLiveInCronJob",
        field: "spec.jobTemplate.spec.ttlSecondsAfterFinished",
      },
      {
        line: 34,
        kind: "CronJob",
        code: "LastRetryKilled",
        field: "spec.jobTemplate.spec.backoffLimit",
        numbers: { backoffLimit: 1, restarts: 1 },
      },
    ]);
  });

  it("says of a CronJob what the API server will refuse, and where its name is too long", async () => {
    const name = "n".repeat(52);
    const text = `apiVersion: batch/v1\nkind: CronJob\nmetadata:\n  name: ${name}\nspec:\n  schedule: "0 0 * * *"\n  jobTemplate:\n    spec:\n      completions: 100\n      completionMode: Indexed\n      parallelism: -1\n      activeDeadlineSeconds: 60\n      template:\n        spec:\n          restartPolicy: Never\n          containers: [{ name: c, image: i }]\n`;
    const { exit, out } = await lint(file("cron.yaml", text));
    expect(exit).toBe(1);
    expect(out).toMatch(/^cron.yaml:11:20: error Refused: spec.jobTemplate.spec.parallelism: Invalid value: -1/);
    expect(out).toContain("cron.yaml:4:3: deny GeneratedNameTooLong: ");
  });

  it("knows the quota of the namespace", async () => {
    const quota = "apiVersion: v1\nkind: ResourceQuota\nmetadata: { name: q }\nspec: { hard: { pods: 2 } }\n---\n";
    const wide = GOOD.replace("  template:", "  parallelism: 3\n  completions: 3\n  template:");
    expect(codesOf((await lint("-o", "json", file("quota.yaml", `${quota}${wide}`))).out)).toEqual([
      "ParallelismAboveQuota",
    ]);
    expect(
      codesOf(
        (
          await lint(
            "-o",
            "json",
            file("other.yaml", `${quota.replace("name: q", "name: q, namespace: other")}${wide}`),
          )
        ).out,
      ),
    ).toEqual([]);
    const scoped = quota.replace("{ hard", "{ scopes: [NotTerminating], hard");
    expect(codesOf((await lint("-o", "json", file("scoped.yaml", `${scoped}${wide}`))).out)).toEqual([]);
  });

  it("says that a name is there twice, with the place of the first", async () => {
    const other = GOOD.replace("name: good", "namespace: other\n  name: good");
    const generated = GOOD.replace("name: good", "generateName: good");
    const twice = file("twice.yaml", [GOOD, other, generated, GOOD, generated].join("---\n"));
    const { exit, out } = await lint(twice, file("third.yaml", GOOD));
    expect(exit).toBe(0);
    expect(out.split("\n").filter((line) => / warn /.test(line))).toEqual(
      ["twice.yaml:50:3", "third.yaml:4:3"].map(
        (place) =>
          `${place}: warn SameName: twice.yaml:1 has an object of this kind, namespace and name, too: applied together, the later one replaces the earlier one`,
      ),
    );
    expect((await lint("--rule", "SameName=off", twice)).out).toBe("nothing to say: 5 Jobs\n");
  });

  it("takes a folder, and with --recursive the folders in it", async () => {
    file("tree/a.yaml", GOOD);
    file("tree/deep/b.yaml", GOOD.replace("name: good", "name: better"));
    expect((await lint(path.join(folder.path, "tree"))).out).toBe("nothing to say: 1 Job\n");
    expect((await lint("-R", path.join(folder.path, "tree"))).out).toBe("nothing to say: 2 Jobs\n");
  });

  it("has no error for any example", async () => {
    // The projects in testing/ have files that are no manifests, and the incidents and files of documents are broken.
    const filter = (file: string): boolean => !["testing", "incidents", "readme"].includes(path.basename(file));
    cpSync(path.resolve("examples"), path.join(folder.path, "examples"), { recursive: true, filter });
    const { exit, out } = await lint(
      "-R",
      "-o",
      "json",
      "--rule",
      "NoDeadline=off,NoTimeToLive=off",
      path.join(folder.path, "examples"),
    );
    expect(exit).toBe(0);
    // Each shows what its advice speaks of.
    expect(findingsOf(out).map(({ file, code }) => `${path.basename(file)} ${code}`)).toEqual([
      "deadline.yaml RetriesPastDeadline",
      "gang.yaml DisruptionsCount",
      "adopted.yaml OwnSelector",
      "queue-pod-per-item.yaml FailedLogsLost",
      "retry-on-failure.yaml LastRetryKilled",
      "retry-once.yaml LastRetryKilled",
      "retry.yaml FailedLogsLost",
      "success-policy.yaml DisruptionsCount",
      "work-queue.yaml FailedLogsLost",
    ]);
  });
});

function indented(text: string, first: string, others: string): string {
  return text
    .trimEnd()
    .split("\n")
    .map((line, i) => `${i === 0 ? first : others}${line}\n`)
    .join("");
}

describe("the exit status", () => {
  const name = file("status.yaml", retry("j"));

  it("is 1 when a rule denies, or a warning is enough", async () => {
    expect((await lint(name)).exit).toBe(0);
    expect((await lint("--rule", "LastRetryKilled=deny", name)).exit).toBe(1);
    expect((await lint("--fail-on", "warn", name)).exit).toBe(1);
    expect((await lint("--fail-on", "warn", "--rule", "LastRetryKilled=off", name)).exit).toBe(0);
  });

  it("is 2 for what cannot be read, and the rest is linted", async () => {
    const broken = file("broken.yaml", "kind: [\n");
    const { exit, out, err } = await lint(name, broken);
    expect(exit).toBe(2);
    expect(out).toContain("status.yaml:8:3: warn LastRetryKilled");
    expect(err).toMatch(/^broken.yaml:\d:\d: /);
    expect((await lint(path.join(folder.path, "missing.yaml"))).err).toBe(
      "stint: cannot read missing.yaml: there is no such file\n",
    );
    expect((await lint(file("none.yaml", "# nothing\n"))).exit).toBe(2);
    expect((await lint(file("values.yaml", "image: x\n"))).err).toContain("values.yaml:1:1: apiVersion is missing");
  });
});

describe("settings", () => {
  const name = file(
    "settings.yaml",
    retry("j").replace("  activeDeadlineSeconds: 600\n", "  managedBy: acme.io/jobs\n"),
  );

  it("come from a file, the environment and flags", async () => {
    expect(codesOf((await lint("-o", "json", name)).out)).toEqual(["NoDeadline", "LastRetryKilled"]);
    const config = file(
      "lint-settings.yaml",
      "rule: [NoDeadline=off, LastRetryKilled=deny]\nmanagers: kueue.x-k8s.io/multikueue\n",
    );
    const { exit, out } = await lint("-o", "json", "--config", config, name);
    expect(exit).toBe(1);
    expect(codesOf(out)).toEqual(["UnknownManager", "LastRetryKilled"]);
    expect(codesOf((await lint("-o", "json", "--git-ops", "--rule", "NoDeadline=off", name)).out)).toEqual([
      "TimeToLiveUnderGitOps",
      "LastRetryKilled",
    ]);
  });

  it("are refused when they are not understood", async () => {
    expect(await lint("--rule", "NoDedline=off", name)).toMatchObject({
      exit: 2,
      err: 'stint: --rule is "NoDedline=off"; allowed is CODE=off, CODE=warn or CODE=deny, and several with commas; no rule has the code NoDedline, but NoDeadline is one\n',
    });
    expect((await lint("--rule", "NoDeadline", name)).exit).toBe(2);
    expect((await lint("--fail-on", "error", name)).err).toContain("allowed is deny or warn");
  });
});

describe("comments that ignore", () => {
  const at = (comment: string, before: string): string => retry("j").replace(before, `${comment}\n${before}`);

  it.each([
    ["the line below", at("  # stint-ignore LastRetryKilled: one retry is no retry", "  backoffLimit: 1")],
    ["its own line", retry("j").replace("backoffLimit: 1", "backoffLimit: 1 # stint-ignore LastRetryKilled: it is so")],
    ["the whole object", `# stint-ignore LastRetryKilled: it is so\n# more\n${retry("j")}`],
    ["an object behind a separator", `${GOOD}\n# stint-ignore LastRetryKilled: it is so\n---\n\n${retry("j")}`],
  ])("are about %s", async (_, text) => {
    expect((await lint(file("ignored.yaml", text))).out).toMatch(/^nothing to say: \d Jobs?\n$/);
  });

  it.each([
    ["another line", at("  # stint-ignore LastRetryKilled: it is so", "  template:")],
    ["another rule", at("  # stint-ignore NoDeadline: it is so", "  backoffLimit: 1")],
    ["another object", `# stint-ignore LastRetryKilled: it is so\n${GOOD}---\n${retry("j")}`],
  ])("leave %s alone", async (_, text) => {
    expect((await lint(file("spoken.yaml", text))).out).toContain("warn LastRetryKilled");
  });

  it.each([
    ["# stint-ignore LastRetryKilled", "here is a stint-ignore without a code and a reason"],
    ["# stint-ignore LastRetryKilled:", "here is a stint-ignore without a code and a reason"],
    ["# stint-ignore", "here is a stint-ignore without a code and a reason"],
    [
      "# stint-ignore LastRetryKiled: it is so",
      "no rule has the code LastRetryKiled; LastRetryKilled has a similar one",
    ],
  ])("need a code and a reason: %s", async (comment, message) => {
    const { exit, err } = await lint(file("wrong.yaml", at(`  ${comment}`, "  backoffLimit: 1")));
    expect(exit).toBe(2);
    expect(err).toMatch(/^wrong.yaml:8:3: /);
    expect(err).toContain(message);
  });

  it("do not silence the API server", async () => {
    const text = at("  # stint-ignore LastRetryKilled: it is so", "  backoffLimit: 1").replace(
      "backoffLimit: 1",
      "backoffLimit: -1",
    );
    expect((await lint(file("refused-still.yaml", text))).exit).toBe(1);
  });
});

describe("--emit-policy", () => {
  it("prints policies with their bindings, of the severity of their rules", async () => {
    const { exit, out, err } = await lint("--emit-policy", "--rule", "NoDeadline=deny,NoTimeToLive=off");
    expect({ exit, err }).toEqual({ exit: 0, err: "" });
    const objects = parseAllDocuments(out).map((document) => document.toJS());
    expect(objects.map(({ kind, metadata }) => `${kind} ${metadata.name}`)).toContain(
      "ValidatingAdmissionPolicyBinding stint-lint-jobs-deny",
    );
    expect(out.match(/message: "?NoDeadline: /g)).toHaveLength(2);
    expect(out).not.toContain("NoTimeToLive: ");
    expect(out.endsWith("\n")).toBe(true);
  });

  it.each([
    [["job.yaml"], "--emit-policy reads no manifest; leave out job.yaml"],
    [["--rule", "NoDedline=deny"], "NoDeadline is one"],
  ])("refuses %j", async (args, message) => {
    const { exit, out, err } = await lint("--emit-policy", ...args);
    expect({ exit, out }).toEqual({ exit: 2, out: "" });
    expect(err).toContain(message);
  });
});
