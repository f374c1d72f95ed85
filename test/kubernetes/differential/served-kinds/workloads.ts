/** Tried of the kinds of apps/v1, and what else has a pod template. */
import type { Json, JsonObject } from "../../../../cluster/index.ts";
import type { TriedKind } from "../kinds.ts";

const core = "/api/v1/namespaces/<ns>";
const apps = "/apis/apps/v1/namespaces/<ns>";
const container = { name: "c", image: "busybox" };
const labels = { app: "a" };
const selector = { matchLabels: labels };
const template = { metadata: { labels }, spec: { containers: [container] } };
const otherLabels = { metadata: { labels: { app: "b" } } };
const REPLICA_CHANGES: readonly JsonObject[] = [
  { spec: { replicas: 3 } },
  { spec: { replicas: -1 } },
  { spec: { minReadySeconds: 5 } },
  { spec: { minReadySeconds: -5 } },
];

/** What all workloads of apps/v1 have in common. */
function workload(
  kind: string,
  plural: string,
  rest: Pick<TriedKind, "object" | "changes" | "others"> & { readonly statusChanges: readonly JsonObject[] },
): TriedKind {
  return {
    kind,
    apiVersion: "apps/v1",
    collection: `${apps}/${plural}`,
    ...rest,
    object: { spec: { selector, template, ...(rest.object as { readonly [name: string]: Json }) } },
    changes: [
      { spec: { template: { spec: { containers: [{ ...container, image: "other" }] } } } },
      { spec: { template: { metadata: { annotations: { "bad key": "x" } } } } },
      { spec: { template: otherLabels } },
      { spec: { selector: { matchLabels: { app: "b" } } } },
      { spec: { template: { spec: { restartPolicy: "Never" } } } },
      { spec: { template: { spec: { activeDeadlineSeconds: 5 } } } },
      { spec: { template: { spec: { containers: [] } } } },
      ...rest.changes,
      { status: { replicas: 5 } },
    ],
    statusChanges: [
      ...rest.statusChanges,
      { spec: { minReadySeconds: 7 } },
      { metadata: { labels: { by: "status" } } },
    ],
    others: [
      {},
      { spec: {} },
      { spec: { template } },
      { spec: { selector: {}, template } },
      { spec: { selector, template: { spec: template.spec } } },
      { spec: { selector, template: { ...template, spec: { ...template.spec, restartPolicy: "OnFailure" } } } },
      { spec: { selector: { matchExpressions: [{ key: "app", operator: "Odd" }] }, template } },
      ...rest.others,
    ],
    fieldSelectors: ["spec.replicas=1"],
  };
}

export const WORKLOADS: readonly TriedKind[] = [
  workload("Deployment", "deployments", {
    object: {},
    changes: [
      ...REPLICA_CHANGES,
      { spec: { strategy: { rollingUpdate: { maxSurge: 0, maxUnavailable: 0 } } } },
      { spec: { strategy: { rollingUpdate: { maxSurge: "x" } } } },
      { spec: { strategy: { type: "Recreate" } } },
      { spec: { strategy: { type: "Odd" } } },
      { spec: { paused: true, revisionHistoryLimit: 2 } },
      { spec: { revisionHistoryLimit: -2 } },
      { spec: { progressDeadlineSeconds: 1, minReadySeconds: 1 } },
    ],
    statusChanges: [
      { status: { replicas: 2, updatedReplicas: 1, readyReplicas: 1, observedGeneration: 1 } },
      { status: { replicas: -1 } },
      { status: { availableReplicas: 9 } },
      { status: { conditions: [{ type: "Available", status: "True" }] } },
    ],
    others: [
      { spec: { selector, template, replicas: -1 } },
      { spec: { selector, template, strategy: { type: "Recreate", rollingUpdate: {} } } },
      { spec: { selector, template, strategy: { rollingUpdate: { maxUnavailable: "200%" } } } },
    ],
  }),
  workload("ReplicaSet", "replicasets", {
    object: {},
    changes: REPLICA_CHANGES,
    statusChanges: [
      { status: { replicas: 2, readyReplicas: 1, observedGeneration: 1 } },
      { status: { replicas: -1 } },
      { status: { fullyLabeledReplicas: 9 } },
    ],
    others: [{ spec: { selector, template, replicas: -1 } }],
  }),
  workload("StatefulSet", "statefulsets", {
    object: { serviceName: "s" },
    changes: [
      ...REPLICA_CHANGES,
      { spec: { serviceName: "t" } },
      { spec: { podManagementPolicy: "Parallel" } },
      { spec: { updateStrategy: { rollingUpdate: { partition: 1 } } } },
      { spec: { updateStrategy: { rollingUpdate: { partition: -1 } } } },
      { spec: { updateStrategy: { type: "Odd" } } },
      { spec: { persistentVolumeClaimRetentionPolicy: { whenDeleted: "Delete" } } },
      { spec: { persistentVolumeClaimRetentionPolicy: { whenScaled: "Odd" } } },
      { spec: { ordinals: { start: -1 } } },
    ],
    statusChanges: [
      { status: { replicas: 2, currentReplicas: 1, currentRevision: "r" } },
      { status: { replicas: -1 } },
      { status: { readyReplicas: 9 } },
    ],
    others: [
      { spec: { selector, template, podManagementPolicy: "Odd" } },
      {
        spec: {
          selector,
          template,
          volumeClaimTemplates: [
            {
              metadata: { name: "v" },
              spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
            },
          ],
        },
      },
    ],
  }),
  workload("DaemonSet", "daemonsets", {
    object: {},
    changes: [
      { spec: { minReadySeconds: 5 } },
      { spec: { minReadySeconds: -5 } },
      { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: "50%" } } } },
      { spec: { updateStrategy: { rollingUpdate: { maxUnavailable: 0 } } } },
      { spec: { updateStrategy: { type: "OnDelete" } } },
      { spec: { updateStrategy: { type: "Odd" } } },
      { spec: { revisionHistoryLimit: -1 } },
    ],
    statusChanges: [
      {
        status: { currentNumberScheduled: 1, numberMisscheduled: 0, desiredNumberScheduled: 1, numberReady: 1 },
      },
      { status: { numberReady: -1 } },
    ],
    others: [{ spec: { selector, template, updateStrategy: { rollingUpdate: { maxSurge: 1 } } } }],
  }),
  {
    kind: "ControllerRevision",
    apiVersion: "apps/v1",
    collection: `${apps}/controllerrevisions`,
    object: { revision: 1, data: { any: ["thing"] } },
    changes: [{ revision: 2 }, { revision: -1 }, { data: { any: ["other"] } }],
    others: [{}, { revision: 1 }, { data: {} }],
    fieldSelectors: ["revision=1"],
  },
  {
    kind: "PodTemplate",
    apiVersion: "v1",
    collection: `${core}/podtemplates`,
    object: { template },
    changes: [
      { template: { spec: { restartPolicy: "Never" } } },
      { template: { spec: { containers: [] } } },
      { template: otherLabels },
    ],
    others: [{}, { template: {} }, { template: { spec: {} } }],
    fieldSelectors: ["template=x"],
  },
  {
    kind: "ReplicationController",
    apiVersion: "v1",
    collection: `${core}/replicationcontrollers`,
    object: { spec: { template } },
    changes: [...REPLICA_CHANGES, { spec: { template: otherLabels } }, { spec: { selector: { app: "c" } } }],
    statusChanges: [
      { status: { replicas: 2, readyReplicas: 1, observedGeneration: 1 } },
      { status: { replicas: -1 } },
      { status: { readyReplicas: 9 } },
    ],
    others: [{}, { spec: {} }, { spec: { selector: { app: "z" }, template } }, { spec: { selector: labels } }],
    fieldSelectors: ["status.replicas=0", "spec.replicas=1"],
  },
];
