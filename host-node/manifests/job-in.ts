/** The Job that an object is or makes, and what the object says about its surroundings. Leaves out other objects. */
import type { LintQuestion } from "../../bindings/js/engine.ts";
import { isObject } from "../../cluster/values/json.ts";
import { scheduleFacts } from "../../cluster/cron/schedule-facts.ts";

export type LintContext = NonNullable<LintQuestion["context"]>;
/** An object without checked types. */
export type Loose = Readonly<Record<string, any>>;

const TEMPLATE = "spec.jobTemplate.";
const OF_CRON_JOB = "context.cronJob.";

export interface JobInObject {
  /** The Job, as far as it is known: that of a CronJob has no name yet. */
  readonly job: Loose;
  /** What the object says about its surroundings. */
  readonly context: LintContext;
  /** The path in the object of a field of the Job, or of `context.`. */
  fieldOf(path: string): string;
}

/** Undefined: it is neither a Job nor a CronJob. */
export function jobIn(object: Loose, namespace: string): JobInObject | undefined {
  if (!String(object["apiVersion"]).startsWith("batch/")) return undefined;
  if (object["kind"] === "Job") return { job: object, context: {}, fieldOf: (path) => path };
  return object["kind"] === "CronJob" ? ofCronJob(object, namespace) : undefined;
}

function ofCronJob(cronJob: Loose, namespace: string): JobInObject {
  const { metadata, ...rest } = objectIn(objectIn(cronJob["spec"])["jobTemplate"]);
  return {
    job: { ...rest, apiVersion: "batch/v1", kind: "Job", metadata: { ...objectIn(metadata), namespace } },
    context: aroundOf(cronJob),
    fieldOf: (path) => (path.startsWith(OF_CRON_JOB) ? path.slice(OF_CRON_JOB.length) : `${TEMPLATE}${path}`),
  };
}

/** The relevant fields of a CronJob, if they have the right type: the API server refuses others. */
function aroundOf(cronJob: Loose): LintContext {
  const { name } = objectIn(cronJob["metadata"]);
  const spec = objectIn(cronJob["spec"]);
  const isRight = ([field, isOfType]: readonly [string, (value: unknown) => boolean]): boolean => isOfType(spec[field]);
  return {
    cronJob: {
      ...(typeof name === "string" ? { metadata: { name } } : {}),
      spec: Object.fromEntries(CRON_JOB_FIELDS.filter(isRight).map(([field]) => [field, spec[field]])),
    },
    schedule: scheduleFacts(spec["schedule"], spec["timeZone"], Date.now()),
  };
}

const isText = (value: unknown): boolean => typeof value === "string";
const CRON_JOB_FIELDS = [
  ["concurrencyPolicy", isText],
  ["failedJobsHistoryLimit", Number.isInteger],
  ["schedule", isText],
  ["startingDeadlineSeconds", Number.isInteger],
] as const;

/** The value, if it is an object; else an empty one. */
export function objectIn(value: unknown): Loose {
  return isObject(value) ? value : {};
}
