/**
 * Findings for people: place, severity, code and sentence; the line with a mark below it; what to do. Many warnings of
 * one rule are one, unless all are asked for.
 */
import { counted } from "../../words/counted.ts";
import { grouped } from "../output/grouped.ts";
import { printable } from "../../words/printable.ts";
import type { Style } from "../../words/style.ts";
import type { Finding, Severity } from "../../lint/finding.ts";
import type { LintResult } from "./result.ts";

/** Of a longer line only the part around the mark is shown. */
const MAX_SHOWN_CHARACTERS = 100;
/** The width of the text before a line: indent, number, frame. */
const MARGIN = "  1234 │ ".length;

export function textReport(result: LintResult, style: Style): string {
  const { findings, left, columns, isVerbose } = result;
  const { single, groups } = isVerbose
    ? { single: findings, groups: [] }
    : grouped(findings, ({ code, severity }) => (severity === "error" ? undefined : code));
  const width = Math.min(MAX_SHOWN_CHARACTERS, columns - MARGIN);
  const shown = [
    ...single.map((finding) => `${findingText(finding, width, style)}\n`),
    ...groups.map((group) => `${groupText(group, style)}\n`),
  ].join("");
  const more = left === 0 ? "" : `… and ${left} more\n`;
  const summary = summaryOf(result);
  return `${shown}${more}${summary === "" ? "" : `${summary}\n`}`;
}

/** `warn NoTimeToLive: 24 Jobs (first: job.yaml:5:1); --verbose lists them`, and the text of the first. */
function groupText(group: readonly Finding[], style: Style): string {
  const { position, code, severity, sentence, fix } = group[0]!;
  const { file, line, column } = position;
  const jobs = counted(new Set(group.map(({ target }) => target)).size, "Job");
  const first = printable(`${file}:${line}:${column}`);
  return [
    `${paintOf(severity, style)(severity)} ${code}: ${style.bold(jobs)} (first: ${first}); --verbose lists them`,
    `  ${printable(sentence)}`,
    ...(fix === "" ? [] : [`  fix: ${printable(fix)}`]),
  ].join("\n");
}

function paintOf(severity: Severity, style: Style): (text: string) => string {
  return severity === "warn" ? style.yellow : style.red;
}

/** @param width characters of the line that are shown */
function findingText(finding: Finding, width: number, style: Style): string {
  const { position, line, code, severity, field, sentence, fix } = finding;
  const paint = paintOf(severity, style);
  const { file, line: number, column } = position;
  const place = style.bold(printable(`${file}:${number}:${column}:`));
  const about = severity === "error" && field !== "" ? `${field}: ` : "";
  const from = Math.max(0, column - 1 - Math.floor(width / 2));
  const part = line.slice(from, from + width);
  const before = part.slice(0, column - 1 - from).replace(/[^\t]/g, " ");
  const margin = " ".repeat(String(number).length);
  return [
    `${place} ${paint(severity)} ${code}: ${printable(`${about}${sentence}`)}`,
    `${style.dim(`  ${number} │`)} ${printable(part)}`,
    `${style.dim(`  ${margin} │`)} ${before}${paint("^")}`,
    ...(fix === "" ? [] : [`  fix: ${printable(fix)}`]),
  ].join("\n");
}

/** Empty: there are no findings, and the files were not read completely. */
function summaryOf({ findings, left, targets, passedOver, unread }: LintResult): string {
  const count = (severity: Severity): number => findings.filter((finding) => finding.severity === severity).length;
  const amounts = [
    [count("error"), "error"],
    [count("deny"), "denial"],
    [count("warn"), "warning"],
  ] as const;
  const parts = amounts.filter(([amount]) => amount > 0).map(([amount, what]) => counted(amount, what));
  const isSilent = findings.length + left === 0;
  if (isSilent && unread.length > 0) return "";
  const jobs = targets.length === 0 ? "there is no Job" : counted(targets.length, "Job");
  const others = passedOver === "" ? "" : `; passed over: ${passedOver}`;
  return `${isSilent ? "nothing to say" : parts.join(", ")}: ${jobs}${others}`;
}
