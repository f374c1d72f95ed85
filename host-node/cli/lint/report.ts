/** The forms in which `stint lint` reports its findings. Each is a pure function. */
import type { Style } from "../../words/style.ts";
import { documentLine } from "../json/document.ts";
import { lintReport } from "./document.ts";
import { githubReport } from "./github.ts";
import { junitReport } from "./junit.ts";
import type { LintResult } from "./result.ts";
import { sarifReport } from "./sarif.ts";
import { textReport } from "./text.ts";

export const LINT_FORMATS = ["text", "json", "sarif", "junit", "github"] as const;
export type LintFormat = (typeof LINT_FORMATS)[number];

const REPORTS: Readonly<Record<LintFormat, (result: LintResult, style: Style) => string>> = {
  text: textReport,
  json: jsonReport,
  sarif: sarifReport,
  junit: junitReport,
  github: githubReport,
};

export function reportOf(format: LintFormat, result: LintResult, style: Style): string {
  return REPORTS[format](result, style);
}

function jsonReport(result: LintResult): string {
  return documentLine(lintReport(result));
}
