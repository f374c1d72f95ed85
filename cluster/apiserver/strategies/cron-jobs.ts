/**
 * The rules of CronJobs. The template of their Jobs goes through admission as a Job would, without what only a Job
 * gets: a selector, the labels that it needs, and the defaults of a Job's own fields. Source:
 * pkg/registry/batch/cronjob, pkg/apis/batch/validation.
 */
import { parseSchedule } from "../../cron/schedule.ts";
import { loadZone } from "../../cron/zone.ts";
import type { CronJob, CronJobSpec, JobSpec, JobTemplateSpec } from "../../values/kinds.ts";
import { type PartReview, reviewPart } from "../verbs/admission.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { labelErrors, subdomainErrors } from "../../values/names.ts";
import type { FieldError, StatusCause, Violation } from "../contract/status-errors.ts";
import { withoutDroppedJobFields } from "./dropped-fields.ts";
import type { Values } from "./field-errors.ts";
import { schedulingGroupErrors, warnOfDroppedGroup } from "./gang.ts";
import { isDeclared, templateSchedulingErrors } from "./job-scheduling.ts";
import { withoutEmptyRules } from "./small-kinds.ts";

/** The controller adds a dash and ten digits, and the name of a Job must fit into a label. */
const MAX_NAME_LENGTH = 63 - 11;
const POLICIES: Values = ["Allow", "Forbid", "Replace"];
const NON_NEGATIVE = "must be greater than or equal to 0";
/** A valid name: that of the Job under review does not matter for the CronJob. */
const ANY_NAME = "x";
/** Placeholder: for a Job without a uid, admission only sets the defaults. */
const ANY_UID = "00000000-0000-0000-0000-000000000000";
const TEMPLATE = "spec.jobTemplate.spec";
const ZONE_PART = /^[A-Za-z.\-_0-9+]{1,14}$/;

export const cronJobStrategy: Strategy<CronJob> = {
  prepareCreate: (cronJob, request) => ({
    ...withDefaults(withKnownFields(cronJob, undefined, request)),
    status: {},
  }),
  completeCreate: (cronJob, request) => withTemplateDefaults(cronJob, undefined, request),
  prepareUpdate: (cronJob, current, request) =>
    withTemplateDefaults(withDefaults(withKnownFields(cronJob, current, request)), current, request),
  validate(cronJob, current, request) {
    if (request.subresource) return [];
    const errors = specErrors(cronJob.spec, current?.spec, request);
    const { name } = cronJob.metadata;
    if (current === undefined && name?.length > MAX_NAME_LENGTH)
      errors.push(invalid("metadata.name", name, `must be no more than ${MAX_NAME_LENGTH} characters`));
    if (name && current === undefined && errors.length === 0) warnAboutName(name, request);
    return errors;
  },
};

function withKnownFields(cronJob: CronJob, current: CronJob | undefined, request: ResourceRequest): CronJob {
  const { jobTemplate } = cronJob.spec;
  warnOfDroppedGroup(jobTemplate.spec.template.spec, `${TEMPLATE}.template.spec`, request);
  const spec = withoutDroppedJobFields(jobTemplate.spec, current?.spec.jobTemplate.spec, request.server);
  if (spec === jobTemplate.spec) return cronJob;
  return { ...cronJob, spec: { ...cronJob.spec, jobTemplate: { ...jobTemplate, spec } } };
}

/** A name that is invalid anyway gets an error instead. */
function warnAboutName(name: string, { warnings }: ResourceRequest): void {
  const complaints = labelErrors(name);
  if (complaints.length === 0 || subdomainErrors(name).length > 0) return;
  warnings.add(
    `metadata.name: this is used in Pod names and hostnames, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(" ")}]`,
  );
}

function withDefaults(cronJob: CronJob): CronJob {
  const { spec } = cronJob;
  return {
    ...cronJob,
    spec: {
      ...spec,
      concurrencyPolicy: spec.concurrencyPolicy || "Allow",
      suspend: spec.suspend ?? false,
      successfulJobsHistoryLimit: spec.successfulJobsHistoryLimit ?? 3,
      failedJobsHistoryLimit: spec.failedJobsHistoryLimit ?? 1,
    },
  };
}

type Amount = "failedJobsHistoryLimit" | "startingDeadlineSeconds" | "successfulJobsHistoryLimit";

/** The Job of a template, as admission gets it. Its selector is validated here. */
function reviewTemplate(
  { spec }: JobTemplateSpec,
  { server, namespace }: ResourceRequest,
): PartReview<{ spec: JobSpec }> {
  const { selector: _selector, manualSelector: _manual, ...jobSpec } = spec;
  const metadata = { name: ANY_NAME, namespace, uid: ANY_UID };
  const job = { kind: "Job", apiVersion: "batch/v1", metadata, spec: jobSpec };
  return reviewPart(job, server.definition("batch", "jobs"), server);
}

/** Defaults of the pods, and of the conditions of a pod failure policy; and warnings, if the spec has changed. */
function withTemplateDefaults(cronJob: CronJob, current: CronJob | undefined, request: ResourceRequest): CronJob {
  const { spec } = cronJob;
  const given = spec.jobTemplate.spec;
  const { object: job, warnings } = reviewTemplate(spec.jobTemplate, request);
  if (!deepEqual(spec, current?.spec))
    for (const warning of warnings) request.warnings.add(warning.replace(/^spec\./, "spec.jobTemplate.spec."));
  const template = { ...job.spec.template, metadata: given.template.metadata };
  const { podFailurePolicy } = job.spec;
  const jobSpec = withoutEmptyRules({ ...given, template, ...(podFailurePolicy && { podFailurePolicy }) });
  return { ...cronJob, spec: { ...spec, jobTemplate: { ...spec.jobTemplate, spec: jobSpec } } };
}

function specErrors(spec: CronJobSpec, current: CronJobSpec | undefined, request: ResourceRequest): Violation[] {
  const policy = spec.concurrencyPolicy;
  const supported = `supported values: ${POLICIES.map((name) => `"${name}"`).join(", ")}`;
  const { declared, others } = causesOfTemplate(spec.jobTemplate, request);
  return [
    ...scheduleErrors(spec.schedule, spec.timeZone, current?.schedule ?? ""),
    ...negativeErrors(spec, "startingDeadlineSeconds"),
    ...(current !== undefined && current.timeZone === spec.timeZone ? [] : zoneErrors(spec.timeZone)),
    ...(POLICIES.includes(policy)
      ? []
      : [{ kind: "NotSupported", field: "spec.concurrencyPolicy", value: policy, detail: supported } as const]),
    ...others,
    ...schedulingGroupErrors(spec.jobTemplate.spec.template.spec, `${TEMPLATE}.template.spec`),
    ...selectorErrors(spec.jobTemplate.spec),
    ...negativeErrors(spec, "successfulJobsHistoryLimit"),
    ...negativeErrors(spec, "failedJobsHistoryLimit"),
    ...templateSchedulingErrors(spec.jobTemplate.spec, current?.jobTemplate.spec, request.server, declared),
  ];
}

function invalid(field: string, value: unknown, detail: string): FieldError {
  return { kind: "Invalid", field, value, detail };
}

function negativeErrors(spec: CronJobSpec, name: Amount): FieldError[] {
  return (spec[name] ?? 0) < 0 ? [invalid(`spec.${name}`, spec[name], NON_NEGATIVE)] : [];
}

/** @param before the replaced schedule; one with TZ in it may stay */
function scheduleErrors(schedule: string, timeZone: string | undefined, before: string): FieldError[] {
  const field = "spec.schedule";
  if (schedule === "") return [{ kind: "Required", field }];
  const errors: FieldError[] = [];
  try {
    parseSchedule(schedule);
  } catch (error) {
    errors.push(invalid(field, schedule, (error as Error).message));
  }
  if (!schedule.includes("TZ")) return errors;
  if (!before.includes("TZ"))
    errors.push(invalid(field, schedule, "cannot use TZ or CRON_TZ in schedule, use timeZone field instead"));
  else if (timeZone !== undefined)
    errors.push(invalid(field, schedule, "cannot use both timeZone field and TZ or CRON_TZ in schedule"));
  return errors;
}

function zoneErrors(timeZone: string | undefined): FieldError[] {
  const error = (detail: string): FieldError => invalid("spec.timeZone", timeZone, detail);
  if (timeZone === undefined) return [];
  if (timeZone === "") return [error("timeZone must be nil or non-empty string")];
  const isPart = (part: string): boolean =>
    part !== "." && part !== ".." && !part.startsWith("-") && ZONE_PART.test(part);
  if (!timeZone.split("/").every(isPart)) return [error(`unknown time zone ${timeZone}`)];
  const errors: FieldError[] = [];
  if (timeZone.toLowerCase() === "local")
    errors.push(error("timeZone must be an explicit time zone as defined in https://www.iana.org/time-zones"));
  // Go knows this one: it is that of the machine.
  if (timeZone === "Local") return errors;
  try {
    loadZone(timeZone);
  } catch (unknown) {
    errors.push(error((unknown as Error).message));
  }
  return errors;
}

/** What admission finds in the template, at the places where the CronJob has it. */
interface TemplateCauses {
  readonly declared: readonly StatusCause[];
  readonly others: readonly StatusCause[];
}

function causesOfTemplate(jobTemplate: JobTemplateSpec, request: ResourceRequest): TemplateCauses {
  const { causes } = reviewTemplate(jobTemplate, request);
  const moved = (cause: StatusCause): StatusCause => ({ ...cause, field: cause.field.replace(/^spec/, TEMPLATE) });
  return {
    declared: causes.filter(isDeclared).map(moved),
    others: causes.filter((cause) => !isDeclared(cause)).map(moved),
  };
}

function selectorErrors({ selector, manualSelector }: JobSpec): FieldError[] {
  const errors: FieldError[] = [];
  if (selector !== undefined)
    errors.push(invalid(`${TEMPLATE}.selector`, selector, "`selector` will be auto-generated"));
  if (manualSelector === true)
    errors.push({
      kind: "NotSupported",
      field: `${TEMPLATE}.manualSelector`,
      value: true,
      detail: 'supported values: "nil", "false"',
    });
  return errors;
}
