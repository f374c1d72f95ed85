/**
 * Validates the kinds that keep pods alive: their numbers, selectors, update strategies, and statuses. The rules of the
 * pod template itself are in workloads.ts. Leaves out the templates of volume claims. Source: pkg/apis/apps/validation,
 * pkg/apis/core/validation.
 */
import { type LabelSelector, matchesLabels } from "../../values/label-selector.ts";
import type {
  DaemonSet,
  DaemonSetUpdateStrategy,
  Deployment,
  DeploymentStatus,
  DeploymentStrategy,
  PodTemplateSpec,
  ReplicaSet,
  ReplicaSetStatus,
  ReplicationController,
  StatefulSet,
  StatefulSetOrdinals,
  StatefulSetSpec,
  StatefulSetStatus,
  StatefulSetUpdateStrategy,
} from "../../values/kinds.ts";
import { deepEqual } from "../../values/json.ts";
import { labelErrors } from "../../values/names.ts";
import type { FieldError } from "../contract/status-errors.ts";
import {
  amountErrors,
  forbidden,
  immutable,
  invalid,
  invalidAll,
  notNegative,
  notSupported,
  oneOf,
  required,
  shareErrors,
  type Values,
} from "./field-errors.ts";
import { selectorErrors } from "./selector-errors.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";
import type { ServedVersion } from "../../values/kubernetes-versions.ts";

/** The rules of one kind. */
export interface WorkloadRules<Kind extends { spec: unknown; status: unknown }> {
  /** The kind in the error about `activeDeadlineSeconds` of a template. */
  readonly kind: string;
  /** @param current undefined: the object is new */
  specErrors(spec: Kind["spec"], current: Kind["spec"] | undefined, kubernetes: ServedVersion): FieldError[];
  /** What an update may not change and is said last. */
  changeErrors?(spec: Kind["spec"], current: Kind["spec"], kubernetes: ServedVersion): FieldError[];
  selectionErrors(spec: Kind["spec"]): FieldError[];
  statusErrors(status: Kind["status"]): FieldError[];
}

const FIELDS_THAT_CHANGE = [
  ...["replicas", "ordinals", "template", "updateStrategy", "revisionHistoryLimit"],
  ...["persistentVolumeClaimRetentionPolicy", "minReadySeconds"],
];
const FIXED_FIELDS = ["selector", "volumeClaimTemplates", "serviceName", "podManagementPolicy"] as const;
/** Before 1.37. */
const FIXED_SPEC = `updates to statefulset spec for fields other than ${FIELDS_THAT_CHANGE.slice(0, -1)
  .map((name) => `'${name}'`)
  .join(", ")} and 'minReadySeconds' are forbidden`;

export const deploymentRules: WorkloadRules<Deployment> = {
  kind: "ReplicaSet",
  specErrors: (spec, current) => [
    ...notNegative(spec, ["replicas", "minReadySeconds", "revisionHistoryLimit", "progressDeadlineSeconds"], "spec"),
    ...deploymentStrategyErrors(spec.strategy),
    ...(spec.progressDeadlineSeconds! <= (spec.minReadySeconds ?? 0)
      ? [invalid("spec.progressDeadlineSeconds", spec.progressDeadlineSeconds, "must be greater than minReadySeconds")]
      : []),
    ...immutable(["selector"], spec, current, "spec"),
  ],
  selectionErrors: (spec) => requiredSelection(spec, "deployment", "invalid label selector"),
  statusErrors: (status) =>
    replicaErrors(status, ["updatedReplicas", "readyReplicas", "availableReplicas"], {
      more: ["unavailableReplicas", "terminatingReplicas", "collisionCount"],
    }),
};

export const replicaSetRules: WorkloadRules<ReplicaSet> = {
  kind: "ReplicaSet",
  specErrors: (spec, current) => [
    ...notNegative(spec, ["replicas", "minReadySeconds"], "spec"),
    ...immutable(["selector"], spec, current, "spec"),
  ],
  // Upstream quirk: the text is the one about Deployments.
  selectionErrors: (spec) => requiredSelection(spec, "deployment", "invalid label selector"),
  statusErrors: (status) =>
    replicaErrors(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"], {
      more: ["terminatingReplicas"],
    }),
};

export const statefulSetRules: WorkloadRules<StatefulSet> = {
  kind: "StatefulSet",
  specErrors: (spec, current, kubernetes) => [
    ...policyErrors(spec),
    ...statefulSetStrategyErrors(spec.updateStrategy),
    ...(["whenDeleted", "whenScaled"] as const).flatMap((when) =>
      oneOf(
        spec.persistentVolumeClaimRetentionPolicy![when],
        ["Retain", "Delete"],
        `spec.persistentVolumeClaimRetentionPolicy.${when}`,
      ),
    ),
    ...notNegative(spec, ["replicas", "minReadySeconds"], "spec"),
    ...notNegative<Partial<StatefulSetOrdinals>>(spec.ordinals ?? {}, ["start"], "spec.ordinals"),
    ...(!current && spec.serviceName
      ? invalidAll(labelErrors(spec.serviceName), "spec.serviceName", spec.serviceName)
      : []),
    ...(isAhead("declared-rules", kubernetes) && current && !deepEqual(fixedPart(spec), fixedPart(current))
      ? [forbidden("spec", FIXED_SPEC)]
      : []),
  ],
  changeErrors: (spec, current, kubernetes) =>
    isAhead("declared-rules", kubernetes) ? [] : immutable(FIXED_FIELDS, spec, current, "spec"),
  selectionErrors: (spec) => requiredSelection(spec, "statefulset", ""),
  statusErrors: (status) =>
    replicaErrors(status, ["readyReplicas", "currentReplicas", "updatedReplicas", "availableReplicas"], {
      more: ["collisionCount"],
      ready: "status.readyReplicas",
    }),
};

export const daemonSetRules: WorkloadRules<DaemonSet> = {
  kind: "DaemonSet",
  specErrors: (spec, current) => [
    ...notNegative(spec, ["minReadySeconds", "revisionHistoryLimit"], "spec"),
    ...daemonSetStrategyErrors(spec.updateStrategy),
    ...immutable(["selector"], spec, current, "spec"),
  ],
  selectionErrors({ selector, template }) {
    const errors = selectorErrors(selector ?? {}, "spec.selector");
    return [
      ...errors,
      ...(errors.length > 0 ? [] : mismatch(selector, template)),
      ...(isEmpty(selector) ? [emptySelector(selector, "daemonset")] : []),
    ];
  },
  statusErrors: (status) =>
    notNegative(
      status,
      [
        ...(["currentNumberScheduled", "numberMisscheduled", "desiredNumberScheduled", "numberReady"] as const),
        ...([
          "observedGeneration",
          "updatedNumberScheduled",
          "numberAvailable",
          "numberUnavailable",
          "collisionCount",
        ] as const),
      ],
      "status",
    ),
};

export const replicationControllerRules: WorkloadRules<ReplicationController> = {
  kind: "ReplicationController",
  specErrors: (spec) => notNegative(spec, ["minReadySeconds", "replicas"], "spec"),
  selectionErrors({ selector, template }) {
    const hasSelector = Object.keys(selector ?? {}).length > 0;
    return [
      ...(hasSelector ? [] : [required("spec.selector")]),
      ...(template ? [] : [required("spec.template")]),
      ...(hasSelector && template ? mismatch({ matchLabels: selector! }, template) : []),
    ];
  },
  statusErrors: (status) => replicaErrors(status, ["fullyLabeledReplicas", "readyReplicas", "availableReplicas"]),
};

interface Selecting {
  readonly selector: LabelSelector | null;
  readonly template: PodTemplateSpec;
}

/** Validates a required selector. @param invalidText the error for a selector that cannot be used */
function requiredSelection({ selector, template }: Selecting, kind: string, invalidText: string): FieldError[] {
  if (!selector) return [required("spec.selector"), ...mismatch(selector, template)];
  const errors = selectorErrors(selector, "spec.selector");
  if (isEmpty(selector)) errors.push(emptySelector(selector, kind));
  else if (errors.length > 0) errors.push(invalid("spec.selector", selector, invalidText));
  else errors.push(...mismatch(selector, template));
  return errors;
}

function isEmpty(selector: LabelSelector | null): boolean {
  if (!selector) return false;
  return Object.keys(selector.matchLabels ?? {}).length + (selector.matchExpressions ?? []).length === 0;
}

const emptySelector = (selector: LabelSelector | null, kind: string): FieldError =>
  invalid("spec.selector", selector, `empty selector is invalid for ${kind}`);

function mismatch(selector: LabelSelector | null, template: PodTemplateSpec): FieldError[] {
  const labels = template?.metadata?.labels;
  if (matchesLabels(selector, labels)) return [];
  return [invalid("spec.template.metadata.labels", labels, "`selector` does not match template `labels`")];
}

const isNothing = (amount: number | string | undefined): boolean => Number.parseInt(String(amount ?? 0), 10) === 0;

function deploymentStrategyErrors(strategy: DeploymentStrategy): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const field = "spec.strategy";
  const types: Values = ["Recreate", "RollingUpdate"];
  if (!types.includes(type)) return [notSupported(asInternal(strategy, ["MaxUnavailable", "MaxSurge"]), types, field)];
  if (type === "Recreate")
    return rollingUpdate
      ? [forbidden(`${field}.rollingUpdate`, "may not be specified when strategy `type` is 'Recreate'")]
      : [];
  const { maxUnavailable, maxSurge } = rollingUpdate!;
  const at = `${field}.rollingUpdate.maxUnavailable`;
  return [
    ...amountErrors(at, maxUnavailable),
    ...amountErrors(`${field}.rollingUpdate.maxSurge`, maxSurge),
    ...(isNothing(maxUnavailable) && isNothing(maxSurge)
      ? [invalid(at, maxUnavailable, "may not be 0 when `maxSurge` is 0")]
      : []),
    ...shareErrors(at, maxUnavailable),
  ];
}

function daemonSetStrategyErrors(strategy: DaemonSetUpdateStrategy): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const field = "spec.updateStrategy";
  const types: Values = ["RollingUpdate", "OnDelete"];
  if (!types.includes(type)) return [notSupported(asInternal(strategy, ["MaxUnavailable", "MaxSurge"]), types, field)];
  if (type === "OnDelete") return [];
  const { maxUnavailable, maxSurge } = rollingUpdate!;
  const [unavailable, surge] = [`${field}.rollingUpdate.maxUnavailable`, `${field}.rollingUpdate.maxSurge`];
  const errors = [
    ...[...amountErrors(unavailable, maxUnavailable), ...amountErrors(surge, maxSurge)],
    ...[...shareErrors(unavailable, maxUnavailable), ...shareErrors(surge, maxSurge)],
  ];
  if (!isNothing(maxUnavailable) && !isNothing(maxSurge))
    errors.push(invalid(surge, maxSurge, "may not be set when maxUnavailable is non-zero"));
  if (isNothing(maxUnavailable) && isNothing(maxSurge))
    errors.push(required(unavailable, "cannot be 0 when maxSurge is 0"));
  return errors;
}

function statefulSetStrategyErrors(strategy: StatefulSetUpdateStrategy): FieldError[] {
  const { type, rollingUpdate } = strategy;
  const field = "spec.updateStrategy";
  if (type === "RollingUpdate") return notNegative(rollingUpdate ?? {}, ["partition"], `${field}.rollingUpdate`);
  const internal = asInternal(strategy, ["Partition", "MaxUnavailable"]);
  if (type !== "OnDelete") return [invalid(field, internal, "must be 'RollingUpdate' or 'OnDelete'")];
  if (!rollingUpdate) return [];
  const detail = "only allowed for updateStrategy 'RollingUpdate'";
  return [invalid(`${field}.rollingUpdate`, internal.RollingUpdate, detail)];
}

/** An update strategy, printed as upstream's internal type, whose members begin with capitals and are all printed. */
function asInternal(
  { type, rollingUpdate }: { type?: string; rollingUpdate?: Readonly<Record<string, any>> },
  members: readonly string[],
): { Type: unknown; RollingUpdate: object | null } {
  const value = (member: string): unknown => rollingUpdate![member.charAt(0).toLowerCase() + member.slice(1)] ?? null;
  return {
    Type: type,
    RollingUpdate: rollingUpdate ? Object.fromEntries(members.map((member) => [member, value(member)])) : null,
  };
}

function policyErrors({ podManagementPolicy: policy }: StatefulSetSpec): FieldError[] {
  if (policy === "OrderedReady" || policy === "Parallel") return [];
  return [invalid("spec.podManagementPolicy", policy, "must be 'OrderedReady' or 'Parallel'")];
}

function fixedPart(spec: StatefulSetSpec): object {
  return Object.fromEntries(Object.entries(spec).filter(([name]) => !FIELDS_THAT_CHANGE.includes(name)));
}

/** What the statuses of several kinds count. */
type Counts = Partial<
  Omit<DeploymentStatus & ReplicaSetStatus & StatefulSetStatus, "conditions" | "currentRevision" | "updateRevision">
>;

/**
 * Validates a status that counts replicas.
 * @param parts numbers of replicas, each at most the number of all
 * @param more other numbers; and the name of ready replicas in the error about available ones
 */
function replicaErrors(
  status: Counts,
  parts: readonly (keyof Counts)[],
  { more = [], ready = "readyReplicas" }: { readonly more?: readonly (keyof Counts)[]; readonly ready?: string } = {},
): FieldError[] {
  const numberOf = (name: keyof Counts): number => status[name] ?? 0;
  const isTooMany = (name: keyof Counts, than: keyof Counts): boolean => numberOf(name) > numberOf(than);
  const tooMany = (name: keyof Counts, than: string): FieldError =>
    invalid(`status.${name}`, numberOf(name), `cannot be greater than ${than}`);
  return [
    ...notNegative(status, ["replicas", ...parts, "observedGeneration", ...more], "status"),
    ...parts.filter((name) => isTooMany(name, "replicas")).map((name) => tooMany(name, "status.replicas")),
    ...(isTooMany("availableReplicas", "readyReplicas") ? [tooMany("availableReplicas", ready)] : []),
  ];
}
