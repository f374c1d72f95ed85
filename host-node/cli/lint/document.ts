/** What `stint lint` has found, as a document. */
import { type Document, head } from "../json/document.ts";
import { type Mistake, mistakesOf } from "../json/mistake.ts";
import type { LintResult } from "./result.ts";

export interface LintReport extends Document<"LintReport"> {
  /** In the order of the files. */
  readonly findings: readonly LintFinding[];
  /** Findings that were left out, because there are too many. */
  readonly left: number;
  /** How many Jobs and CronJobs were checked. */
  readonly jobs: number;
  /** Objects of other kinds, counted: `2 Deployments, 1 Service`; empty: there are none. */
  readonly passedOver: string;
  /** What could not be read of the input; then the exit status is 2. */
  readonly unread: readonly Mistake[];
}

/** One thing that is wrong with a Job of a manifest. */
export interface LintFinding {
  readonly file: string;
  readonly line: number;
  readonly column: number;
  /** The kind of the object: Job or CronJob. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** `Refused`, or the code of a rule. `stint explain CODE` says what it means. */
  readonly code: string;
  /** `error`: the API server would refuse the Job. */
  readonly severity: "error" | "deny" | "warn";
  /** The path in the object; empty: the whole object. */
  readonly field: string;
  readonly sentence: string;
  /** Empty: the sentence says what is allowed. */
  readonly fix: string;
  /** The numbers of the sentence. */
  readonly numbers: Readonly<Record<string, number>>;
}

export function lintReport({ findings, left, targets, passedOver, unread }: LintResult): LintReport {
  const told = findings.map(({ position, target, code, severity, field, sentence, fix, numbers }) => {
    const { file, line, column } = position;
    const { kind, namespace, name } = target;
    return { file, line, column, kind, namespace, name, code, severity, field, sentence, fix, numbers };
  });
  return { ...head("LintReport"), findings: told, left, jobs: targets.length, passedOver, unread: mistakesOf(unread) };
}
