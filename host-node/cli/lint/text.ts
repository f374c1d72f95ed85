/** Findings for people: place, severity, code and sentence; the line with a mark below it; what to do. */
import { counted } from "../output/counted.ts";
import { printable } from "../output/printable.ts";
import type { Style } from "../output/style.ts";
import type { Finding, Severity } from "./finding.ts";
import type { LintResult } from "./report.ts";

/** Of a longer line only the part around the mark is shown. */
const MAX_SHOWN_CHARACTERS = 100;

export function textReport(result: LintResult, style: Style): string {
  const { findings, left } = result;
  const shown = findings.map((finding) => `${findingText(finding, style)}\n`).join("");
  const more = left === 0 ? "" : `… and ${left} more\n`;
  const summary = summaryOf(result);
  return `${shown}${more}${summary === "" ? "" : `${summary}\n`}`;
}

function findingText({ position, line, code, severity, field, sentence, fix }: Finding, style: Style): string {
  const paint = severity === "warn" ? style.yellow : style.red;
  const { file, line: number, column } = position;
  const place = style.bold(printable(`${file}:${number}:${column}:`));
  const about = severity === "error" && field !== "" ? `${field}: ` : "";
  const from = Math.max(0, column - 1 - MAX_SHOWN_CHARACTERS / 2);
  const part = line.slice(from, from + MAX_SHOWN_CHARACTERS);
  const before = part.slice(0, column - 1 - from).replace(/[^\t]/g, " ");
  const margin = " ".repeat(String(number).length);
  return [
    `${place} ${paint(severity)} ${code}: ${printable(`${about}${sentence}`)}`,
    `${style.dim(`  ${number} │`)} ${printable(part)}`,
    `${style.dim(`  ${margin} │`)} ${before}${paint("^")}`,
    ...(fix === "" ? [] : [`  fix: ${printable(fix)}`]),
  ].join("\n");
}

/** Empty: there is nothing to say, and it is not known whether there would be. */
function summaryOf({ findings, left, targets, passedOver, isWhole }: LintResult): string {
  const count = (severity: Severity): number => findings.filter((finding) => finding.severity === severity).length;
  const amounts = [
    [count("error"), "error"],
    [count("deny"), "denial"],
    [count("warn"), "warning"],
  ] as const;
  const parts = amounts.filter(([amount]) => amount > 0).map(([amount, what]) => counted(amount, what));
  const isSilent = findings.length + left === 0;
  if (isSilent && !isWhole) return "";
  const jobs = targets.length === 0 ? "there is no Job" : counted(targets.length, "Job");
  const others = passedOver === "" ? "" : `; passed over: ${passedOver}`;
  return `${isSilent ? "nothing to say" : parts.join(", ")}: ${jobs}${others}`;
}
