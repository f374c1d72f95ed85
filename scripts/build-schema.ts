/**
 * Writes build/schema.json: the field names and types of the kinds that the in-memory API server serves, taken
 * from the model classes of @kubernetes/client-node, so that nobody has to copy PodSpec by hand.
 *
 * This file adds what those classes lack, from the Go types of Kubernetes 1.36: the order in which Go writes a struct,
 * the fields that it writes even when they are empty, and the named string types in its errors. Leaves out defaults and
 * validation. Run it again after an update of the client library.
 */
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { fileURLToPath } from "node:url";
import * as models from "@kubernetes/client-node";
import type { SchemaFile, SchemaType } from "../cluster/apiserver/schema.ts";
import { schemaText } from "../cluster/apiserver/schema-text.ts";

interface Attribute {
  readonly baseName: string;
  readonly type: string;
  readonly format: string;
}

/** The kinds to write. All types that they reach are written too. */
const roots = [
  "V1Job",
  "V1Pod",
  "V1Namespace",
  "V1Node",
  "CoreV1Event",
  "EventsV1Event",
  "V1Lease",
  "V1ConfigMap",
  "V1Secret",
  "V1ResourceQuota",
  "V1Binding",
  "V1Eviction",
  "V1DeleteOptions",
  "V1SelfSubjectAccessReview",
  "V1alpha2Workload",
  "V1alpha2PodGroup",
];

/**
 * Order of declaration in Go, which is the order on the wire. Fields that are not named follow in alphabetical order.
 */
const declarationOrder: Readonly<Record<string, string>> = {
  ObjectMeta:
    "name generateName namespace uid resourceVersion generation creationTimestamp deletionTimestamp deletionGracePeriodSeconds labels annotations ownerReferences finalizers managedFields",
  OwnerReference: "apiVersion kind name uid controller blockOwnerDeletion",
  JobSpec:
    "parallelism completions activeDeadlineSeconds podFailurePolicy successPolicy backoffLimit backoffLimitPerIndex maxFailedIndexes selector manualSelector template ttlSecondsAfterFinished completionMode suspend podReplacementPolicy managedBy",
  JobStatus:
    "conditions startTime completionTime active succeeded failed terminating completedIndexes failedIndexes uncountedTerminatedPods ready",
  JobCondition: "type status lastProbeTime lastTransitionTime reason message",
  UncountedTerminatedPods: "succeeded failed",
  PodFailurePolicyRule: "action onExitCodes onPodConditions",
  PodFailurePolicyOnExitCodesRequirement: "containerName operator values",
  LabelSelector: "matchLabels matchExpressions",
  PodSpec:
    "volumes initContainers containers ephemeralContainers restartPolicy terminationGracePeriodSeconds activeDeadlineSeconds dnsPolicy nodeSelector serviceAccountName serviceAccount automountServiceAccountToken nodeName hostNetwork hostPID hostIPC shareProcessNamespace securityContext imagePullSecrets hostname subdomain affinity schedulerName tolerations hostAliases priorityClassName priority dnsConfig readinessGates runtimeClassName enableServiceLinks preemptionPolicy overhead topologySpreadConstraints setHostnameAsFQDN os hostUsers schedulingGates resourceClaims resources hostnameOverride schedulingGroup",
  PodStatus:
    "observedGeneration phase conditions message reason nominatedNodeName hostIP hostIPs podIP podIPs startTime initContainerStatuses containerStatuses qosClass ephemeralContainerStatuses resize resourceClaimStatuses",
  PodCondition: "type observedGeneration status lastProbeTime lastTransitionTime reason message",
  Container:
    "name image command args workingDir ports envFrom env resources resizePolicy restartPolicy restartPolicyRules volumeMounts volumeDevices livenessProbe readinessProbe startupProbe lifecycle terminationMessagePath terminationMessagePolicy imagePullPolicy securityContext stdin stdinOnce tty",
  ContainerPort: "name hostPort containerPort protocol hostIP",
  EnvVar: "name value valueFrom",
  VolumeMount: "name readOnly recursiveReadOnly mountPath subPath mountPropagation subPathExpr",
  ContainerStatus:
    "name state lastState ready restartCount image imageID containerID started allocatedResources resources volumeMounts user allocatedResourcesStatus stopSignal",
  ContainerState: "waiting running terminated",
  ContainerStateTerminated: "exitCode signal reason message startedAt finishedAt containerID",
  Toleration: "key operator value effect tolerationSeconds",
  Event:
    "involvedObject reason message source firstTimestamp lastTimestamp count type eventTime series action related reportingComponent reportingInstance",
  EventsEvent:
    "eventTime series reportingController reportingInstance action reason regarding related note type deprecatedSource deprecatedFirstTimestamp deprecatedLastTimestamp deprecatedCount",
  ObjectReference: "kind namespace name uid apiVersion resourceVersion fieldPath",
  EventSource: "component host",
  LeaseSpec: "holderIdentity leaseDurationSeconds acquireTime renewTime leaseTransitions strategy preferredHolder",
  ConfigMap: "immutable data binaryData",
  Secret: "immutable data stringData type",
  ResourceQuotaSpec: "hard scopes scopeSelector",
  ScopedResourceSelectorRequirement: "scopeName operator values",
  NodeCondition: "type status lastHeartbeatTime lastTransitionTime reason message",
  NodeStatus: "capacity allocatable phase conditions addresses daemonEndpoints nodeInfo images",
  TypedLocalObjectReference: "apiGroup kind name",
  WorkloadSpec: "controllerRef podGroupTemplates",
  PodGroupTemplate:
    "name schedulingPolicy schedulingConstraints resourceClaims disruptionMode priorityClassName priority",
  PodGroupSpec:
    "podGroupTemplateRef schedulingPolicy schedulingConstraints resourceClaims disruptionMode priorityClassName priority",
  WorkloadPodGroupTemplateReference: "workloadName podGroupTemplateName",
  ResourceAttributes: "namespace verb group version resource subresource name",
  SubjectAccessReviewStatus: "allowed denied reason evaluationError",
};

const emptyTimes = { type: "", status: "", lastProbeTime: null, lastTransitionTime: null };

/** Fields that Go writes even when they are not set, with the value that it writes. */
const writtenWhenAbsent: Readonly<Record<string, Readonly<Record<string, unknown>>>> = {
  Job: { metadata: {}, spec: {}, status: {} },
  JobSpec: { template: {} },
  JobCondition: emptyTimes,
  PodTemplateSpec: { metadata: {}, spec: {} },
  Pod: { metadata: {}, spec: {}, status: {} },
  PodSpec: { containers: null },
  PodCondition: emptyTimes,
  Container: { name: "", resources: {} },
  ContainerStatus: { name: "", state: {}, lastState: {}, ready: false, restartCount: 0, image: "", imageID: "" },
  ContainerStateRunning: { startedAt: null },
  ContainerStateTerminated: { exitCode: 0, startedAt: null, finishedAt: null },
  Namespace: { metadata: {}, spec: {}, status: {} },
  Node: { metadata: {}, spec: {}, status: {} },
  NodeStatus: { daemonEndpoints: {}, nodeInfo: {} },
  NodeDaemonEndpoints: { kubeletEndpoint: {} },
  DaemonEndpoint: { Port: 0 },
  NodeSystemInfo: {
    architecture: "",
    bootID: "",
    containerRuntimeVersion: "",
    kernelVersion: "",
    kubeProxyVersion: "",
    kubeletVersion: "",
    machineID: "",
    operatingSystem: "",
    osImage: "",
    systemUUID: "",
  },
  Lease: { metadata: {}, spec: {} },
  ConfigMap: { metadata: {} },
  Secret: { metadata: {} },
  ResourceQuota: { metadata: {}, spec: {}, status: {} },
  Event: {
    metadata: {},
    involvedObject: {},
    source: {},
    firstTimestamp: null,
    lastTimestamp: null,
    eventTime: null,
    reportingComponent: "",
    reportingInstance: "",
  },
  EventsEvent: {
    metadata: {},
    eventTime: null,
    regarding: {},
    deprecatedSource: {},
    deprecatedFirstTimestamp: null,
    deprecatedLastTimestamp: null,
  },
  Binding: { metadata: {}, target: {} },
  Eviction: { metadata: {} },
  SelfSubjectAccessReview: { metadata: {}, spec: {}, status: {} },
  SubjectAccessReviewStatus: { allowed: false },
  Workload: { metadata: {}, spec: {} },
  WorkloadSpec: { podGroupTemplates: null },
  PodGroupTemplate: { name: "", schedulingPolicy: {} },
  PodGroup: { metadata: {}, spec: {}, status: {} },
  PodGroupSpec: { schedulingPolicy: {} },
};

/** Optional numbers and booleans that are not pointers in Go: zero and false mean unset and are not written. */
const zeroMeansUnset: Readonly<Record<string, string>> = {
  ObjectMeta: "generation",
  JobStatus: "active succeeded failed",
  PodSpec: "hostNetwork hostPID hostIPC",
  PodStatus: "observedGeneration",
  PodCondition: "observedGeneration",
  Container: "stdin stdinOnce tty",
  ContainerPort: "hostPort",
  ContainerStateTerminated: "signal",
  VolumeMount: "readOnly",
  Probe: "initialDelaySeconds timeoutSeconds periodSeconds successThreshold failureThreshold",
  NodeSpec: "unschedulable",
  Event: "count",
  EventsEvent: "deprecatedCount",
  SubjectAccessReviewStatus: "denied",
};

/**
 * Optional strings that are pointers in Go: the empty string is a value and is kept. Every other optional string is
 * dropped when it is empty.
 */
const emptyStringIsValue: Readonly<Record<string, string>> = {
  JobSpec: "completionMode podReplacementPolicy managedBy",
  JobStatus: "failedIndexes",
  SuccessPolicyRule: "succeededIndexes",
  PodSpec: "runtimeClassName preemptionPolicy hostnameOverride",
  Container: "restartPolicy",
  GRPCAction: "service",
  HostPathVolumeSource: "type",
  LeaseSpec: "holderIdentity strategy preferredHolder",
  VolumeMount: "mountPropagation recursiveReadOnly",
  PodFailurePolicyOnExitCodesRequirement: "containerName",
  DeleteOptions: "propagationPolicy",
  Preconditions: "uid resourceVersion",
};

/** Go's named string types, which decoding errors mention: `… of type v1.RestartPolicy`. */
const namedStrings: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  ObjectMeta: { uid: "types.UID" },
  OwnerReference: { uid: "types.UID" },
  JobSpec: { completionMode: "v1.CompletionMode", podReplacementPolicy: "v1.PodReplacementPolicy" },
  JobCondition: { type: "v1.JobConditionType", status: "v1.ConditionStatus" },
  PodFailurePolicyRule: { action: "v1.PodFailurePolicyAction" },
  PodFailurePolicyOnExitCodesRequirement: { operator: "v1.PodFailurePolicyOnExitCodesOperator" },
  PodSpec: { restartPolicy: "v1.RestartPolicy", dnsPolicy: "v1.DNSPolicy", preemptionPolicy: "v1.PreemptionPolicy" },
  PodStatus: { phase: "v1.PodPhase", qosClass: "v1.PodQOSClass" },
  PodCondition: { type: "v1.PodConditionType", status: "v1.ConditionStatus" },
  Container: {
    imagePullPolicy: "v1.PullPolicy",
    terminationMessagePolicy: "v1.TerminationMessagePolicy",
    restartPolicy: "v1.ContainerRestartPolicy",
  },
  ContainerPort: { protocol: "v1.Protocol" },
  Toleration: { operator: "v1.TolerationOperator", effect: "v1.TaintEffect" },
  ScopedResourceSelectorRequirement: { scopeName: "v1.ResourceQuotaScope", operator: "v1.ScopeSelectorOperator" },
  DeleteOptions: { propagationPolicy: "v1.DeletionPropagation" },
};

const quantityFields = new Set([
  "limits",
  "requests",
  "overhead",
  "capacity",
  "allocatable",
  "allocatedResources",
  "sizeLimit",
  "divisor",
  "hard",
  "used",
]);

/**
 * `V1PodSpec` is PodSpec, `CoreV1Event` Event; the Event of events.k8s.io is called EventsEvent to keep the two apart.
 */
function typeName(className: string): string {
  return className.replace(/^(Core|Batch)?V1(alpha2)?/, "").replace(/^EventsV1/, "Events");
}

function fieldType(owner: string, attribute: Attribute): string {
  const { baseName, type, format } = attribute;
  if (owner === "ManagedFieldsEntry" && baseName === "fieldsV1") return "any";
  const scalar = (name: string): string => {
    if (name === "number") return format === "" ? "int32" : format.replace("double", "float64");
    if (name === "boolean") return "bool";
    if (name === "string" && format === "byte") return "bytes";
    if (name === "string") return quantityFields.has(baseName) ? "Quantity" : "string";
    if (name === "Date") return "Time";
    if (name === "V1MicroTime") return "MicroTime";
    if (name === "any" || name === "IntOrString") return name;
    pending.push(name);
    return typeName(name);
  };
  const list = /^Array<(.*)>$/.exec(type);
  if (list) return `[]${scalar(list[1]!)}`;
  const map = /^\{ \[key: string\]: (.*); \}$/.exec(type);
  if (map) return map[1]!.startsWith("Array<") ? "map[string]any" : `map[string]${scalar(map[1]!)}`;
  return scalar(type);
}

/** The members of a model class that its declaration does not mark as optional. */
function requiredFields(className: string): Set<string> {
  const folder = join(dirname(fileURLToPath(import.meta.resolve("@kubernetes/client-node"))), "gen", "models");
  const declaration = readFileSync(join(folder, `${className}.d.ts`), "utf8");
  return new Set([...declaration.matchAll(/^ {4}'([^']+)': /gm)].map((match) => match[1]!));
}

function words(table: Readonly<Record<string, string>>, name: string): Set<string> {
  return new Set((table[name] ?? "").split(" ").filter((word) => word !== ""));
}

function describe(className: string): SchemaType {
  const name = typeName(className);
  const model = (models as unknown as Record<string, { getAttributeTypeMap(): Attribute[] } | undefined>)[className];
  if (!model) throw new Error(`${className} is not exported by @kubernetes/client-node`);
  const required = requiredFields(className);
  const declared = words(declarationOrder, name);
  const order = [...["kind", "apiVersion", "metadata"].filter((field) => !declared.has(field)), ...declared];
  const rank = (field: string): number => (order.includes(field) ? order.indexOf(field) : order.length);
  const unset = words(zeroMeansUnset, name);
  const values = words(emptyStringIsValue, name);
  const fields = model
    .getAttributeTypeMap()
    .filter((attribute) => attribute.baseName !== "selfLink" || name !== "ObjectMeta")
    .toSorted((a, b) => rank(a.baseName) - rank(b.baseName) || (a.baseName < b.baseName ? -1 : 1))
    .map((attribute) => {
      const field = attribute.baseName;
      const type = fieldType(name, attribute);
      const absent = writtenWhenAbsent[name]?.[field];
      const goType = namedStrings[name]?.[field];
      const container = type.startsWith("[]") || type.startsWith("map[");
      const optional = !required.has(field) && absent === undefined;
      const omitEmpty = optional && (container || unset.has(field) || (type === "string" && !values.has(field)));
      return {
        name: field,
        type,
        ...(omitEmpty && { omitEmpty }),
        ...(absent !== undefined && { absent }),
        ...(goType && { goType }),
      };
    });
  return { goName: name.replace(/^Events(?=Event)/, ""), fields };
}

const pending = [...roots];
const types: Record<string, SchemaType> = {};
for (let className = pending.shift(); className; className = pending.shift()) {
  types[typeName(className)] ??= describe(className);
}
const texts = Object.entries(types).map(([name, type]) => [name, schemaText(name, type)] as const);
const schema: SchemaFile = { types: Object.fromEntries(texts) };
const target = join(dirname(fileURLToPath(import.meta.url)), "..", "build", "schema.json");
mkdirSync(dirname(target), { recursive: true });
writeFileSync(target, `${JSON.stringify(schema)}\n`);
