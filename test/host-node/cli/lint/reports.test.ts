/** What `stint lint` writes for programs: SARIF that its schema takes, well-formed JUnit XML, annotations of GitHub. */
import { readFileSync } from "node:fs";
import path from "node:path";
import { Ajv } from "ajv";
import { describe, expect, it } from "vitest";
import { parseManifests } from "../../../../cluster/manifests/manifests.ts";
import { readYaml } from "../../../../cluster/yaml/yaml-library.ts";
import type { Finding, Severity } from "../../../../host-node/lint/finding.ts";
import { LINT_FORMATS, reportOf } from "../../../../host-node/cli/lint/report.ts";
import type { LintResult } from "../../../../host-node/cli/lint/result.ts";
import { targetsOf } from "../../../../host-node/lint/targets.ts";
import { styleFor } from "../../../../host-node/words/style.ts";

const schemaFile = path.resolve(import.meta.dirname, "../../../vectors/schemas/sarif-2.1.0.json");
// It is of draft 4. What that has and later drafts have not is its name and its `id`.
const { $schema: _, id: __, ...schema } = JSON.parse(readFileSync(schemaFile, "utf8")) as Record<string, unknown>;
const isSarif = new Ajv({
  strict: false,
  unicodeRegExp: false,
  allErrors: true,
  formats: {
    uri: (text) => URL.canParse(text),
    "uri-reference": (text) => /^[\w.~!$&'()*+,;=:@%/?#[\]-]+$/.test(text) && URL.canParse(text, "file:///a/"),
    "date-time": (text) => !Number.isNaN(Date.parse(text)),
  },
}).compile(schema);

const NASTY = `a<b>&"c', d:%\n\u0000\u001b[31m]]>`;

function resultOf(file: string, severities: readonly Severity[]): LintResult {
  const text = "apiVersion: batch/v1\nkind: Job\nmetadata: { name: j }\nspec: { backoffLimit: 1 }\n";
  const { manifests } = parseManifests({ file, text }, readYaml);
  const targets = targetsOf(manifests);
  const findings = severities.map((severity, i): Finding => ({
    position: { file, line: 4, column: 9 },
    line: "spec: { backoffLimit: 1 }",
    target: targets[0]!,
    code: severity === "error" ? "Refused" : "LastRetryKilled",
    severity,
    field: i === 0 ? "" : "spec.backoffLimit",
    sentence: `is so ${NASTY}`,
    fix: severity === "error" ? "" : `do ${NASTY}`,
    numbers: { backoffLimit: 1 },
  }));
  const isFailure = (severity: Severity): boolean => severity !== "warn";
  return {
    findings,
    targets,
    left: 0,
    passedOver: "",
    unread: [],
    columns: Infinity,
    isVerbose: false,
    isFailure,
    version: "1.2.3",
  };
}

const style = styleFor(false, {});
const files = ["job.yaml", "/abs/a b.yaml", "<stdin>", "c:ü/%41#?.yaml"];

describe("SARIF", () => {
  it.each(files)("of %s is valid", (file) => {
    const log = JSON.parse(reportOf("sarif", resultOf(file, ["error", "deny", "warn"]), style)) as Record<string, any>;
    isSarif(log);
    expect(isSarif.errors ?? []).toEqual([]);
    const [run] = log["runs"];
    expect(run.results.map(({ level }: { level: string }) => level)).toEqual(["error", "error", "warning"]);
    for (const { ruleId, ruleIndex } of run.results) expect(run.tool.driver.rules[ruleIndex].id).toBe(ruleId);
  });

  it("is valid without findings", () => {
    expect(isSarif(JSON.parse(reportOf("sarif", resultOf("a.yaml", []), style)))).toBe(true);
  });

  it("is not, where the schema is broken: the check can fail", () => {
    const log = JSON.parse(reportOf("sarif", resultOf("a.yaml", ["warn"]), style)) as Record<string, any>;
    log["runs"][0].results[0].level = "warn";
    expect(isSarif(log)).toBe(false);
    log["runs"][0].results[0].level = "note";
    log["runs"][0].results[0].locations[0].physicalLocation.artifactLocation.uri = "<stdin>";
    expect(isSarif(log)).toBe(false);
  });
});

describe("JUnit", () => {
  it.each(files)("of %s is well-formed, with what fails as a failure and the rest as output", (file) => {
    const text = reportOf("junit", resultOf(file, ["error", "warn"]), style);
    // Every markup is one of these, and no text has any.
    const rest = text
      .replace('<?xml version="1.0" encoding="UTF-8"?>', "")
      .replace(/<\/?(testsuites?|testcase|failure|system-out)( [a-z]+="[^"<>&]*(&#\d+;[^"<>&]*)*")*\/?>/g, "")
      .replace(/&#\d+;/g, "");
    expect(rest).not.toMatch(/[<>&\u0000-\u0008\u000b-\u001f]/);
    expect(text).toMatch(/<testsuites tests="1" failures="1" errors="0">/);
    expect(text.match(/<failure /g)).toHaveLength(1);
    expect(text).toMatch(/<system-out>.*warn LastRetryKilled: spec.backoffLimit: is so/);
  });

  it("has a test case for a Job with nothing to say about", () => {
    expect(reportOf("junit", resultOf("a.yaml", []), style)).toContain(
      '    <testcase name="Job default/j" classname="a.yaml" time="0"/>\n',
    );
  });
});

describe("GitHub", () => {
  it("has a command a finding, on one line each", () => {
    const lines = reportOf("github", resultOf("a,b:c.yaml", ["deny", "warn"]), style)
      .trimEnd()
      .split("\n");
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatch(/^::error file=a%2Cb%3Ac\.yaml,line=4,col=9,title=LastRetryKilled::is so a<b>.*%25%0A/);
    expect(lines[1]).toMatch(/^::warning file=.*::spec\.backoffLimit: is so .*%0Afix: do /);
  });
});

describe("JSON", () => {
  it("has one object, on one line", () => {
    const text = reportOf("json", { ...resultOf("a.yaml", ["deny", "warn"]), left: 2 }, style);
    expect(text.indexOf("\n")).toBe(text.length - 1);
    expect(JSON.parse(text)).toMatchObject({
      kind: "LintReport",
      version: 1,
      findings: [
        { file: "a.yaml", line: 4, column: 9, kind: "Job", namespace: "default", name: "j", severity: "deny" },
        { code: "LastRetryKilled", field: "spec.backoffLimit", numbers: { backoffLimit: 1 } },
      ],
      left: 2,
      unread: [],
    });
  });

  it("has what could not be read", () => {
    const unread = [{ position: { file: "b.yaml", line: 2, column: 1 }, message: "this is not YAML" }];
    expect(JSON.parse(reportOf("json", { ...resultOf("a.yaml", []), unread }, style)).unread).toEqual([
      { file: "b.yaml", line: 2, column: 1, message: "this is not YAML" },
    ]);
  });
});

it("every form says how many findings were left out, or has them all", () => {
  const result = { ...resultOf("a.yaml", ["warn"]), left: 3 };
  expect(reportOf("text", result, style)).toContain("… and 3 more\n");
  for (const format of LINT_FORMATS) expect(reportOf(format, result, style)).not.toBe("");
});
