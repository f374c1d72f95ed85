/** What `stint upgrade-check` has found, as a document. */
import { SINCE } from "../../../cluster/values/kubernetes-changes.ts";
import { isReleased } from "../../../cluster/values/kubernetes-versions.ts";
import { type Document, head } from "../json/document.ts";
import { type Mistake, mistakesOf } from "../json/mistake.ts";
import { type Finding, pageOf } from "./finding.ts";
import type { UpgradeResult } from "./result.ts";

export interface UpgradeReport extends Document<"UpgradeReport"> {
  /** The versions of Kubernetes: `1.36`. */
  readonly from: string;
  readonly to: string;
  /** In the order of the Jobs, and for each the earliest version first. */
  readonly findings: readonly UpgradeFinding[];
  /** Findings that were left out, because there are too many. */
  readonly left: number;
  /** How many Jobs and CronJobs were looked at. */
  readonly jobs: number;
  /** Objects of other kinds, counted: `2 Deployments, 1 Service`; empty: there are none. */
  readonly passedOver: string;
  /** What could not be read of the input; then the exit status is 2. */
  readonly unread: readonly Mistake[];
}

/** A Job, and a change of Kubernetes that concerns it. */
export interface UpgradeFinding {
  /** The place of the first field; absent: the Job is of a cluster. */
  readonly file?: string;
  readonly line?: number;
  readonly column?: number;
  /** The kind of the object: Job or CronJob. */
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** The id of the change, as docs/upgrade-check.md has it. */
  readonly change: string;
  /** The version of Kubernetes that brings it. */
  readonly since: string;
  /** The paths in the object by which it concerns the Job. */
  readonly fields: readonly string[];
  readonly before: string;
  readonly after: string;
  /** That version is not released: the change is read in its sources. */
  readonly beta?: true;
  /** Where it is explained. */
  readonly page: string;
}

export function upgradeReport({ from, to, findings, left, jobs, passedOver, unread }: UpgradeResult): UpgradeReport {
  const told = findings.map(upgradeFinding);
  return { ...head("UpgradeReport"), from, to, findings: told, left, jobs, passedOver, unread: mistakesOf(unread) };
}

function upgradeFinding({ job, change, fields }: Finding): UpgradeFinding {
  const { kind, namespace, name } = job;
  const { id, before, after } = change;
  const since = SINCE[id];
  const beta = isReleased(since) ? {} : { beta: true as const };
  const place = job.positionOf(fields[0]!);
  return { ...place, kind, namespace, name, change: id, since, fields, before, after, ...beta, page: pageOf(change) };
}
