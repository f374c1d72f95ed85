/** What a lint of files has found, for every form in which it is shown. */
import type { Diagnostic } from "../../../cluster/manifests/diagnostic.ts";
import type { Finding, Severity } from "../../lint/finding.ts";
import type { LintTarget } from "../../lint/targets.ts";

export interface LintResult {
  /** In the order of the files. */
  readonly findings: readonly Finding[];
  /** Every Job that was checked. */
  readonly targets: readonly LintTarget[];
  /** Findings that were left out, because there are too many. */
  readonly left: number;
  /** Objects of other kinds, counted: `2 Deployments, 1 Service`. */
  readonly passedOver: string;
  /** What could not be read of the input. */
  readonly unread: readonly Diagnostic[];
  /** Width of the terminal; Infinity: there is none. */
  readonly columns: number;
  /** Text has each finding, however many are alike. */
  readonly isVerbose: boolean;
  /** Whether this severity makes the exit status 1. */
  isFailure(severity: Severity): boolean;
  readonly version: string;
}
