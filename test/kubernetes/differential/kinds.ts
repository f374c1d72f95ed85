/** The kinds that the sequences write, each with objects to begin with and with changes to them, good and bad. */
import type { Json, JsonObject } from "../../../cluster/index.ts";

export interface TriedKind {
  readonly kind: string;
  readonly apiVersion: string;
  /** Path of the collection. */
  readonly collection: string;
  /** Objects of a cluster are called after the namespace of their sequence, as no two sequences may share one. */
  readonly isOfCluster?: true;
  /** What an object has beside its name. */
  readonly object: JsonObject;
  /** Merge patches, one after the other; each is also sent as an update of what is there. */
  readonly changes: readonly JsonObject[];
  /** The same of its status. */
  readonly statusChanges?: readonly JsonObject[];
  /** More objects, each created as a dry run. */
  readonly others: readonly JsonObject[];
  readonly fieldSelectors: readonly string[];
}

const core = "/api/v1/namespaces/<ns>";
const container = { name: "c", image: "busybox" };
const template = { spec: { restartPolicy: "Never", containers: [container] } };
const reference = { kind: "Pod", namespace: "<ns>", name: "p" };
const long = "x".repeat(64);

export const KINDS: readonly TriedKind[] = [
  {
    kind: "ConfigMap",
    apiVersion: "v1",
    collection: `${core}/configmaps`,
    object: { data: { b: "2", a: "1" }, binaryData: { z: "AAE=" } },
    changes: [
      { data: { a: null, c: "<&>\u2028" } },
      { data: { "bad key": "x" } },
      { data: { z: "both" } },
      { binaryData: { y: "no base64!" } },
      { data: { a: 5 } },
      { data: null, binaryData: null },
      { metadata: { generation: 7 } },
      { immutable: true },
      { data: { d: "4" } },
      { immutable: false },
      { metadata: { labels: { after: "immutable" } } },
    ],
    others: [
      {},
      { data: null },
      { data: {} },
      { immutable: false },
      { data: { "..": "x" } },
      { data: { [`${long}`.repeat(4)]: "x" } },
    ],
    fieldSelectors: ["data.a=1"],
  },
  {
    kind: "Secret",
    apiVersion: "v1",
    collection: `${core}/secrets`,
    object: { type: "Opaque", stringData: { b: "2" }, data: { a: "MQ==" } },
    changes: [
      { stringData: { a: "plain" } },
      { data: { a: "???" } },
      { type: "kubernetes.io/tls" },
      { data: { "bad key": "MQ==" } },
      { immutable: true },
      { stringData: { x: "y" } },
    ],
    others: [
      {},
      { type: "kubernetes.io/tls" },
      { type: "kubernetes.io/basic-auth" },
      { type: "kubernetes.io/ssh-auth" },
      { type: "kubernetes.io/dockerconfigjson", stringData: { ".dockerconfigjson": "no json" } },
      { type: "kubernetes.io/dockercfg", stringData: { ".dockercfg": "{}" } },
      { type: "kubernetes.io/service-account-token" },
      { type: "bootstrap.kubernetes.io/token" },
    ],
    fieldSelectors: ["type=Opaque", "type!=Opaque"],
  },
  {
    kind: "Pod",
    apiVersion: "v1",
    collection: `${core}/pods`,
    object: { spec: { containers: [container] } },
    changes: [
      { spec: { activeDeadlineSeconds: 10 } },
      { spec: { activeDeadlineSeconds: 20 } },
      { spec: { activeDeadlineSeconds: 5 } },
      { spec: { activeDeadlineSeconds: null } },
      { spec: { nodeName: "n" } },
      { spec: { containers: [{ ...container, image: "other" }] } },
      { spec: { containers: [{ ...container, name: "other" }] } },
      { spec: { tolerations: [] } },
      { spec: { priority: 5 } },
      { spec: { restartPolicy: "Sometimes" } },
      { spec: { terminationGracePeriodSeconds: -1 } },
      { status: { phase: "Running" } },
    ],
    statusChanges: [
      { status: { phase: "Running", podIP: "10.0.0.1" } },
      { status: { podIP: "nonsense" } },
      { status: { conditions: [{ type: "Ready", status: "True" }] } },
      { status: { qosClass: "Guaranteed" } },
      { status: { phase: "Odd" } },
      { spec: { nodeName: "n" } },
      { metadata: { labels: { by: "status" } } },
      { status: { containerStatuses: [{ name: "c", state: { terminated: { exitCode: 0 } } }] } },
      { status: { containerStatuses: [{ name: "c", state: { running: {} } }] } },
    ],
    others: [
      {},
      { spec: {} },
      { spec: { containers: [] } },
      { spec: { containers: [container, container] } },
      { spec: { containers: [{ name: "c" }] } },
      {
        spec: {
          containers: [{ ...container, resources: { requests: { cpu: "0.5", memory: "1Gi" }, limits: { cpu: 1 } } }],
        },
      },
      { spec: { containers: [{ ...container, resources: { limits: { cpu: "-1" } } }] } },
      {
        spec: {
          containers: [
            {
              ...container,
              env: [
                { name: "A", value: "x" },
                { name: "A=", value: "x" },
              ],
            },
          ],
        },
      },
      { spec: { containers: [{ ...container, ports: [{ containerPort: 80 }, { containerPort: 70000 }] }] } },
      { spec: { containers: [container], volumes: [{ name: "v" }, { name: "v", emptyDir: {} }] } },
      { spec: { containers: [container], nodeName: "n", schedulingGates: [{ name: "g" }] } },
      { spec: { containers: [container], hostNetwork: true, dnsPolicy: "Odd" } },
      { spec: { containers: [container], priorityClassName: "system-node-critical" } },
      { spec: { containers: [container], priorityClassName: "none" } },
      { spec: { containers: [container], activeDeadlineSeconds: 9007199254740993 } },
      { spec: { containers: [container], activeDeadlineSeconds: 1.5 } },
      { spec: { containers: [container], activeDeadlineSeconds: 1e3 } },
    ],
    fieldSelectors: [
      "spec.nodeName=",
      "status.phase=Pending",
      "status.phase!=Pending",
      "spec.restartPolicy=Never",
      "spec.hostNetwork=false",
    ],
  },
  {
    kind: "Job",
    apiVersion: "batch/v1",
    collection: "/apis/batch/v1/namespaces/<ns>/jobs",
    object: { spec: { suspend: true, completions: 3, template } },
    changes: [
      { spec: { parallelism: 2 } },
      { spec: { parallelism: -1 } },
      { spec: { completions: 4 } },
      { spec: { completionMode: "Indexed" } },
      { spec: { backoffLimit: 0, activeDeadlineSeconds: 5 } },
      { spec: { activeDeadlineSeconds: 9007199254740993 } },
      { spec: { template: { metadata: { labels: { a: "b" } } } } },
      { spec: { template: { spec: { restartPolicy: "Always" } } } },
      { spec: { selector: null } },
      { spec: { suspend: false } },
      { spec: { template: { metadata: { labels: { a: "c" } } } } },
      { spec: { ttlSecondsAfterFinished: -5 } },
      { spec: { suspend: "yes" } },
      { status: { active: 5 } },
    ],
    statusChanges: [
      { status: { active: 1 } },
      { status: { startTime: "2020-01-01T01:00:00+01:00", ready: 0, terminating: 0 } },
      { status: { active: -1 } },
      { status: { conditions: [{ type: "Complete", status: "True" }] } },
      { status: { succeeded: 1, uncountedTerminatedPods: { succeeded: ["u"], failed: [] } } },
      { status: { completedIndexes: "0-2" } },
      { spec: { parallelism: 9 } },
      { metadata: { labels: { by: "status" } } },
      { status: null },
    ],
    others: [
      {},
      { spec: {} },
      { spec: { template: {} } },
      { spec: { template: { spec: { containers: [container] } } } },
      { spec: { template, podFailurePolicy: { rules: [] } } },
      { spec: { template, successPolicy: { rules: [] }, completionMode: "Indexed", completions: 2 } },
      {
        spec: {
          template,
          podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [1] } }] },
        },
      },
      {
        spec: {
          template,
          podFailurePolicy: { rules: [{ action: "FailJob", onExitCodes: { operator: "In", values: [] } }] },
        },
      },
      { spec: { template, podFailurePolicy: { rules: [{ action: "Ignore", onPodConditions: [{ type: "X" }] }] } } },
      { spec: { template, manualSelector: true } },
      { spec: { template, manualSelector: true, selector: { matchLabels: { a: "b" } } } },
      { spec: { template, selector: { matchLabels: { a: "b" } } } },
      { spec: { template, completionMode: "Indexed" } },
      { spec: { template, completionMode: "Indexed", parallelism: 2 } },
      { spec: { template, backoffLimitPerIndex: 1 } },
      { spec: { template, managedBy: "nobody" } },
      { spec: { template, managedBy: "example.com/me" } },
      { spec: { template, activeDeadlineSeconds: 9223372036854775807 } },
      { spec: { template, activeDeadlineSeconds: 9223372036854775808 } },
      { spec: { template, parallelism: 2147483648 } },
      { spec: { template: { metadata: { labels: { app: "x" } }, spec: template.spec } } },
    ],
    fieldSelectors: ["status.successful=0", "status.successful!=0"],
  },
  {
    kind: "CronJob",
    apiVersion: "batch/v1",
    collection: "/apis/batch/v1/namespaces/<ns>/cronjobs",
    object: { spec: { schedule: "0 0 1 1 *", jobTemplate: { spec: { template } } } },
    changes: [
      { spec: { schedule: "1 1 * * *", suspend: true } },
      { spec: { schedule: "never" } },
      { spec: { timeZone: "Europe/Berlin" } },
      { spec: { timeZone: "Nowhere" } },
      { spec: { concurrencyPolicy: "Replace" } },
      { spec: { concurrencyPolicy: "Odd" } },
      { spec: { jobTemplate: { spec: { parallelism: 3, podFailurePolicy: { rules: [] } } } } },
      { spec: { jobTemplate: { spec: { template: { spec: { containers: [{ name: "c", image: "other" }] } } } } } },
      { spec: { successfulJobsHistoryLimit: -1 } },
    ],
    statusChanges: [
      { status: { lastScheduleTime: "2020-01-01T00:00:00Z" } },
      { status: { active: [{ kind: "Job", name: "x", uid: "u" }] } },
      { status: { lastScheduleTime: "yesterday" } },
      { spec: { suspend: false } },
    ],
    others: [{}, { spec: {} }, { spec: { schedule: "* * * * *", jobTemplate: {} } }],
    fieldSelectors: ["spec.suspend=true"],
  },
  {
    kind: "Lease",
    apiVersion: "coordination.k8s.io/v1",
    collection: "/apis/coordination.k8s.io/v1/namespaces/<ns>/leases",
    object: { spec: { holderIdentity: "me", leaseDurationSeconds: 15, renewTime: "2020-01-01T00:00:00.123456Z" } },
    changes: [
      { spec: { renewTime: "2020-01-01T01:00:00.000001+01:00" } },
      { spec: { renewTime: "2020-01-01T00:00:00Z" } },
      { spec: { leaseDurationSeconds: 0 } },
      { spec: { leaseTransitions: -1 } },
      { spec: null },
    ],
    others: [{}, { spec: {} }, { spec: { holderIdentity: "" } }],
    fieldSelectors: ["spec.holderIdentity=me"],
  },
  {
    kind: "Event",
    apiVersion: "v1",
    collection: `${core}/events`,
    object: {
      involvedObject: reference,
      reason: "R",
      message: "m",
      type: "Normal",
      count: 1,
      source: { component: "t" },
    },
    changes: [
      { count: 2, lastTimestamp: "2020-01-01T00:00:00Z" },
      { type: "Odd" },
      { involvedObject: { namespace: "other" } },
      { message: "x".repeat(1025) },
      { eventTime: "2020-01-01T00:00:00.000000Z" },
      { series: { count: 2, lastObservedTime: "2020-01-01T00:00:00.000000Z" } },
      { count: "two" },
    ],
    others: [
      {},
      { involvedObject: { kind: "Node", name: "n" } },
      { involvedObject: reference, eventTime: "2020-01-01T00:00:00.000000Z" },
      {
        involvedObject: reference,
        eventTime: "2020-01-01T00:00:00.000000Z",
        reportingComponent: "a.b/c",
        reportingInstance: "i",
        action: "Do",
        reason: "R",
        type: "Normal",
      },
    ],
    fieldSelectors: ["involvedObject.name=p", "reason=R,type=Normal", "source=t", "reportingComponent=t"],
  },
  {
    kind: "Event",
    apiVersion: "events.k8s.io/v1",
    collection: "/apis/events.k8s.io/v1/namespaces/<ns>/events",
    object: {
      eventTime: "2020-01-01T00:00:00.000000Z",
      reportingController: "a.b/c",
      reportingInstance: "i",
      action: "Do",
      reason: "R",
      type: "Normal",
      regarding: reference,
      note: "n",
    },
    changes: [
      { note: "other" },
      { series: { count: 2, lastObservedTime: "2020-01-01T00:00:00.000000Z" } },
      { reason: "Other" },
      { deprecatedCount: 4 },
      { regarding: null },
    ],
    others: [{}, { regarding: reference }, { eventTime: "2020-01-01T00:00:00.000000Z", reportingController: "a b" }],
    fieldSelectors: ["regarding.name=p", "reportingController=a.b/c"],
  },
  {
    kind: "ResourceQuota",
    apiVersion: "v1",
    collection: `${core}/resourcequotas`,
    object: { spec: { hard: { "pods": "10", "requests.cpu": "0.5" }, scopes: ["NotTerminating"] } },
    changes: [
      { spec: { hard: { pods: "20" } } },
      { spec: { hard: { pods: "-1" } } },
      { spec: { hard: { odd: "1" } } },
      { spec: { hard: { pods: "1.5" } } },
      { spec: { scopes: ["Terminating"] } },
      { spec: { scopes: null, scopeSelector: null } },
      { spec: { hard: { "requests.cpu": "many" } } },
    ],
    statusChanges: [
      { status: { hard: { pods: "10" }, used: { pods: "3" } } },
      { status: { used: { pods: "-3" } } },
      { spec: { hard: { pods: "1" } } },
    ],
    others: [
      {},
      { spec: {} },
      { spec: { hard: {}, scopes: ["Odd"] } },
      { spec: { hard: { cpu: "1" }, scopes: ["BestEffort"] } },
    ],
    fieldSelectors: ["status.phase=x"],
  },
  {
    kind: "Namespace",
    apiVersion: "v1",
    collection: "/api/v1/namespaces",
    isOfCluster: true,
    object: {},
    changes: [
      { metadata: { labels: { a: "b" } } },
      { metadata: { labels: { "kubernetes.io/metadata.name": "other" } } },
      { spec: { finalizers: ["x/y"] } },
      { spec: { finalizers: [] } },
      { status: { phase: "Terminating" } },
    ],
    statusChanges: [
      { status: { phase: "Terminating" } },
      { status: { phase: "Active" } },
      { metadata: { labels: { by: "status" } } },
    ],
    others: [
      {},
      { spec: { finalizers: ["kubernetes", "a/b"] } },
      { spec: { finalizers: ["bad"] } },
      { status: { phase: "Terminating" } },
    ],
    fieldSelectors: ["status.phase=Active,metadata.name=<ns>"],
  },
  {
    kind: "Node",
    apiVersion: "v1",
    collection: "/api/v1/nodes",
    isOfCluster: true,
    object: { metadata: { labels: { of: "<ns>" } }, spec: { taints: [{ key: "k", effect: "NoSchedule" }] } },
    changes: [
      { spec: { unschedulable: true } },
      { spec: { taints: [{ key: "k", effect: "Odd" }] } },
      { spec: { podCIDR: "10.1.0.0/24" } },
      { spec: { podCIDR: "10.2.0.0/24" } },
      { spec: { providerID: "a" } },
      { spec: { providerID: "b" } },
      { status: { capacity: { cpu: "4" } } },
      { spec: { taints: null, unschedulable: null } },
    ],
    statusChanges: [
      { status: { capacity: { cpu: "4", memory: "1.5Gi" } } },
      { status: { allocatable: { cpu: "3500m" } } },
      {
        status: {
          conditions: [{ type: "Ready", status: "True" }],
          addresses: [{ type: "InternalIP", address: "10.0.0.1" }],
        },
      },
      { status: { nodeInfo: { kubeletVersion: "v1.36.3" } } },
      { spec: { unschedulable: true } },
      {
        status: {
          addresses: [
            { type: "InternalIP", address: "10.0.0.1" },
            { type: "InternalIP", address: "10.0.0.1" },
          ],
        },
      },
    ],
    others: [
      {},
      { status: { capacity: { cpu: "1" } } },
      { spec: { taints: [{ key: "", effect: "" }] } },
      { spec: { podCIDRs: ["x"] } },
    ],
    fieldSelectors: ["metadata.name=<ns>-a,spec.unschedulable=false", "spec.unschedulable=odd"],
  },
];

export function objectOf({ kind, apiVersion, object }: TriedKind, name: string, rest: JsonObject = {}): JsonObject {
  const merged: Record<string, Json> = { apiVersion, kind, ...object, ...rest };
  merged["metadata"] = { name, ...(object["metadata"] as JsonObject), ...(rest["metadata"] as JsonObject) };
  return merged;
}
