/**
 * The kinds of apps/v1, and the other kinds with a pod template: defaults, and admission of the template.
 * workload-rules.ts validates the rest. These objects are only stored: no controller makes pods of them. Source:
 * pkg/apis/apps/v1/defaults.go, pkg/registry/apps.
 */
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  DeploymentStrategy,
  PodTemplate,
  PodTemplateSpec,
  ReplicaSet,
  ReplicationController,
  RollingUpdateDeployment,
  StatefulSet,
} from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import { type PartReview, reviewPart } from "../verbs/admission.ts";
import type { Draft, DraftPart, ResourceRequest, Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import type { Violation } from "../contract/status-errors.ts";
import { keepSpec } from "../verbs/update.ts";
import { type Gates, withoutDroppedPodFields } from "./dropped-fields.ts";
import { schedulingGroupErrors } from "./gang.ts";
import { forbidden, immutable, notNegative, oneOf, required } from "./field-errors.ts";
import { claimOfTemplate } from "./volumes.ts";
import {
  daemonSetRules,
  deploymentRules,
  replicaSetRules,
  replicationControllerRules,
  statefulSetRules,
  type WorkloadRules,
} from "./workload-rules.ts";
import { isAhead } from "../../values/kubernetes-changes.ts";

/** A kind whose template is `spec.template`. The compiler does not see that a copy of one is of the same kind. */
interface Templated extends TypedObject {
  spec: { template?: PodTemplateSpec | undefined };
  status: object;
}
type Defaulted<Kind extends Templated> = Draft<Kind> & Pick<Templated, "spec">;

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";
/** Valid names: those of the Job under review do not matter for the template. */
const ANY_NAME = "x";
const ANY_UID = "00000000-0000-0000-0000-000000000000";

/** The strategy of a kind whose template is `spec.template`. */
function workload<Kind extends Templated>(
  rules: WorkloadRules<Kind>,
  defaults: (object: Kind, request: ResourceRequest) => Defaulted<Kind>,
): Strategy<Kind> {
  return {
    prepareCreate: (object, request) => ({
      ...defaults(withKnownFields(object, undefined, request.server), request),
      status: {},
    }),
    completeCreate: (object, request) => withPodDefaults(object, request),
    prepareUpdate: (object, current, request) =>
      withPodDefaults(defaults(withKnownFields(object, current, request.server), request), request, current),
    validate(object, current, request) {
      if (request.subresource) return rules.statusErrors(object.status ?? {});
      const { spec } = object;
      const { kubernetes } = request.server;
      return [
        ...rules.specErrors(spec, current?.spec, kubernetes),
        ...rules.selectionErrors(spec),
        ...(spec.template ? podErrors(spec.template, rules, request) : []),
        ...(current ? (rules.changeErrors?.(spec, current.spec, kubernetes) ?? []) : []),
      ];
    },
  };
}

function withKnownFields<Kind extends Templated>(object: Kind, current: Kind | undefined, gates: Gates): Kind {
  const { template: given } = object.spec ?? {};
  if (given === undefined) return object;
  const template = withoutDroppedPodFields(given, current?.spec.template, gates);
  return template === given ? object : { ...object, spec: { ...object.spec, template } };
}

const withSpec = <Kind extends Templated>(
  object: Kind,
  change: (spec: Kind["spec"]) => DraftPart<Kind["spec"]>,
): Defaulted<Kind> => ({ ...object, spec: change(object.spec ?? {}) }) as Defaulted<Kind>;

const deployment = workload<Deployment>(deploymentRules, (object) =>
  withSpec(object, (spec) => ({
    ...spec,
    replicas: spec.replicas ?? 1,
    strategy: rolling(spec.strategy, { maxUnavailable: "25%", maxSurge: "25%" }),
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
    progressDeadlineSeconds: spec.progressDeadlineSeconds ?? 600,
  })),
);

/** A Deployment counts the changes of its annotations, too. With its status no labels are written. */
export const deploymentStrategy: Strategy<Deployment> = {
  ...deployment,
  prepareUpdate(object, current, request) {
    const updated = deployment.prepareUpdate!(object, current, request);
    if (deepEqual(object.metadata.annotations ?? {}, current.metadata.annotations ?? {})) return updated;
    return { ...updated, metadata: { ...updated.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
  },
  prepareSubresourceUpdate: (object, current) => withLabelsOf(current, keepSpec(object, current)),
};

function withLabelsOf({ metadata: { labels } }: Deployment, object: Deployment): Deployment {
  const { labels: _given, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(labels && { labels }) } };
}

export const replicaSetStrategy = workload<ReplicaSet>(replicaSetRules, (object) =>
  withSpec(object, (spec) => ({ ...spec, replicas: spec.replicas ?? 1 })),
);

export const statefulSetStrategy = workload<StatefulSet>(statefulSetRules, (object, { server }) =>
  withSpec(object, (spec) => {
    const { type = "", rollingUpdate } = spec.updateStrategy ?? {};
    const defaults = isAhead("more-defaults", server.kubernetes)
      ? { partition: 0 }
      : { partition: 0, maxUnavailable: 1 };
    const limits = type === "" || rollingUpdate ? { rollingUpdate: { ...defaults, ...rollingUpdate } } : {};
    const retention = spec.persistentVolumeClaimRetentionPolicy ?? {};
    return {
      ...spec,
      ...(spec.volumeClaimTemplates && { volumeClaimTemplates: spec.volumeClaimTemplates.map(claimOfTemplate) }),
      replicas: spec.replicas ?? 1,
      podManagementPolicy: spec.podManagementPolicy || "OrderedReady",
      updateStrategy: type === "OnDelete" ? spec.updateStrategy : { type: type || "RollingUpdate", ...limits },
      revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: retention.whenDeleted || "Retain",
        whenScaled: retention.whenScaled || "Retain",
      },
    };
  }),
);

const daemonSet = workload<DaemonSet>(daemonSetRules, (object) =>
  withSpec(object, (spec) => ({
    ...spec,
    updateStrategy: rolling(spec.updateStrategy, { maxUnavailable: 1, maxSurge: 0 }),
    revisionHistoryLimit: spec.revisionHistoryLimit ?? 10,
  })),
);

/** A DaemonSet counts the changes of its template in an annotation. */
export const daemonSetStrategy: Strategy<DaemonSet> = {
  ...daemonSet,
  prepareCreate: (object, request) => withTemplateGeneration(daemonSet.prepareCreate!(object, request), 1),
  prepareUpdate(object, current, request) {
    const updated = daemonSet.prepareUpdate!(object, current, request);
    const before = Number(current.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const isChanged = !deepEqual(updated.spec.template, current.spec.template);
    return withTemplateGeneration(updated, isChanged ? before + 1 : before);
  },
  prepareSubresourceUpdate: (object, current) =>
    withTemplateGeneration(keepSpec(object, current), Number(current.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0)),
};

function withTemplateGeneration(object: Draft<DaemonSet>, generation: number): Draft<DaemonSet> {
  const annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** A ReplicationController gets missing fields from the labels of its template. */
export const replicationControllerStrategy = workload<ReplicationController>(replicationControllerRules, (object) => {
  const { spec = {} } = object;
  const labels = spec.template?.metadata?.labels;
  const isEmpty = (map: object | undefined): boolean => Object.keys(map ?? {}).length === 0;
  return {
    ...object,
    ...(labels && isEmpty(object.metadata.labels) && { metadata: { ...object.metadata, labels } }),
    spec: {
      ...spec,
      replicas: spec.replicas ?? 1,
      ...(labels && isEmpty(spec.selector) && { selector: labels }),
    },
  };
});

export const podTemplateStrategy: Strategy<PodTemplate> = {
  prepareCreate: (object, { server }) => ({
    ...object,
    template: withoutDroppedPodFields(object.template, undefined, server),
  }),
  completeCreate: (object, request) => ({
    ...object,
    template: templateDefaults(object.template, "template", request, true),
  }),
  prepareUpdate(object, current, request) {
    const template = withoutDroppedPodFields(object.template, current.template, request.server);
    const isChanged = !deepEqual(template, current.template);
    const updated = { ...object, template: templateDefaults(template, "template", request, isChanged) };
    if (deepEqual(updated.template, current.template)) return updated;
    return { ...updated, metadata: { ...object.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
  },
  validate: (object, _current, request) => templateErrors(object.template, "template", request),
};

export const controllerRevisionStrategy: Strategy<ControllerRevision> = {
  validate(revision, current) {
    return [
      ...(revision.data == null ? [required("data", "data is mandatory")] : []),
      ...notNegative(revision, ["revision"], ""),
      ...immutable(["data"], revision, current),
    ];
  },
};

/** A strategy with its type and the limits of a rolling update. */
function rolling(given: DeploymentStrategy = {}, limits: RollingUpdateDeployment): DeploymentStrategy {
  const type = given.type || "RollingUpdate";
  return type === "RollingUpdate" ? { type, rollingUpdate: { ...limits, ...given.rollingUpdate } } : { ...given };
}

function withPodDefaults<Kind extends Templated>(
  object: Pick<Templated, "spec">,
  request: ResourceRequest,
  current?: Kind,
): Defaulted<Kind> {
  const { template } = object.spec;
  if (!template) return object as Defaulted<Kind>;
  const isChanged = !deepEqual(template, current?.spec?.template);
  return {
    ...object,
    spec: { ...object.spec, template: templateDefaults(template, "spec.template", request, isChanged) },
  } as Defaulted<Kind>;
}

/** @param warns whether the client gets the warnings about the template: it is new */
function templateDefaults(
  template: PodTemplateSpec,
  path: string,
  request: ResourceRequest,
  warns: boolean,
): PodTemplateSpec {
  const { object: job, warnings } = review(template, request);
  if (warns) for (const warning of warnings) request.warnings.add(warning.replace(/^spec\.template\b/, path));
  return { ...template, spec: { ...job.spec.template.spec, restartPolicy: restartPolicyOf(template) } };
}

function templateErrors(template: PodTemplateSpec, path: string, request: ResourceRequest): Violation[] {
  const causes = review(template, request).causes.map((cause) => ({
    ...cause,
    field: cause.field.replace(/^spec\.template\b/, path),
  }));
  return [...causes, ...(template.spec ? schedulingGroupErrors(template.spec, `${path}.spec`) : [])];
}

/** Fields that are forbidden in the template of a kind that keeps pods alive. */
function podErrors(template: PodTemplateSpec, { kind }: { kind: string }, request: ResourceRequest): Violation[] {
  const field = "spec.template.spec";
  return [
    ...templateErrors(template, "spec.template", request),
    ...oneOf(restartPolicyOf(template), ["Always"], `${field}.restartPolicy`),
    ...(template.spec?.activeDeadlineSeconds === undefined
      ? []
      : [forbidden(`${field}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

const restartPolicyOf = ({ spec }: PodTemplateSpec): string => spec?.restartPolicy || "Always";

/**
 * The template as that of a Job, which admission knows: all templates have the same defaults and rules, but for the
 * restart policy.
 */
function review(
  template: PodTemplateSpec,
  { server, namespace }: ResourceRequest,
): PartReview<{ spec: { template: PodTemplateSpec } }> {
  const spec = { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } };
  const metadata = { name: ANY_NAME, namespace, uid: ANY_UID };
  const job = { kind: "Job", apiVersion: "batch/v1", metadata, spec };
  return reviewPart(job, server.definition("batch", "jobs"), server);
}
