/**
 * The condition of a Job that a test waits for: whether it has come, and whether it still can.
 *
 * Invariant: a version of the Job that was there for no time, as with ttlSecondsAfterFinished 0, is seen too. Leaves
 * out what only a client could change: a suspended Job may be resumed.
 */
import { JOBS, resourcePath } from "../../cluster/client/client.ts";
import type { Cluster } from "../../cluster/cluster.ts";
import { endOf, trueCondition } from "../../cluster/values/job-conditions.ts";
import type { ClusterApi } from "./cluster-api.ts";
import { ControlError } from "./control-error.ts";
import { findJob, jobName, type ObjectName, qualified } from "./targets.ts";
import type { Job } from "../../cluster/values/kinds.ts";

/** The conditions that a Job controller sets. */
export const JOB_CONDITIONS = ["Complete", "Failed", "Suspended", "FailureTarget", "SuccessCriteriaMet"] as const;
export type JobConditionType = (typeof JOB_CONDITIONS)[number];

/** By an interim condition, which decides the end of the Job: the conditions that can still come. */
const LEADS_TO = {
  FailureTarget: ["FailureTarget", "Failed"],
  SuccessCriteriaMet: ["SuccessCriteriaMet", "Complete"],
} as const satisfies Readonly<Record<string, readonly JobConditionType[]>>;

export class AwaitedCondition {
  readonly #api: ClusterApi;
  readonly #name: ObjectName;
  readonly #type: JobConditionType;
  readonly #stopObserving: () => void;
  /** Undefined: it has not existed yet. */
  #last: Job | undefined;
  #isReached = false;

  /** @throws ControlError 400 for a condition that Jobs do not have */
  constructor(api: ClusterApi, cluster: Cluster, wanted: { readonly job: string; readonly condition: string }) {
    this.#api = api;
    this.#name = jobName(wanted.job);
    this.#type = conditionType(wanted.condition);
    const job = this.#find();
    if (job !== undefined) this.#look(job);
    this.#stopObserving = cluster.observe((write) => {
      if (write.resource !== JOBS.plural) return;
      const { namespace, name } = write.object.metadata;
      if (namespace === this.#name.namespace && name === this.#name.name) this.#look(write.object as Job);
    });
  }

  /** The Job has the condition now, or had it since the wait began. */
  get isReached(): boolean {
    return this.#isReached;
  }

  /** For a person: `Complete of the Job pi`. */
  get text(): string {
    return `${this.#type} of the Job ${qualified(this.#name)}`;
  }

  /**
   * Why the condition can no longer come; undefined: it can. @param whyOf why an existing Job is in its state, as lines
   * @throws ControlError 404 when the Job does not exist and has not existed since the wait began
   */
  missed(whyOf: (job: string) => string): ControlError | undefined {
    const job = this.#find();
    const fate = fateOf(job ?? this.#last ?? findJob(this.#api, this.#name), this.#type);
    const name = qualified(this.#name);
    if (job === undefined) {
      const was = fate === undefined ? "" : ` (it was ${fate})`;
      return new ControlError(404, `the Job ${name} was deleted${was}, so ${this.#type} cannot come`);
    }
    if (fate === undefined) return undefined;
    const why = whyOf(`${this.#name.namespace}/job/${this.#name.name}`);
    return new ControlError(409, `the Job ${name} is ${fate}, so ${this.#type} cannot come\n${why}`);
  }

  /** Call it when the wait is over. */
  stop(): void {
    this.#stopObserving();
  }

  #find(): Job | undefined {
    return this.#api.find(resourcePath(JOBS, this.#name.namespace, this.#name.name));
  }

  #look(job: Job): void {
    this.#last = job;
    this.#isReached ||= trueCondition(job, this.#type) !== undefined;
  }
}

/** The condition that excludes the wanted one: `Failed (BackoffLimitExceeded)`. Undefined: none so far. */
function fateOf(job: Job, wanted: JobConditionType): string | undefined {
  const end = endOf(job);
  if (end !== undefined) return `${end.type}${end.reason === undefined ? "" : ` (${end.reason})`}`;
  for (const [interim, possible] of Object.entries(LEADS_TO)) {
    const condition = trueCondition(job, interim);
    if (condition === undefined || (possible as readonly string[]).includes(wanted)) continue;
    return `about to end: it has ${interim}${condition.reason === undefined ? "" : ` (${condition.reason})`}`;
  }
  return undefined;
}

/** @throws ControlError 400 */
function conditionType(text: unknown): JobConditionType {
  const found = JOB_CONDITIONS.find((type) => type === text);
  if (found !== undefined) return found;
  throw new ControlError(
    400,
    `the condition is ${JSON.stringify(text)}; allowed are those of a Job: ${JOB_CONDITIONS.join(", ")}`,
  );
}
