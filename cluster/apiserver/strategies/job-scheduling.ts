/**
 * What an update may not change of `spec.scheduling` of a Job, as far as admission does not check it: it checks Jobs
 * where gang scheduling is on, and sees no template of a CronJob before its update. Source: the tags of
 * k8s.io/api/batch/v1, docs/spec/api.md 2.10.
 */
import type { JobSpec } from "../../values/kinds.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { type Change, immutableErrors, isUnchanged, memberOf, presenceErrors } from "./declarative.ts";
import type { Gates } from "./dropped-fields.ts";
import { forbidden } from "./field-errors.ts";

type Scheduling = JobSpec["scheduling"];

/** Of a Job on a server without gang scheduling, which keeps the field of a Job that has it. */
export function keptSchedulingErrors(spec: JobSpec, current: JobSpec, { gangScheduling }: Gates): FieldError[] {
  return gangScheduling ? [] : withoutGate(changeOf(spec, current), "spec.scheduling");
}

/** Of the template of a CronJob. */
export function templateSchedulingErrors(spec: JobSpec, current: JobSpec, { gangScheduling }: Gates): FieldError[] {
  const change = changeOf(spec, current);
  const field = "spec.jobTemplate.spec.scheduling";
  return gangScheduling ? changeErrors(change, field) : withoutGate(change, field);
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
