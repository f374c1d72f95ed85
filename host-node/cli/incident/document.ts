/** What `stint incident` prints, as documents. */
import type { Account } from "../../../bindings/js/engine.ts";
import type { Document } from "../json/document.ts";
import type { CronJobAccount } from "../why/cron-job.ts";

/** An incident: a Job or CronJob that does not do what its author wants, and what would help. */
export interface IncidentSummary {
  readonly name: string;
  /** The part of the list that it belongs to. */
  readonly group: string;
  readonly title: string;
  readonly story: string;
  /** The code of the cause. */
  readonly cause: string;
  /** Who says the code: account, verdict, explain, why, pods, event, lint, refusal. */
  readonly by: string;
  /** What is at fault: `container main`, `field spec.suspend`. */
  readonly object: string;
  /** What helps. */
  readonly remedy: string;
}

/** All incidents that come with the command. */
export interface IncidentList extends Document<"IncidentList"> {
  readonly incidents: readonly IncidentSummary[];
}

/** An incident that was played to its end. */
export interface IncidentReport extends Document<"IncidentReport">, IncidentSummary {
  /** Its Jobs have completed. */
  readonly isComplete: boolean;
  /** What the API server has refused. */
  readonly refusals: readonly string[];
  /** What `stint why` says of its Job, as text; empty: the Job is gone. */
  readonly why: string;
  /** What `stint why` says of its CronJob. */
  readonly cronJob?: CronJobAccount | undefined;
  readonly attempts?: Account["attempts"] | undefined;
  readonly holds?: Account["holds"] | undefined;
}

/** The cluster of an incident is served; the line of `--serve`. */
export interface IncidentServing {
  readonly type: "serving";
  readonly incident: string;
  /** Its address. */
  readonly server: string;
  /** The file for kubectl. */
  readonly kubeconfig: string;
}
