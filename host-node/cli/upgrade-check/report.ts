/** The forms in which `stint upgrade-check` reports its findings. Each is a pure function. */
import { counted } from "../../words/counted.ts";
import { githubCommand } from "../output/github-command.ts";
import { grouped } from "../output/grouped.ts";
import { printable } from "../../words/printable.ts";
import type { Style } from "../../words/style.ts";
import { documentLine } from "../json/document.ts";
import type { Change } from "./changes.ts";
import { upgradeReport } from "./document.ts";
import { type Finding, pageOf } from "./finding.ts";
import type { UpgradeResult } from "./result.ts";
import { SINCE } from "../../../cluster/values/kubernetes-changes.ts";
import { isReleased } from "../../../cluster/values/kubernetes-versions.ts";

export const UPGRADE_FORMATS = ["text", "json", "github"] as const;
export type UpgradeFormat = (typeof UPGRADE_FORMATS)[number];

const REPORTS: Readonly<Record<UpgradeFormat, (result: UpgradeResult, style: Style) => string>> = {
  text: textReport,
  json: jsonReport,
  github: githubReport,
};

export function reportOf(format: UpgradeFormat, result: UpgradeResult, style: Style): string {
  return REPORTS[format](result, style);
}

function textReport(result: UpgradeResult, style: Style): string {
  const { findings, left, jobs, from, to, passedOver, unread, isVerbose } = result;
  const { single, groups } = isVerbose
    ? { single: findings, groups: [] }
    : grouped(findings, ({ change }) => change.id);
  const shown = [
    ...single.map((finding) => `${findingText(finding, style)}\n`),
    ...groups.map((group) => `${groupText(group, style)}\n`),
  ].join("");
  const more = left === 0 ? "" : `… and ${left} more\n`;
  const concerned = new Set(findings.map(({ job }) => job)).size;
  const looked = jobs === 0 ? "there is no Job" : counted(jobs, "Job");
  const summary =
    concerned === 0
      ? `nothing changes from ${from} to ${to}: ${looked}`
      : `${concerned} of ${looked} ${concerned === 1 ? "behaves" : "behave"} differently on ${to} than on ${from}`;
  const others = passedOver === "" ? "" : `; passed over: ${passedOver}`;
  return concerned === 0 && unread.length > 0 ? "" : `${shown}${more}${summary}${others}\n`;
}

function findingText(finding: Finding, style: Style): string {
  const { change, fields } = finding;
  return [
    `${style.bold(printable(`${subjectOf(finding)}:`))} ${style.yellow(change.id)}`,
    `  ${printable(fields.join(", "))}`,
    ...changeLines(change),
  ].join("\n");
}

/** Facts that many Jobs share are printed once. */
function groupText(group: readonly Finding[], style: Style): string {
  const { change } = group[0]!;
  const first = printable(subjectOf(group[0]!));
  return [
    `${style.bold(counted(group.length, "Job"))}: ${style.yellow(change.id)} (first: ${first}); --verbose lists them`,
    ...changeLines(change),
  ].join("\n");
}

function subjectOf(finding: Finding): string {
  const { kind, namespace, name } = finding.job;
  return `${placeOf(finding)}${kind} ${namespace}/${name}`;
}

function changeLines(change: Change): string[] {
  return [...beforeAndAfter(change), pageOf(change)].map((line) => `  ${line}`);
}

function beforeAndAfter({ id, before, after }: Change): string[] {
  const since = SINCE[id];
  const asRead = isReleased(since) ? "" : " (beta: read, not run)";
  return [`before ${since}: ${before}`, `since ${since}${asRead}: ${after}`];
}

/** `job.yaml:8:5: ` of the first field; empty for a Job of a cluster. */
function placeOf({ job, fields }: Finding): string {
  const position = job.positionOf(fields[0]!);
  return position === undefined ? "" : `${position.file}:${position.line}:${position.column}: `;
}

function jsonReport(result: UpgradeResult): string {
  return documentLine(upgradeReport(result));
}

function githubReport({ findings }: UpgradeResult): string {
  return findings
    .map(({ job, change, fields }) => {
      const { file, line, column } = job.positionOf(fields[0]!) ?? {};
      const about = `${job.kind} ${job.namespace}/${job.name}, ${fields.join(", ")}`;
      const message = [about, ...beforeAndAfter(change), pageOf(change)].join("\n");
      return githubCommand("warning", { file, line, col: column, title: change.id }, message);
    })
    .join("");
}
