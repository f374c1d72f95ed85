/**
 * What an update may not change of `spec.scheduling` of a Job, as far as admission does not check it: it checks Jobs
 * where gang scheduling is on, and sees the template of a CronJob as that of a new one. Source: the tags of
 * k8s.io/api/batch/v1, docs/spec/api.md 2.10.
 */
import type { JobSpec } from "../../values/kinds.ts";
import type { FieldError, StatusCause, Violation } from "../contract/status-errors.ts";
import { type Change, immutableErrors, isUnchanged, memberOf, presenceErrors } from "./declarative.ts";
import type { Gates } from "./dropped-fields.ts";
import { forbidden } from "./field-errors.ts";

type Scheduling = JobSpec["scheduling"];

const TEMPLATE_FIELD = "spec.jobTemplate.spec.scheduling";
const ORDER = ["schedulingPolicy", "schedulingConstraints", "disruptionMode", "resourceClaims"];
/** The rules for several fields at once, which no type can declare. */
const HANDWRITTEN = /must not be greater than parallelism|is not supported with the Basic scheduling policy/;

/** Of a Job on a server without gang scheduling, which keeps the field of a Job that has it. */
export function keptSchedulingErrors(spec: JobSpec, current: JobSpec, { gangScheduling }: Gates): FieldError[] {
  return gangScheduling ? [] : withoutGate(changeOf(spec, current), "spec.scheduling");
}

/** Whether a cause that admission found in a Job is of a declared rule: those come behind all others. */
export function isDeclared({ field, message }: StatusCause): boolean {
  return field.startsWith("spec.scheduling") && !HANDWRITTEN.test(message);
}

/**
 * The declared rules for the template of a CronJob, in their order.
 * @param found what admission found in the template as in a new one
 * @param current undefined: the CronJob is new
 */
export function templateSchedulingErrors(
  spec: JobSpec,
  current: JobSpec | undefined,
  { gangScheduling }: Gates,
  found: readonly StatusCause[],
): Violation[] {
  if (current === undefined) return [...found];
  const change = changeOf(spec, current);
  if (!gangScheduling) return withoutGate(change, TEMPLATE_FIELD);
  const changes = changeErrors(change, TEMPLATE_FIELD);
  // A field that may not change is not looked into.
  const others = found.filter(({ field }) => !changes.some((error) => isAt(field, error.field)));
  return [...changes, ...others].toSorted((a, b) => placeOf(a) - placeOf(b));
}

function isAt(field: string, place: string): boolean {
  return field === place || field.startsWith(`${place}.`) || field.startsWith(`${place}[`);
}

function placeOf({ field }: Violation): number {
  return ORDER.findIndex((name) => isAt(field, `${TEMPLATE_FIELD}.${name}`));
}

function changeOf(spec: JobSpec, current: JobSpec): Change<Scheduling> {
  return { now: spec.scheduling, before: current.scheduling, isUpdate: true };
}

function withoutGate(change: Change<Scheduling>, field: string): FieldError[] {
  if (isUnchanged(change)) return [];
  return [...(change.now ? [forbidden(field, "")] : []), ...presenceErrors(change, field)];
}

function changeErrors(change: Change<Scheduling>, field: string): FieldError[] {
  const presence = presenceErrors(change, field);
  const { now, before } = change;
  if (presence.length > 0 || now === undefined || before === undefined) return presence;
  const both = { now, before, isUpdate: true };
  return [
    ...presenceErrors(memberOf(both, "schedulingPolicy"), `${field}.schedulingPolicy`),
    ...immutableErrors(memberOf(both, "schedulingConstraints"), `${field}.schedulingConstraints`),
    ...immutableErrors(memberOf(both, "disruptionMode"), `${field}.disruptionMode`),
    ...immutableErrors(memberOf(both, "resourceClaims"), `${field}.resourceClaims`),
  ];
}
