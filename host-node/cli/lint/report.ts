/** The forms in which `stint lint` tells what it has found. Each is a pure function. */
import type { Style } from "../output/style.ts";
import { githubReport } from "./github.ts";
import type { Finding, Severity } from "./finding.ts";
import { junitReport } from "./junit.ts";
import { sarifReport } from "./sarif.ts";
import type { LintTarget } from "./targets.ts";
import { textReport } from "./text.ts";

export const LINT_FORMATS = ["text", "json", "sarif", "junit", "github"] as const;
export type LintFormat = (typeof LINT_FORMATS)[number];

export interface LintResult {
  /** In the order of the files. */
  readonly findings: readonly Finding[];
  /** Every Job that was looked at. */
  readonly targets: readonly LintTarget[];
  /** Findings that were left out, because there are too many. */
  readonly left: number;
  /** Objects of other kinds, counted: `2 Deployments, 1 Service`. */
  readonly passedOver: string;
  /** Whether all of the input could be read. */
  readonly isWhole: boolean;
  /** Width of the terminal; Infinity: there is none. */
  readonly columns: number;
  /** Text has each finding, however many are alike. */
  readonly isVerbose: boolean;
  /** Whether this severity makes the exit status 1. */
  isFailure(severity: Severity): boolean;
  readonly version: string;
}

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

/** One JSON object a line. */
function jsonReport({ findings }: LintResult): string {
  return findings
    .map(({ position, target, code, severity, field, sentence, fix, numbers }) => {
      const { kind, namespace, name } = target;
      return `${JSON.stringify({ ...position, kind, namespace, name, code, severity, field, sentence, fix, numbers })}\n`;
    })
    .join("");
}
