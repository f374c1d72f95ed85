/**
 * What the cases of the corpus are made of: valid Jobs, and valid values of the parts of a pod, each with what it needs
 * beside it. Data, without answers of a server.
 */
import type { JsonObject } from "../../cluster/values/types.ts";

export const CONTAINER = { name: "main", image: "example.com/work:1" } as const;

/** What the spec of a Job has beside its template. */
export const JOB_SPECS: readonly JsonObject[] = [
  {},
  { parallelism: 3, completions: 5, backoffLimit: 2 },
  { parallelism: 2 },
  { suspend: true, parallelism: 1, completions: 1 },
  { completionMode: "Indexed", completions: 5, parallelism: 5 },
  { completionMode: "Indexed", completions: 10, parallelism: 3, backoffLimitPerIndex: 1, maxFailedIndexes: 4 },
  {
    completionMode: "Indexed",
    completions: 10,
    parallelism: 10,
    successPolicy: { rules: [{ succeededIndexes: "0,2-4", succeededCount: 2 }, { succeededCount: 9 }] },
  },
  {
    completionMode: "Indexed",
    completions: 4,
    backoffLimitPerIndex: 2,
    podFailurePolicy: {
      rules: [
        { action: "FailIndex", onExitCodes: { operator: "In", values: [3, 42] } },
        { action: "Ignore", onPodConditions: [{ type: "DisruptionTarget", status: "True" }] },
      ],
    },
  },
  {
    podFailurePolicy: {
      rules: [
        { action: "FailJob", onExitCodes: { containerName: "main", operator: "NotIn", values: [0, 1] } },
        { action: "Count", onPodConditions: [{ type: "ConfigIssue", status: "True" }] },
      ],
    },
    podReplacementPolicy: "Failed",
  },
  { activeDeadlineSeconds: 600, ttlSecondsAfterFinished: 60, podReplacementPolicy: "TerminatingOrFailed" },
  { managedBy: "example.com/controller" },
  { manualSelector: true, selector: { matchLabels: { app: "corpus" } } },
  {
    manualSelector: true,
    selector: { matchExpressions: [{ key: "app", operator: "In", values: ["corpus", "other"] }] },
  },
];

/** Of a Job, a Pod or a template. */
export const METADATA: readonly JsonObject[] = [
  { labels: { "example.com/team": "blue", "tier": "batch" } },
  { annotations: { "example.com/note": "any text", "Upper.example.com/Key": "" } },
  { finalizers: ["example.com/hold"] },
  {
    ownerReferences: [{ apiVersion: "v1", kind: "ConfigMap", name: "owner", uid: "0", controller: true }],
  },
];

/** Of a container, also of one that initializes. */
export const CONTAINER_PARTS: readonly JsonObject[] = [
  { command: ["sh", "-c"], args: ["true"], workingDir: "/work" },
  {
    ports: [
      { name: "http", containerPort: 8080 },
      { containerPort: 53, protocol: "UDP", hostIP: "10.0.0.1" },
    ],
  },
  {
    env: [
      { name: "A", value: "1" },
      { name: "B", value: "$(A)" },
    ],
  },
  { env: [{ name: "NODE", valueFrom: { fieldRef: { fieldPath: "spec.nodeName" } } }] },
  { env: [{ name: "CPUS", valueFrom: { resourceFieldRef: { resource: "limits.cpu", divisor: "1m" } } }] },
  { env: [{ name: "KEY", valueFrom: { secretKeyRef: { name: "keys", key: "one", optional: true } } }] },
  { envFrom: [{ prefix: "X_", configMapRef: { name: "settings" } }, { secretRef: { name: "keys" } }] },
  { resources: { requests: { cpu: "100m", memory: "64Mi" }, limits: { cpu: "1", memory: "128Mi" } } },
  { resources: { limits: { "example.com/gpu": "1", "ephemeral-storage": "1Gi" } } },
  { resizePolicy: [{ resourceName: "cpu", restartPolicy: "NotRequired" }] },
  { terminationMessagePath: "/dev/end", terminationMessagePolicy: "FallbackToLogsOnError" },
  { imagePullPolicy: "Always", stdin: true, tty: true },
  {
    securityContext: {
      runAsUser: 1000,
      runAsNonRoot: true,
      readOnlyRootFilesystem: true,
      allowPrivilegeEscalation: false,
      capabilities: { add: ["NET_ADMIN"], drop: ["ALL"] },
      seccompProfile: { type: "RuntimeDefault" },
    },
  },
  { securityContext: { privileged: true, procMount: "Default", appArmorProfile: { type: "Unconfined" } } },
  {
    restartPolicy: "Never",
    restartPolicyRules: [{ action: "Restart", exitCodes: { operator: "In", values: [42] } }],
  },
];

/** Of a container that does not initialize, or of a sidecar. */
export const HANDLERS: readonly JsonObject[] = [
  { livenessProbe: { httpGet: { path: "/healthy", port: 8080 }, periodSeconds: 5 } },
  { readinessProbe: { tcpSocket: { port: "http" }, successThreshold: 2 } },
  { startupProbe: { exec: { command: ["true"] }, failureThreshold: 30, terminationGracePeriodSeconds: 5 } },
  { livenessProbe: { grpc: { port: 9090, service: "health" } } },
  { lifecycle: { postStart: { exec: { command: ["true"] } }, preStop: { sleep: { seconds: 2 } } } },
  {
    lifecycle: {
      preStop: { httpGet: { port: 80, host: "example.com", httpHeaders: [{ name: "X-A", value: "b" }] } },
    },
  },
];

/** A volume each; a container mounts it. */
export const VOLUMES: readonly JsonObject[] = [
  { emptyDir: { medium: "Memory", sizeLimit: "64Mi" } },
  { configMap: { name: "settings", items: [{ key: "one", path: "a/b", mode: 256 }], defaultMode: 420 } },
  { secret: { secretName: "keys", items: [{ key: "one", path: "one" }], optional: true } },
  { hostPath: { path: "/var/data", type: "Directory" } },
  { persistentVolumeClaim: { claimName: "data", readOnly: true } },
  { downwardAPI: { items: [{ path: "labels", fieldRef: { fieldPath: "metadata.labels" } }] } },
  {
    projected: {
      sources: [
        { configMap: { name: "settings" } },
        { secret: { name: "keys", items: [{ key: "one", path: "one" }] } },
        { serviceAccountToken: { path: "token", audience: "example.com", expirationSeconds: 900 } },
        { downwardAPI: { items: [{ path: "name", fieldRef: { fieldPath: "metadata.name" } }] } },
      ],
    },
  },
  { nfs: { server: "nfs.example.com", path: "/export", readOnly: true } },
  { csi: { driver: "csi.example.com", volumeAttributes: { size: "1" } } },
  { image: { reference: "example.com/data:1", pullPolicy: "IfNotPresent" } },
  {
    ephemeral: {
      volumeClaimTemplate: {
        spec: { accessModes: ["ReadWriteOnce"], resources: { requests: { storage: "1Gi" } } },
      },
    },
  },
];

const NODE_TERM = { matchExpressions: [{ key: "example.com/zone", operator: "In", values: ["a", "b"] }] };
const POD_TERM = { labelSelector: { matchLabels: { app: "corpus" } }, topologyKey: "kubernetes.io/hostname" };

/** Of a pod's spec. */
export const POD_PARTS: readonly JsonObject[] = [
  { nodeSelector: { "kubernetes.io/os": "linux", "disk": "fast" } },
  { serviceAccountName: "worker", automountServiceAccountToken: false },
  { hostname: "worker", subdomain: "workers", setHostnameAsFQDN: true },
  { terminationGracePeriodSeconds: 5, activeDeadlineSeconds: 60 },
  { priorityClassName: "system-node-critical", preemptionPolicy: "PreemptLowerPriority" },
  { schedulerName: "other-scheduler", runtimeClassName: "kata", enableServiceLinks: false },
  { imagePullSecrets: [{ name: "registry" }] },
  { hostNetwork: true, dnsPolicy: "ClusterFirstWithHostNet", hostPID: true },
  { shareProcessNamespace: true, hostUsers: false },
  {
    dnsPolicy: "None",
    dnsConfig: { nameservers: ["10.0.0.10"], searches: ["example.com"], options: [{ name: "ndots", value: "2" }] },
  },
  { hostAliases: [{ ip: "10.0.0.1", hostnames: ["a.example.com", "b"] }] },
  {
    securityContext: {
      runAsUser: 1000,
      runAsGroup: 1000,
      fsGroup: 2000,
      fsGroupChangePolicy: "OnRootMismatch",
      supplementalGroups: [3000],
      sysctls: [{ name: "kernel.shm_rmid_forced", value: "1" }],
      seccompProfile: { type: "Localhost", localhostProfile: "a.json" },
      seLinuxOptions: { level: "s0:c1,c2" },
    },
  },
  {
    tolerations: [
      { key: "example.com/spot", operator: "Exists", effect: "NoExecute", tolerationSeconds: 30 },
      { key: "a", value: "b" },
    ],
  },
  {
    affinity: {
      nodeAffinity: {
        requiredDuringSchedulingIgnoredDuringExecution: { nodeSelectorTerms: [NODE_TERM] },
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 5, preference: NODE_TERM }],
      },
    },
  },
  {
    affinity: {
      podAffinity: { requiredDuringSchedulingIgnoredDuringExecution: [POD_TERM] },
      podAntiAffinity: {
        preferredDuringSchedulingIgnoredDuringExecution: [{ weight: 100, podAffinityTerm: POD_TERM }],
      },
    },
  },
  {
    topologySpreadConstraints: [
      {
        maxSkew: 1,
        topologyKey: "topology.kubernetes.io/zone",
        whenUnsatisfiable: "ScheduleAnyway",
        labelSelector: { matchLabels: { app: "corpus" } },
      },
    ],
  },
  { resourceClaims: [{ name: "gpu", resourceClaimTemplateName: "gpu" }] },
  { os: { name: "linux" } },
  { schedulingGates: [{ name: "example.com/wait" }] },
  { readinessGates: [{ conditionType: "example.com/ready" }] },
  { overhead: { cpu: "10m" }, runtimeClassName: "kata" },
  { resources: { requests: { cpu: "1" }, limits: { memory: "1Gi" } } },
];

/** What people change in a Job that is there: values of its spec. Null takes a field away. */
export const EDITS: readonly JsonObject[] = [
  { parallelism: 7 },
  { completions: 7 },
  { parallelism: 7, completions: 7 },
  { suspend: true },
  { suspend: false },
  { backoffLimit: 9, activeDeadlineSeconds: 9, ttlSecondsAfterFinished: 9 },
  { maxFailedIndexes: 1 },
  { backoffLimitPerIndex: 3 },
  { completionMode: "Indexed" },
  { managedBy: "example.com/other" },
  { selector: null },
  { podReplacementPolicy: "Failed" },
  { template: { metadata: { labels: { more: "x" }, annotations: { more: "x" } } } },
  { template: { spec: { nodeSelector: { disk: "slow" } } } },
  { template: { spec: { tolerations: [{ key: "a", operator: "Exists" }] } } },
  { template: { spec: { schedulingGates: [{ name: "example.com/wait" }] } } },
  { template: { spec: { schedulerName: "other" } } },
];
