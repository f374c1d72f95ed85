/** What `stint upgrade-check` finds: a Job, wherever it comes from, and a change of Kubernetes that concerns it. */
import type { Position } from "../../../cluster/manifests/diagnostic.ts";
import type { JobInObject } from "../../manifests/job-in.ts";
import type { Change } from "./changes.ts";
import { document } from "../../words/document.ts";

/** A Job, or the one that a CronJob makes. */
export interface CheckedJob extends JobInObject {
  readonly kind: string;
  readonly namespace: string;
  readonly name: string;
  /** In a manifest, the place of a field's name; undefined: the Job comes from a cluster. */
  positionOf(field: string): Position | undefined;
}

export interface Finding {
  readonly job: CheckedJob;
  readonly change: Change;
  /** The paths in the object by which the change concerns it; at least one. */
  readonly fields: readonly string[];
}

/** In the order of the Jobs, and for each in that of the changes: the earliest version first. */
export function findingsOf(jobs: readonly CheckedJob[], changes: readonly Change[]): Finding[] {
  return jobs.flatMap((job) =>
    changes.flatMap((change) => {
      const fields = change.concerns(job.job).map(({ path }) => job.fieldOf(path));
      return fields.length === 0 ? [] : [{ job, change, fields }];
    }),
  );
}

export function pageOf({ id }: Change): string {
  return document(`docs/upgrade-check.md#${id}`);
}
