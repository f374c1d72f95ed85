/**
 * The API server's rules of Pods beyond defaults and validation: what it sets on create, what an update may change, how
 * a status may change.
 */
import type {
  Affinity,
  Container,
  ContainerStatus,
  NodeSelectorTerm,
  Pod,
  PodSpec,
  PodStatus,
  ResourceRequirements,
  Toleration,
} from "../../values/kinds.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import type { ObjectMeta } from "../../values/types.ts";
import { reviewPart } from "../verbs/admission.ts";
import type { DraftPart, ResourceRequest, Strategy } from "../contract/context.ts";
import { IP_TEXT, isIp } from "../../values/ip-addresses.ts";
import { deepEqual } from "../../values/json.ts";
import { labelErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import { formatTime } from "../../values/times.ts";
import { keepSpec } from "../verbs/update.ts";
import { DROPPED_OF_POD_SPEC, DROPPED_OF_POD_STATUS, withoutDroppedFields } from "./dropped-fields.ts";
import { schedulingGroupErrors, warnOfDroppedGroup } from "./gang.ts";
import { qosClass } from "./qos-class.ts";

const gatedCondition = {
  type: "PodScheduled",
  status: "False",
  lastProbeTime: null,
  reason: "SchedulingGated",
  message: "Scheduling is blocked due to non-empty scheduling gates",
};
const defaultTolerations = ["node.kubernetes.io/not-ready", "node.kubernetes.io/unreachable"].map((key) => ({
  key,
  operator: "Exists",
  effect: "NoExecute",
  tolerationSeconds: 300,
}));

export const podStrategy: Strategy<Pod> = {
  prepareCreate(pod, request) {
    warnAboutName(pod.metadata.name, request);
    const isGated = (pod.spec?.schedulingGates?.length as number) > 0;
    const lastTransitionTime = formatTime(request.server.clock.now());
    return {
      ...pod,
      ...(pod.spec && { spec: withAccount(withKnownFields(pod.spec, request), request) }),
      status: { phase: "Pending", ...(isGated && { conditions: [{ ...gatedCondition, lastTransitionTime }] }) },
    };
  },
  completeCreate(pod, { server }) {
    const spec = withDefaultAdmission(pod.spec);
    return { ...pod, spec, status: { ...pod.status, qosClass: qosClass(spec, server.kubernetes) } };
  },
  beforePlugins(pod, { spec: { resources } }, { server }) {
    const isFilledIn =
      !isAhead("defaults-of-whole-pods", server.kubernetes) && !deepEqual(pod.spec.resources, resources);
    return isFilledIn ? { ...pod, spec: withResources(pod.spec, resources) } : pod;
  },
  /** A field that a client leaves out gets its default again. */
  prepareUpdate(pod, current, { definition, server }) {
    if (deepEqual(pod.spec, current.spec)) return pod;
    const known = withoutDroppedFields(DROPPED_OF_POD_SPEC, pod.spec, current.spec, server);
    const { object } = reviewPart({ ...pod, spec: known }, definition, server);
    const spec = withDefaultAdmission({ priority: current.spec.priority, ...object.spec });
    if (isAhead("defaults-of-whole-pods", server.kubernetes)) return { ...object, spec };
    // An update gives resources of the whole pod no defaults, and keeps those that a client leaves out.
    return { ...object, spec: withResources(spec, known.resources ?? current.spec.resources) };
  },
  prepareSubresourceUpdate(pod, current, { server }) {
    const kept = keepSpec(pod, current);
    const metadata = keepOwners(pod.metadata, current.metadata);
    const given = withoutDroppedFields(DROPPED_OF_POD_STATUS, pod.status ?? {}, current.status, server);
    const status = fillStatus(given, current.status ?? {});
    return metadata === kept.metadata && status === kept.status ? kept : { ...kept, metadata, status };
  },
  validate(pod, current, request) {
    if (!current) return schedulingGroupErrors(pod.spec, "spec");
    return request.subresource ? validateStatus(pod, current) : validateSpecUpdate(pod.spec, current.spec);
  },
};

function keepOwners(given: ObjectMeta, { ownerReferences, deletionTimestamp }: ObjectMeta): ObjectMeta {
  if (
    given.ownerReferences === ownerReferences &&
    (deletionTimestamp === undefined || given.deletionTimestamp === deletionTimestamp)
  )
    return given;
  const { ownerReferences: _given, ...metadata } = given;
  return { ...metadata, ...(ownerReferences && { ownerReferences }), ...(deletionTimestamp && { deletionTimestamp }) };
}

function warnAboutName(name: string, { warnings }: ResourceRequest): void {
  const complaints = labelErrors(name);
  if (complaints.length === 0) return;
  warnings.add(
    `metadata.name: this is used in the Pod's hostname, which can result in surprising behavior; a DNS label is recommended: [${complaints.join(" ")}]`,
  );
}

function withKnownFields(spec: PodSpec, request: ResourceRequest): PodSpec {
  warnOfDroppedGroup(spec, "spec", request);
  return withoutDroppedFields(DROPPED_OF_POD_SPEC, spec, undefined, request.server);
}

/** Gives a pod an account before it is validated, because a token of the pod's needs one. */
function withAccount(spec: PodSpec, { server }: ResourceRequest): PodSpec {
  const isGiven = Boolean(spec.serviceAccountName || spec.serviceAccount);
  if (isGiven || !server.assignsServiceAccount) return spec;
  return { ...spec, serviceAccountName: "default", serviceAccount: "default" };
}

/** Adds to a pod what the default admission plugins add. Leaves out the token volume, because there are no tokens. */
function withDefaultAdmission(spec: Omit<PodSpec, "priority"> & { priority?: number | undefined }): PodSpec {
  const tolerations = spec.tolerations ?? [];
  const missing = defaultTolerations.filter(({ key }) => !tolerations.some((toleration) => tolerates(toleration, key)));
  return {
    ...spec,
    tolerations: [...tolerations, ...missing],
    priority: spec.priority ?? 0,
    preemptionPolicy: spec.preemptionPolicy ?? "PreemptLowerPriority",
    enableServiceLinks: spec.enableServiceLinks ?? true,
  };
}

/** The spec with these resources of the whole pod. */
export function withResources(
  { resources: _own, ...spec }: PodSpec,
  resources: ResourceRequirements | undefined,
): PodSpec {
  return resources === undefined ? spec : { ...spec, resources };
}

function tolerates({ key, effect }: Toleration, taint: string): boolean {
  return (key === taint || key === undefined) && (effect === "NoExecute" || effect === undefined);
}

const immutableSpec =
  "pod updates may not change fields other than `spec.containers[*].image`,`spec.initContainers[*].image`,`spec.activeDeadlineSeconds`,`spec.tolerations` (only additions to existing tolerations),`spec.terminationGracePeriodSeconds` (allow it to be set to 1 if it was previously negative)";

function validateSpecUpdate(spec: PodSpec, current: PodSpec): FieldError[] {
  if (deepEqual(spec, current)) return [];
  const errors: FieldError[] = [];
  const [deadline, oldDeadline] = [spec.activeDeadlineSeconds, current.activeDeadlineSeconds];
  if (oldDeadline !== undefined && (deadline === undefined || Number(deadline) > Number(oldDeadline))) {
    errors.push({
      kind: "Invalid",
      field: "spec.activeDeadlineSeconds",
      value: deadline ?? null,
      detail:
        deadline === undefined
          ? "must not update from a positive integer to nil value"
          : "must be less than or equal to previous value",
    });
  }
  const rest = withoutAllowedChanges(spec, current);
  if (!deepEqual(rest, current))
    errors.push({ kind: "Forbidden", field: "spec", detail: `${immutableSpec}\n${difference(rest, current)}` });
  return errors;
}

/** The new spec with every allowed change undone. What still differs is a forbidden change. */
function withoutAllowedChanges(spec: PodSpec, current: PodSpec): DraftPart<PodSpec> {
  const undone: DraftPart<PodSpec> = { ...spec };
  const undo = <Name extends keyof PodSpec>(field: Name): void => {
    if (current[field] === undefined) delete undone[field];
    else undone[field] = current[field];
  };
  undo("activeDeadlineSeconds");
  for (const field of ["containers", "initContainers"] as const) {
    const [containers, old] = [spec[field], current[field]];
    if (Array.isArray(containers) && Array.isArray(old) && containers.length === old.length) {
      undone[field] = containers.map((container, index) => ({
        ...container,
        image: old[index]!.image ?? "",
      }));
    }
  }
  const tolerations = listOf(spec, "tolerations");
  if (
    listOf(current, "tolerations").every((old) =>
      tolerations.some((toleration) => deepEqual(withoutSeconds(toleration), withoutSeconds(old))),
    )
  )
    undo("tolerations");
  const gates = listOf(current, "schedulingGates");
  if (listOf(spec, "schedulingGates").every((gate) => gates.some((old) => deepEqual(old, gate))))
    undo("schedulingGates");
  if (Number(current.terminationGracePeriodSeconds) < 0 && spec.terminationGracePeriodSeconds === 1)
    undo("terminationGracePeriodSeconds");
  if (gates.length > 0) {
    const selector = spec.nodeSelector ?? {};
    if (Object.entries(current.nodeSelector ?? {}).every(([key, value]) => selector[key] === value))
      undo("nodeSelector");
    if (
      isTightened(requiredTerms(spec), requiredTerms(current)) &&
      deepEqual(withoutNodeAffinity(spec), withoutNodeAffinity(current))
    )
      undo("affinity");
  }
  return undone;
}

function listOf<Owner, Name extends keyof Owner>(spec: Owner, field: Name): NonNullable<Owner[Name]> | never[] {
  return spec[field] ?? [];
}

function withoutSeconds(toleration: Toleration): object {
  const { tolerationSeconds: _seconds, ...rest } = toleration;
  return rest;
}

function requiredTerms(spec: PodSpec): NodeSelectorTerm[] {
  const affinity = spec.affinity;
  return affinity?.nodeAffinity?.requiredDuringSchedulingIgnoredDuringExecution?.nodeSelectorTerms ?? [];
}

function withoutNodeAffinity(spec: PodSpec): object {
  const { nodeAffinity: _free, ...rest } = spec.affinity ?? ({} as Affinity);
  return rest;
}

/**
 * Whether affinity only became stricter. Terms are alternatives: none may be added or dropped, and each may only gain
 * conditions.
 */
function isTightened(terms: readonly NodeSelectorTerm[], old: readonly NodeSelectorTerm[]): boolean {
  if (old.length === 0) return true;
  return (
    terms.length === old.length &&
    terms.every((term, index) =>
      (["matchExpressions", "matchFields"] as const).every((field) =>
        listOf(old[index]!, field).every((condition) =>
          listOf(term, field).some((other) => deepEqual(other, condition)),
        ),
      ),
    )
  );
}

type Fields = Readonly<Record<string, any>>;

/** One line for each member that differs. Upstream prints a diff of its structs instead. */
export function difference(spec: Fields, current: Fields): string {
  return [...new Set([...Object.keys(current), ...Object.keys(spec)])]
    .filter((field) => !deepEqual(spec[field], current[field]))
    .flatMap((field) => [
      ...(field in current ? [`-  ${field}: ${JSON.stringify(current[field])}`] : []),
      ...(field in spec ? [`+  ${field}: ${JSON.stringify(spec[field])}`] : []),
    ])
    .join("\n");
}

/** Fills fields that a new status leaves out from the stored one. */
function fillStatus(status: PodStatus, current: PodStatus): PodStatus {
  let filled = status;
  const fill = <Name extends keyof PodStatus>(name: Name, value: PodStatus[Name]): void => {
    if (filled[name] === undefined && value !== undefined) filled = { ...filled, [name]: value };
  };
  fill("qosClass", current.qosClass);
  const { podIP, podIPs } = status;
  // Where the two differ, the old field counts.
  if (podIP !== undefined && podIPs?.[0]?.ip !== podIP) filled = { ...filled, podIPs: [{ ip: podIP }] };
  fill("observedGeneration", current.observedGeneration);
  return filled;
}

const ipLists = ["podIPs", "hostIPs"] as const;
/** The lists of a status, and the lists of the spec that they are about. */
const statusLists = [
  { field: "containerStatuses", containers: "containers" },
  { field: "initContainerStatuses", containers: "initContainers" },
] as const;

function validateStatus(pod: Pod, current: Pod): FieldError[] {
  const errors: FieldError[] = [];
  const status = pod.status ?? {};
  const old = current.status ?? {};
  if (old.qosClass !== undefined && status.qosClass !== old.qosClass) {
    errors.push({
      kind: "Invalid",
      field: "status.qosClass",
      value: status.qosClass ?? null,
      detail: "field is immutable",
    });
  }
  for (const field of ipLists) {
    if (status[field] === undefined || status[field] === old[field]) continue;
    status[field].forEach(({ ip }, index) => {
      if (!isIp(ip ?? ""))
        errors.push({ kind: "Invalid", field: `status.${field}[${index}]`, value: ip ?? "", detail: IP_TEXT });
    });
  }
  for (const { field, containers } of statusLists) {
    // A list that is new, or did not change, makes no transition.
    if (old[field] === undefined || old[field] === status[field]) continue;
    for (const [index, before] of old[field].entries())
      if (isForbiddenRestart(before, status[field] ?? [], pod.spec ?? {}, containers))
        errors.push({
          kind: "Forbidden",
          field: `status.${field}[${index}].state`,
          detail: "may not be transitioned to non-terminated state",
        });
  }
  return errors;
}

/** Whether a container that had ended has not ended any more, although its pod does not restart it. */
function isForbiddenRestart(
  before: ContainerStatus,
  list: readonly ContainerStatus[],
  spec: PodSpec,
  containers: "containers" | "initContainers",
): boolean {
  if (!before.state?.terminated) return false;
  const after = list.find((other) => other.name === before.name);
  if (!after || after.state?.terminated || mayRestartAllContainers(spec)) return false;
  const container = (spec[containers] ?? []).find((other) => other.name === before.name);
  return !mayRestart(spec.restartPolicy, container, before.state.terminated.exitCode ?? 0);
}

function mayRestart(podPolicy: string | undefined, container: Container | undefined, exitCode: number): boolean {
  if (container?.restartPolicyRules?.length) return true;
  const policy = container?.restartPolicy ?? podPolicy;
  return policy === "Always" || (policy === "OnFailure" && exitCode !== 0);
}

/** Whether a rule of one container may restart all containers, whatever their own policies say. */
function mayRestartAllContainers(spec: PodSpec): boolean {
  const hasRule = ({ restartPolicyRules }: Container): boolean =>
    restartPolicyRules?.some(({ action }) => action === "RestartAllContainers") ?? false;
  return (spec.containers?.some(hasRule) ?? false) || (spec.initContainers?.some(hasRule) ?? false);
}
