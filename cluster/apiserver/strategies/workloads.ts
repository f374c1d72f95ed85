/**
 * The kinds of apps/v1, and the other kinds with a pod template: defaults, and admission of the template.
 * workload-rules.ts validates the rest. These objects are only stored: no controller makes pods of them. Source:
 * pkg/apis/apps/v1/defaults.go, pkg/registry/apps.
 */
import type { JsonObject, KubeObject } from "../../values/types.ts";
import { reviewPart } from "../verbs/admission.ts";
import type { ResourceRequest, Strategy } from "../contract/context.ts";
import { deepEqual } from "../../values/json.ts";
import type { Violation } from "../contract/status-errors.ts";
import { keepSpec } from "../verbs/update.ts";
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

type Spec = Record<string, any>;
interface Template {
  readonly metadata?: JsonObject;
  readonly spec?: JsonObject;
}

const TEMPLATE_GENERATION = "deprecated.daemonset.template.generation";
/** Valid names: those of the Job under review do not matter for the template. */
const ANY_NAME = "x";
const ANY_UID = "00000000-0000-0000-0000-000000000000";

/** The strategy of a kind whose template is `spec.template`. */
function workload(rules: WorkloadRules, defaults: (object: KubeObject) => KubeObject): Strategy {
  return {
    prepareCreate: (object) => ({ ...defaults(object), status: {} }),
    completeCreate: (object, request) => withPodDefaults(object, request),
    prepareUpdate: (object, current, request) => withPodDefaults(defaults(object), request, current),
    validate(object, current, request) {
      if (request.subresource) return rules.statusErrors(object["status"] ?? {});
      const { spec } = object;
      return [
        ...rules.specErrors(spec, current?.["spec"]),
        ...rules.selectionErrors(spec),
        ...(spec.template ? podErrors(spec.template, rules, request) : []),
      ];
    },
  };
}

const withSpec = (object: KubeObject, change: (spec: Spec) => Spec): KubeObject => ({
  ...object,
  spec: change(object["spec"] ?? {}),
});

const deployment = workload(deploymentRules, (object) =>
  withSpec(object, (spec) => ({
    ...spec,
    replicas: spec["replicas"] ?? 1,
    strategy: rolling(spec["strategy"], { maxUnavailable: "25%", maxSurge: "25%" }),
    revisionHistoryLimit: spec["revisionHistoryLimit"] ?? 10,
    progressDeadlineSeconds: spec["progressDeadlineSeconds"] ?? 600,
  })),
);

/** A Deployment counts the changes of its annotations, too. With its status no labels are written. */
export const deploymentStrategy: Strategy = {
  ...deployment,
  prepareUpdate(object, current, request) {
    const updated = deployment.prepareUpdate!(object, current, request);
    if (deepEqual(object.metadata.annotations ?? {}, current.metadata.annotations ?? {})) return updated;
    return { ...updated, metadata: { ...updated.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
  },
  prepareSubresourceUpdate: (object, current) => withLabelsOf(current, keepSpec(object, current)),
};

function withLabelsOf({ metadata: { labels } }: KubeObject, object: KubeObject): KubeObject {
  const { labels: _given, ...metadata } = object.metadata;
  return { ...object, metadata: { ...metadata, ...(labels && { labels }) } as KubeObject["metadata"] };
}

export const replicaSetStrategy = workload(replicaSetRules, (object) =>
  withSpec(object, (spec) => ({ ...spec, replicas: spec["replicas"] ?? 1 })),
);

export const statefulSetStrategy = workload(statefulSetRules, (object) =>
  withSpec(object, (spec) => {
    const { type = "", rollingUpdate } = spec["updateStrategy"] ?? {};
    const limits = type === "" || rollingUpdate ? { rollingUpdate: { partition: 0, ...rollingUpdate } } : {};
    const retention = spec["persistentVolumeClaimRetentionPolicy"] ?? {};
    return {
      ...spec,
      ...(spec["volumeClaimTemplates"] && { volumeClaimTemplates: spec["volumeClaimTemplates"].map(claimOfTemplate) }),
      replicas: spec["replicas"] ?? 1,
      podManagementPolicy: spec["podManagementPolicy"] || "OrderedReady",
      updateStrategy: type === "OnDelete" ? spec["updateStrategy"] : { type: type || "RollingUpdate", ...limits },
      revisionHistoryLimit: spec["revisionHistoryLimit"] ?? 10,
      persistentVolumeClaimRetentionPolicy: {
        whenDeleted: retention.whenDeleted || "Retain",
        whenScaled: retention.whenScaled || "Retain",
      },
    };
  }),
);

const daemonSet = workload(daemonSetRules, (object) =>
  withSpec(object, (spec) => ({
    ...spec,
    updateStrategy: rolling(spec["updateStrategy"], { maxUnavailable: 1, maxSurge: 0 }),
    revisionHistoryLimit: spec["revisionHistoryLimit"] ?? 10,
  })),
);

/** A DaemonSet counts the changes of its template in an annotation. */
export const daemonSetStrategy: Strategy = {
  ...daemonSet,
  prepareCreate: (object, request) => withTemplateGeneration(daemonSet.prepareCreate!(object, request), 1),
  prepareUpdate(object, current, request) {
    const updated = daemonSet.prepareUpdate!(object, current, request);
    const before = Number(current.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0);
    const isChanged = !deepEqual(updated["spec"].template, current["spec"].template);
    return withTemplateGeneration(updated, isChanged ? before + 1 : before);
  },
  prepareSubresourceUpdate: (object, current) =>
    withTemplateGeneration(keepSpec(object, current), Number(current.metadata.annotations?.[TEMPLATE_GENERATION] ?? 0)),
};

function withTemplateGeneration(object: KubeObject, generation: number): KubeObject {
  const annotations = { ...object.metadata.annotations, [TEMPLATE_GENERATION]: String(generation) };
  return { ...object, metadata: { ...object.metadata, annotations } };
}

/** A ReplicationController gets missing fields from the labels of its template. */
export const replicationControllerStrategy = workload(replicationControllerRules, (object) => {
  const { spec = {} } = object;
  const labels: Record<string, string> | undefined = spec.template?.metadata?.labels;
  const isEmpty = (map: object | undefined): boolean => Object.keys(map ?? {}).length === 0;
  return {
    ...object,
    ...(labels &&
      isEmpty(object.metadata.labels) && { metadata: { ...object.metadata, labels } as KubeObject["metadata"] }),
    spec: {
      ...spec,
      replicas: spec.replicas ?? 1,
      ...(labels && isEmpty(spec.selector) && { selector: labels }),
    },
  };
});

export const podTemplateStrategy: Strategy = {
  completeCreate: (object, request) => ({
    ...object,
    template: templateDefaults(object["template"], "template", request, true),
  }),
  prepareUpdate(object, current, request) {
    const isChanged = !deepEqual(object["template"], current["template"]);
    const updated = { ...object, template: templateDefaults(object["template"], "template", request, isChanged) };
    if (deepEqual(updated.template, current["template"])) return updated;
    return { ...updated, metadata: { ...object.metadata, generation: (current.metadata.generation ?? 0) + 1 } };
  },
  validate: (object, _current, request) => templateErrors(object["template"], "template", request),
};

export const controllerRevisionStrategy: Strategy = {
  validate(revision, current) {
    return [
      ...(revision["data"] == null ? [required("data", "data is mandatory")] : []),
      ...notNegative(revision, ["revision"], ""),
      ...immutable(["data"], revision, current),
    ];
  },
};

/** A strategy with its type and the limits of a rolling update. */
function rolling(given: Spec = {}, limits: Spec): Spec {
  const type = given["type"] || "RollingUpdate";
  return type === "RollingUpdate" ? { type, rollingUpdate: { ...limits, ...given["rollingUpdate"] } } : { ...given };
}

function withPodDefaults(object: KubeObject, request: ResourceRequest, current?: KubeObject): KubeObject {
  const { template } = object["spec"];
  if (!template) return object;
  const isChanged = !deepEqual(template, current?.["spec"]?.template);
  return {
    ...object,
    spec: { ...object["spec"], template: templateDefaults(template, "spec.template", request, isChanged) },
  };
}

/** @param warns whether the client gets the warnings about the template: it is new */
function templateDefaults(template: Template, path: string, request: ResourceRequest, warns: boolean): object {
  const { object: job, warnings } = review(template, request);
  if (warns) for (const warning of warnings) request.warnings.add(warning.replace(/^spec\.template\b/, path));
  return { ...template, spec: { ...job["spec"].template.spec, restartPolicy: restartPolicyOf(template) } };
}

function templateErrors(template: Template, path: string, request: ResourceRequest): Violation[] {
  return review(template, request).causes.map((cause) => ({
    ...cause,
    field: cause.field.replace(/^spec\.template\b/, path),
  }));
}

/** Fields that are forbidden in the template of a kind that keeps pods alive. */
function podErrors(template: Template, { kind }: WorkloadRules, request: ResourceRequest): Violation[] {
  const field = "spec.template.spec";
  return [
    ...templateErrors(template, "spec.template", request),
    ...oneOf(restartPolicyOf(template), ["Always"], `${field}.restartPolicy`),
    ...(template.spec?.["activeDeadlineSeconds"] === undefined
      ? []
      : [forbidden(`${field}.activeDeadlineSeconds`, `activeDeadlineSeconds in ${kind} is not Supported`)]),
  ];
}

const restartPolicyOf = ({ spec }: Template): string => (spec?.["restartPolicy"] as string) || "Always";

/**
 * The template as that of a Job, which admission knows: all templates have the same defaults and rules, but for the
 * restart policy.
 */
function review(template: Template, { server, namespace }: ResourceRequest): ReturnType<typeof reviewPart> {
  const spec = { template: { ...template, spec: { ...template.spec, restartPolicy: "Never" } } };
  const metadata = { name: ANY_NAME, namespace, uid: ANY_UID };
  const job = { kind: "Job", apiVersion: "batch/v1", metadata, spec };
  return reviewPart(job as unknown as KubeObject, server.definition("batch", "jobs"), server);
}
