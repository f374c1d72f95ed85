/**
 * What is refused of Workloads and PodGroups. Handwritten rules come first, declared ones after them. Leaves out the
 * fields whose feature gates are off: gang.ts drops them. Source: pkg/apis/scheduling/validation, and the tags of
 * k8s.io/api/scheduling/v1beta1.
 */
import type {
  DisruptionMode,
  PodGroupSchedulingPolicy,
  PodGroupSpec,
  PodGroupTemplate,
  SchedulingTypedLocalObjectReference,
  WorkloadReference,
  WorkloadSpec,
} from "../../values/kinds.ts";
import type { FieldError } from "../contract/status-errors.ts";
import {
  type Change,
  duplicateErrors,
  formatErrors,
  immutableErrors,
  isUnchanged,
  itemErrors,
  maximumErrors,
  memberOf,
  minimumErrors,
  presenceErrors,
  requiredFormatErrors,
  tooManyErrors,
  unionErrors,
} from "./declarative.ts";
import { invalid, required } from "./field-errors.ts";

const MAX_TEMPLATES = 8;
const HIGHEST_USER_PRIORITY = 1_000_000_000;

export function workloadErrors(spec: WorkloadSpec, current: WorkloadSpec | undefined): FieldError[] {
  const change = { now: spec, before: current, isUpdate: current !== undefined };
  const templates = spec.podGroupTemplates ?? [];
  const before = current && (current.podGroupTemplates ?? []);
  return [
    ...(havePriority(templates) ? [] : [invalid("spec", null, "detected multiple priority configurations")]),
    ...unionErrors(change, ["podGroupTemplates", "compositePodGroupTemplates"], "spec"),
    ...controllerErrors(memberOf(change, "controllerRef"), "spec.controllerRef"),
    ...templateListErrors({ ...change, now: templates, before }, "spec.podGroupTemplates"),
  ];
}

/** Whether all templates have the same priority and class. */
function havePriority([first, ...rest]: readonly PodGroupTemplate[]): boolean {
  return rest.every(
    ({ priority, priorityClassName }) =>
      priority === first!.priority && (priorityClassName ?? "") === (first!.priorityClassName ?? ""),
  );
}

function controllerErrors(
  change: Change<SchedulingTypedLocalObjectReference | undefined>,
  field: string,
): FieldError[] {
  const errors = immutableErrors(change, field);
  const { now, isUpdate } = change;
  if (now === undefined || isUpdate) return errors;
  return [
    ...formatErrors(now.apiGroup || undefined, "subdomain", `${field}.apiGroup`),
    ...requiredFormatErrors(now.kind, "path segment", `${field}.kind`),
    ...requiredFormatErrors(now.name, "path segment", `${field}.name`),
  ];
}

function templateListErrors(change: Change<PodGroupTemplate[]>, field: string): FieldError[] {
  const { now, before, isUpdate } = change;
  if (isUnchanged(change)) return [];
  const decisive = [...tooManyErrors(now, MAX_TEMPLATES, field), ...itemErrors(change, field)];
  if (decisive.length > 0) return decisive;
  return [
    ...duplicateErrors(now, field),
    ...now.flatMap((template, index) =>
      templateErrors(
        { now: template, before: before?.find(({ name }) => name === template.name), isUpdate },
        `${field}[${index}]`,
      ),
    ),
  ];
}

function templateErrors(change: Change<PodGroupTemplate>, field: string): FieldError[] {
  const { now, isUpdate } = change;
  return [
    ...(isUpdate ? [] : requiredFormatErrors(now.name, "label", `${field}.name`)),
    ...policyErrors(memberOf(change, "schedulingPolicy"), `${field}.schedulingPolicy`),
    ...disruptionErrors(memberOf(change, "disruptionMode"), `${field}.disruptionMode`),
    ...priorityErrors(change, field),
  ];
}

function policyErrors(change: Change<PodGroupSchedulingPolicy | undefined>, field: string): FieldError[] {
  const { now = {}, before, isUpdate } = change;
  if (isUnchanged(change)) return [];
  const policy = { now, before, isUpdate };
  const gang = memberOf(policy, "gang");
  const presence = presenceErrors(gang, `${field}.gang`);
  return [
    ...unionErrors(policy, ["basic", "gang"], field),
    ...immutableErrors(memberOf(policy, "basic"), `${field}.basic`),
    ...presence,
    ...(presence.length > 0 || now.gang === undefined || isUnchanged(gang)
      ? []
      : minCountErrors(now.gang.minCount, `${field}.gang.minCount`)),
  ];
}

function minCountErrors(minCount: number | undefined, field: string): FieldError[] {
  return minCount ? minimumErrors(minCount, 1, field) : [required(field)];
}

function disruptionErrors(change: Change<DisruptionMode | undefined>, field: string): FieldError[] {
  const errors = immutableErrors(change, field);
  const { now, isUpdate } = change;
  if (now === undefined || isUpdate) return errors;
  return unionErrors({ now, before: undefined, isUpdate }, ["single", "all"], field);
}

function priorityErrors(
  change: Change<Pick<PodGroupTemplate, "priority" | "priorityClassName">>,
  field: string,
): FieldError[] {
  const { priority, priorityClassName } = change.now;
  const { isUpdate } = change;
  return [
    ...immutableErrors(memberOf(change, "priorityClassName"), `${field}.priorityClassName`),
    ...(isUpdate ? [] : formatErrors(priorityClassName || undefined, "subdomain", `${field}.priorityClassName`)),
    ...immutableErrors(memberOf(change, "priority"), `${field}.priority`),
    ...(isUpdate || priority === undefined ? [] : maximumErrors(priority, HIGHEST_USER_PRIORITY, `${field}.priority`)),
  ];
}

export function podGroupErrors(spec: PodGroupSpec, current: PodGroupSpec | undefined): FieldError[] {
  const change = { now: spec, before: current, isUpdate: current !== undefined };
  return [
    ...workloadRefErrors(memberOf(change, "workloadRef"), "spec.workloadRef"),
    ...policyErrors(memberOf(change, "schedulingPolicy"), "spec.schedulingPolicy"),
    ...disruptionErrors(memberOf(change, "disruptionMode"), "spec.disruptionMode"),
    ...priorityErrors(change, "spec"),
  ];
}

function workloadRefErrors(change: Change<WorkloadReference | undefined>, field: string): FieldError[] {
  const errors = immutableErrors(change, field);
  const { now, isUpdate } = change;
  if (now === undefined || isUpdate) return errors;
  return [
    ...requiredFormatErrors(now.workloadName, "subdomain", `${field}.workloadName`),
    ...requiredFormatErrors(now.templateName, "label", `${field}.templateName`),
  ];
}
