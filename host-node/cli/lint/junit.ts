/**
 * Findings as JUnit XML, which CI servers show: a suite a file, a test case a Job. What does not make the exit status 1
 * is output of the test case. Invariant: any text of a manifest gives well-formed XML.
 */
import { xml } from "../output/xml.ts";
import { type Finding, sayingOf } from "../../lint/finding.ts";
import type { LintResult } from "./result.ts";
import type { LintTarget } from "../../lint/targets.ts";

export function junitReport({ findings, targets, isFailure }: LintResult): string {
  const found = Map.groupBy(findings, ({ target }) => target);
  const failures = (of: readonly LintTarget[]): number =>
    of.filter((target) => found.get(target)?.some(({ severity }) => isFailure(severity))).length;
  const suites = [...Map.groupBy(targets, fileOf)].flatMap(([file, jobs]) => [
    `  <testsuite name="${xml(file)}" tests="${jobs.length}" failures="${failures(jobs)}" errors="0">`,
    ...jobs.flatMap((target) => caseOf(target, found.get(target) ?? [], isFailure)),
    "  </testsuite>",
  ]);
  return [
    '<?xml version="1.0" encoding="UTF-8"?>',
    `<testsuites tests="${targets.length}" failures="${failures(targets)}" errors="0">`,
    ...suites,
    "</testsuites>",
    "",
  ].join("\n");
}

function caseOf(target: LintTarget, findings: readonly Finding[], isFailure: LintResult["isFailure"]): string[] {
  const name = `${target.kind} ${target.namespace}/${target.name}`;
  const head = `    <testcase name="${xml(name)}" classname="${xml(fileOf(target))}" time="0"`;
  if (findings.length === 0) return [`${head}/>`];
  const failures = findings.filter(({ severity }) => isFailure(severity));
  const others = findings.filter(({ severity }) => !isFailure(severity));
  return [
    `${head}>`,
    ...failures.map(
      (finding) =>
        `      <failure type="${xml(finding.code)}" message="${xml(finding.sentence)}">${xml(whole(finding))}</failure>`,
    ),
    ...(others.length === 0 ? [] : [`      <system-out>${xml(others.map(whole).join("\n"))}</system-out>`]),
    "    </testcase>",
  ];
}

function whole(finding: Finding): string {
  const { position, severity, code, fix } = finding;
  const { file, line, column } = position;
  return `${file}:${line}:${column}: ${severity} ${code}: ${sayingOf(finding)}${fix === "" ? "" : `; fix: ${fix}`}`;
}

function fileOf({ manifest }: LintTarget): string {
  return manifest.valueAt("").file;
}
