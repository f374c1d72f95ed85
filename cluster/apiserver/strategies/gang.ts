/**
 * Gang scheduling: what a write does to Workloads and PodGroups, and the field that ties pods to a PodGroup. If the
 * server's gang scheduling is off, the kinds are not served, and the field is dropped with a warning. What is refused
 * is in gang-rules.ts. Leaves out resource claims, topology and preemption policies, whose feature gates are off.
 * Source: pkg/registry/scheduling.
 */
import type { PodGroup, PodSpec, Workload } from "../../values/kinds.ts";
import type { Conversion, ResourceRequest, Strategy } from "../contract/context.ts";
import { subdomainErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { conditionErrors } from "./condition-errors.ts";
import {
  DROPPED_OF_POD_GROUP_SPEC,
  DROPPED_OF_POD_GROUP_STATUS,
  DROPPED_OF_WORKLOAD_SPEC,
  type Gates,
  withoutDroppedFields,
} from "./dropped-fields.ts";
import { invalid, invalidAll } from "./field-errors.ts";
import { podGroupErrors, workloadErrors } from "./gang-rules.ts";

const STORED_VERSION = "scheduling.k8s.io/v1beta1";
const OTHER_VERSION = "scheduling.k8s.io/v1alpha3";

/** Both versions of a kind have the same fields. */
export const gangConversion: Conversion = {
  toStored: (object) => ({ ...object, apiVersion: STORED_VERSION }),
  fromStored: (object) => ({ ...object, apiVersion: OTHER_VERSION }),
};

export const workloadStrategy: Strategy<Workload> = {
  prepareCreate: (workload, { server }) => withKnownFields(workload, undefined, server),
  prepareUpdate: (workload, current, { server }) => withKnownFields(workload, current, server),
  validate: ({ spec }, current) => workloadErrors(spec, current?.spec),
};

function withKnownFields(workload: Workload, current: Workload | undefined, gates: Gates): Workload {
  return { ...workload, spec: withoutDroppedFields(DROPPED_OF_WORKLOAD_SPEC, workload.spec, current?.spec, gates) };
}

export const podGroupStrategy: Strategy<PodGroup> = {
  prepareCreate: (group, { server }) => ({ ...completed(group, undefined, server), status: {} }),
  prepareUpdate: (group, current, { server }) => completed(group, current, server),
  prepareSubresourceUpdate: (group, current, { server }) => ({
    ...group,
    status: withoutDroppedFields(DROPPED_OF_POD_GROUP_STATUS, group.status, current.status, server),
  }),
  validate({ spec, status }, current, { subresource }) {
    return subresource ? statusErrors(status) : podGroupErrors(spec, current?.spec);
  },
};

function completed(group: PodGroup, current: PodGroup | undefined, gates: Gates): PodGroup {
  const spec = withoutDroppedFields(DROPPED_OF_POD_GROUP_SPEC, group.spec, current?.spec, gates);
  return { ...group, spec: { ...spec, disruptionMode: spec.disruptionMode ?? { single: {} } } };
}

function statusErrors({ conditions = [] }: PodGroup["status"]): FieldError[] {
  return conditionErrors(conditions, "status.conditions");
}

/** Warns of the PodGroup in a pod's spec, if the server drops it. `field` is the path of the spec. */
export function warnOfDroppedGroup(spec: PodSpec, field: string, { server, warnings }: ResourceRequest): void {
  if (server.gangScheduling || spec?.schedulingGroup === undefined) return;
  warnings.add(`${field}.schedulingGroup: dropped, for gang scheduling is off`);
}

/** Errors of the field in a pod's spec that names a PodGroup. `field` is the path of the spec. */
export function schedulingGroupErrors({ schedulingGroup }: PodSpec, field: string): FieldError[] {
  if (schedulingGroup === undefined) return [];
  const name = schedulingGroup.podGroupName;
  const place = `${field}.schedulingGroup.podGroupName`;
  if (name === undefined) return [invalid(place, null, "must specify one of: `podGroupName`")];
  return invalidAll(subdomainErrors(name), place, name);
}
