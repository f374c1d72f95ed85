/**
 * The rules of gang scheduling: for Workloads and PodGroups, for the field that ties pods to a PodGroup, and of the
 * admission plugin JobValidation. If the server's gang scheduling is off, the kinds are not served, and the field is
 * dropped with a warning. Leaves out resource claims, topology and disruption: nothing here uses them. Source:
 * docs/spec/controller.md section 11; pkg/apis/scheduling/validation, plugin/pkg/admission/job.
 */
import type {
  Job,
  PodGroup,
  PodGroupSchedulingPolicy,
  PodGroupSpec,
  PodSpec,
  Workload,
  WorkloadSpec,
} from "../../values/kinds.ts";
import { keyOf, type ResourceRequest, type Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import { labelErrors, subdomainErrors } from "../../values/names.ts";
import { type FieldError, forbidden } from "../contract/status-errors.ts";

const GROUP = "scheduling.k8s.io";
const MAX_TEMPLATES = 8;

export const workloadStrategy: Strategy<Workload> = {
  validate: ({ spec = {} }, current) =>
    current ? frozen(spec, current.spec, ["controllerRef", "podGroupTemplates"]) : workloadErrors(spec),
};

export const podGroupStrategy: Strategy<PodGroup> = {
  prepareCreate: (group) => ({ ...group, status: {} }),
  validate({ spec = {} }, current, { subresource }) {
    if (subresource) return [];
    return current ? frozen(spec, current.spec, ["podGroupTemplateRef", "schedulingPolicy"]) : podGroupErrors(spec);
  },
};

function workloadErrors({ controllerRef, podGroupTemplates = [] }: Partial<WorkloadSpec>): FieldError[] {
  const templates = podGroupTemplates ?? [];
  const errors: FieldError[] = [];
  if (controllerRef) errors.push(...missing(controllerRef, "spec.controllerRef", ["kind", "name"]));
  if (templates.length === 0)
    errors.push({ kind: "Required", field: "spec.podGroupTemplates", detail: "must have at least one item" });
  if (templates.length > MAX_TEMPLATES)
    errors.push({
      kind: "Invalid",
      field: "spec.podGroupTemplates",
      value: templates.length,
      detail: `must have at most ${MAX_TEMPLATES} items`,
    });
  templates.forEach((template, index) => {
    const field = `spec.podGroupTemplates[${index}]`;
    const name = String(template.name ?? "");
    if (name === "") errors.push({ kind: "Required", field: `${field}.name` });
    else
      for (const detail of labelErrors(name))
        errors.push({ kind: "Invalid", field: `${field}.name`, value: name, detail });
    if (templates.findIndex((other) => other.name === name) < index)
      errors.push({ kind: "Duplicate", field, value: name });
    errors.push(...policyErrors(template.schedulingPolicy, `${field}.schedulingPolicy`));
  });
  return errors;
}

function podGroupErrors({ podGroupTemplateRef, schedulingPolicy }: Partial<PodGroupSpec>): FieldError[] {
  const workload = podGroupTemplateRef?.workload;
  const errors = podGroupTemplateRef && !workload ? [required("spec.podGroupTemplateRef.workload")] : [];
  if (workload)
    errors.push(...missing(workload, "spec.podGroupTemplateRef.workload", ["workloadName", "podGroupTemplateName"]));
  return [...errors, ...policyErrors(schedulingPolicy, "spec.schedulingPolicy")];
}

function policyErrors(given: PodGroupSchedulingPolicy | undefined, field: string): FieldError[] {
  const policy = given ?? {};
  const gang = policy.gang;
  if ((policy.basic === undefined) === (gang === undefined)) {
    return [{ kind: "Invalid", field, value: policy, detail: "must specify exactly one of: `basic`, `gang`" }];
  }
  if (gang === undefined || Number(gang.minCount ?? 0) > 0) return [];
  return [
    {
      kind: "Invalid",
      field: `${field}.gang.minCount`,
      value: gang.minCount ?? 0,
      detail: "must be greater than 0",
    },
  ];
}

function missing<Part>(object: Part, field: string, names: readonly (keyof Part & string)[]): FieldError[] {
  return names.filter((name) => !object[name]).map((name) => required(`${field}.${name}`));
}

function required(field: string): FieldError {
  return { kind: "Required", field };
}

function frozen<Spec>(spec: Partial<Spec>, current: Spec, fields: readonly (keyof Spec & string)[]): FieldError[] {
  return fields
    .filter((name) => !deepEqual(spec[name], current[name]))
    .map((name) => ({
      kind: "Invalid",
      field: `spec.${name}`,
      value: spec[name] ?? null,
      detail: "field is immutable",
    }));
}

/** A pod's spec. If gang scheduling is off, the PodGroup in it is dropped. `field` is the path of the spec. */
export function dropSchedulingGroup(spec: PodSpec, field: string, { server, warnings }: ResourceRequest): PodSpec {
  if (server.gangScheduling || spec?.schedulingGroup === undefined) return spec;
  const { schedulingGroup: _dropped, ...rest } = spec;
  warnings.add(`${field}.schedulingGroup: dropped, for gang scheduling is off`);
  return rest;
}

/** Errors of the field in a pod's spec that names a PodGroup. */
export function schedulingGroupErrors(spec: PodSpec): FieldError[] {
  const name = spec?.schedulingGroup?.podGroupName;
  if (spec?.schedulingGroup === undefined) return [];
  const field = "spec.schedulingGroup.podGroupName";
  if (!name) return [required(field)];
  return subdomainErrors(String(name)).map((detail) => ({ kind: "Invalid", field, value: name, detail }));
}

/**
 * The admission plugin JobValidation: the size of a gang cannot change.
 * @throws ApiError 403 when an update changes the parallelism of a Job whose pods belong to a PodGroup with a gang
 * policy
 */
export function refuseGangResize(job: Job, current: Job, request: ResourceRequest): void {
  if (!request.server.gangScheduling || request.subresource) return;
  if ((job.spec?.parallelism ?? 1) === (current.spec?.parallelism ?? 1)) return;
  const group = gangOf(current, request);
  if (group === undefined) return;
  throw forbidden(
    { group: "batch", name: "jobs" },
    job.metadata.name,
    `cannot change parallelism for a Job referencing gang-scheduled PodGroup "${group.metadata.name}"`,
  );
}

function gangOf(job: Job, { server, namespace }: ResourceRequest): PodGroup | undefined {
  const store = server.store(server.definition(GROUP, "podgroups"));
  const isGang = ({ spec }: PodGroup): boolean => spec?.schedulingPolicy?.gang !== undefined;
  const named = job.spec?.template?.spec?.schedulingGroup?.podGroupName;
  if (named) {
    const group = store.get(keyOf(namespace, named))?.object;
    return group !== undefined && isGang(group) ? group : undefined;
  }
  const isOwn = ({ metadata }: PodGroup): boolean =>
    (metadata.ownerReferences ?? []).some(({ controller, uid }) => controller === true && uid === job.metadata.uid);
  for (const { object } of store.scan(`${namespace}/`, "")) if (isOwn(object) && isGang(object)) return object;
  return undefined;
}
