/** JSON for programs: `stint schema`, errors, and the commands whose other tests print text. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv2020 } from "ajv/dist/2020.js";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { buildModule } from "../../../scripts/build-engine.ts";
import { SCHEMA_NAMES } from "../../../host-node/cli/json/schema.ts";
import { closed, faultsOf } from "./closed-schema.ts";
import { CommandFolder } from "./command-folder.ts";

const folder = new CommandFolder();
beforeAll(async () => {
  await buildModule("engine");
});
afterAll(() => folder.remove());

/** @returns the only document that the command prints */
async function documentOf(...args: readonly string[]): Promise<any> {
  const { out } = await folder.run(...args, "--output", "json");
  return JSON.parse(out);
}

const JOB = `apiVersion: batch/v1
kind: Job
metadata: {name: pi}
spec:
  template: {spec: {restartPolicy: Never, containers: [{name: main, image: none}]}}
`;

describe("stint schema", () => {
  it("prints a schema of each name that is whole in itself", async () => {
    for (const name of SCHEMA_NAMES) {
      const { exit, out } = await folder.run("schema", name);
      expect(exit, name).toBe(0);
      expect(() => new Ajv2020({ strict: true, allowUnionTypes: true }).compile(JSON.parse(out)), name).not.toThrow();
    }
  });

  it("prints all of it without a name, as the package has it", async () => {
    const { out } = await folder.run("schema");
    const file = path.resolve(import.meta.dirname, "../../../host-node/cli/json/schema.json");
    expect(out).toBe(readFileSync(file, "utf8"));
  });

  it("refuses an unknown name, with one that is like it", async () => {
    const { exit, err } = await folder.run("schema", "LintRaport");
    expect({ exit, err }).toEqual({
      exit: 2,
      err: 'stint: there is no schema "LintRaport"; did you mean LintReport?\n',
    });
  });
});

describe("the schema", () => {
  it("takes a document with more members, as a later version has it, and in tests it does not", async () => {
    const report = { ...(await documentOf("lint", folder.file("job.yaml", JOB))), more: 1 };
    const validate = new Ajv2020().compile(JSON.parse((await folder.run("schema", "lint")).out));
    expect(validate(report)).toBe(true);
    expect(validate({ ...report, findings: undefined })).toBe(false);
    expect(faultsOf("lint", report)).toContain("must NOT have additional properties");
    expect(closed({ type: "object", properties: {} })).toMatchObject({ additionalProperties: false });
  });
});

describe("an error", () => {
  it("of the command line is a document, and a sentence for people", async () => {
    const { exit, out, err } = await folder.run("lint", "--no-such-option", "-ojson");
    expect({ exit, document: JSON.parse(out) }).toEqual({
      exit: 2,
      document: { kind: "ErrorReport", version: 1, error: "unknown option '--no-such-option'", exitStatus: 2 },
    });
    expect(err).toMatch(/^stint: unknown option '--no-such-option'\n/);
  });

  it("of a file has its place", async () => {
    const { exit, out } = await folder.run("forecast", folder.file("bad.yaml", "kind: Nope\n"), "--output=json");
    expect(exit).toBe(2);
    const [mistake, ...others] = JSON.parse(out).mistakes;
    expect({ mistake, others }).toMatchObject({ mistake: { file: "bad.yaml", line: 1 }, others: [] });
  });

  it("leaves standard output to those who ask for text", async () => {
    expect(await folder.run("explain", "Bakoff")).toMatchObject({ exit: 2, out: "" });
    expect(await folder.run("explain", "--", "-ojson")).toMatchObject({ exit: 2, out: "" });
  });

  it("of a server is on standard error alone, where the bindings for tests read it", async () => {
    expect(await folder.run("serve", "--output", "json", "--no-such-option")).toMatchObject({ exit: 2, out: "" });
  });

  it("is what could not be read, beside what was found", async () => {
    const text = `${JOB}---\nkind: [\n`;
    const { exit, out } = await folder.run("lint", "-o", "json", folder.file("half.yaml", text));
    const { kind, jobs, unread } = JSON.parse(out);
    expect({ exit, kind, jobs }).toEqual({ exit: 2, kind: "LintReport", jobs: 1 });
    expect(unread).toMatchObject([{ file: "half.yaml", message: expect.any(String) }]);
  });
});

describe("explain", () => {
  it("has the section of each page that has the code", async () => {
    const { kind, code, sections } = await documentOf("explain", "backoff");
    expect({ kind, code }).toEqual({ kind: "CodeExplanation", code: "Backoff" });
    expect(sections.map(({ page }: any) => page)).toEqual(["docs/decisions.md", "docs/account.md"]);
    expect(sections[0].text).toMatch(/\n\n/);
  });

  it("lists the codes of each page", async () => {
    const { kind, pages } = await documentOf("explain");
    expect(kind).toBe("CodeList");
    expect(pages.find(({ page }: any) => page === "docs/lint.md").codes).toContain("NoDeadline");
  });
});

describe("replay", () => {
  it("says whether the engine did the same, and with --explain what it decided", async () => {
    folder.file("job.yaml", JOB);
    await folder.run(
      "run",
      "--runtime",
      "simulated",
      "--record",
      `${folder.path}/run.jsonl`,
      `${folder.path}/job.yaml`,
    );
    const { requests, decided, ...report } = await documentOf("replay", "run.jsonl");
    expect(report).toMatchObject({ kind: "ReplayReport", file: "run.jsonl", isSame: true, difference: null });
    expect(report.isWhole).toBe(true);
    expect(report).not.toHaveProperty("decisions");
    expect([requests > 3, decided > 1]).toEqual([true, true]);
    const { decisions } = await documentOf("replay", "run.jsonl", "--explain");
    expect(decisions).toHaveLength(decided);
  });
});

describe("import", () => {
  const job = (resourceVersion: string, status: object): object => ({
    apiVersion: "batch/v1",
    kind: "Job",
    metadata: { name: "pi", namespace: "team", uid: "u1", resourceVersion, creationTimestamp: "2026-11-23T20:36:10Z" },
    spec: {
      parallelism: 1,
      completions: 1,
      backoffLimit: 6,
      suspend: true,
      selector: { matchLabels: { "batch.kubernetes.io/controller-uid": "u1" } },
      template: { spec: { restartPolicy: "Never", containers: [{ name: "main", image: "none" }] } },
    },
    status,
  });

  it("has each write of the controller, and how a Job stands at the end", async () => {
    const suspended = { type: "Suspended", status: "True", lastTransitionTime: "2026-11-23T20:36:11Z" };
    const events = [
      { type: "ADDED", object: job("10", {}) },
      { type: "MODIFIED", object: job("11", { conditions: [{ ...suspended, reason: "JobSuspended", message: "" }] }) },
    ];
    folder.file("jobs.json", events.map((event) => JSON.stringify(event)).join("\n"));
    const { kind, files, writes, states, ...counts } = await documentOf("import", "jobs.json", "--job", "team/pi");
    expect({ kind, files, counts }).toMatchObject({
      kind: "ImportReport",
      files: ["jobs.json"],
      counts: { changes: 2, written: 1, unexplained: 0 },
    });
    expect(writes).toMatchObject([{ namespace: "team", job: "pi", isExplained: true }]);
    expect(states).toMatchObject([{ kind: "JobAccount", job: "pi", state: "Suspended", source: "objects" }]);
  });
});
