/**
 * The table of the served resources. To add one, add an entry here, and its kind to scripts/schema/kinds.ts if the
 * schema lacks it.
 */
import type { KubeObject } from "../types.ts";
import type { ResourceDefinition, Subresource, Verb } from "./definition.ts";
import { structType } from "./schema.ts";
import type { FieldLabels } from "./selectors.ts";
import { coreEventStrategy, eventConversion, eventStrategy } from "./strategies/events.ts";
import { namespaceStrategy } from "./strategies/namespaces.ts";
import { podStrategy } from "./strategies/pods.ts";
import { podGroupStrategy, workloadStrategy } from "./strategies/gang.ts";
import {
  configMapStrategy,
  jobStrategy,
  leaseStrategy,
  resourceQuotaStrategy,
  secretStrategy,
} from "./strategies/small-kinds.ts";
import { jobTable } from "./tables/jobs.ts";
import {
  configMapTable,
  eventTable,
  leaseTable,
  nameTable,
  namespaceTable,
  nodeTable,
  podGroupTable,
  resourceQuotaTable,
  secretTable,
  workloadTable,
} from "./tables/others.ts";
import { podTable } from "./tables/pods.ts";

const allVerbs: readonly Verb[] = ["create", "delete", "deletecollection", "get", "list", "patch", "update", "watch"];
const changeVerbs: readonly Verb[] = ["get", "patch", "update"];

type Read = (object: KubeObject) => string;

const metadataLabels: Readonly<Record<string, Read>> = {
  "metadata.name": (object) => object.metadata.name,
  "metadata.namespace": (object) => object.metadata.namespace ?? "",
};
const nameLabel = { "metadata.name": metadataLabels["metadata.name"]! };

const notSupported = (label: string): string => `field label not supported: ${label}`;

/** A function that reads `a.b.c` of an object as text. */
function path(text: string): Read {
  const parts = text.split(".");
  return (object) => {
    // Each kubelet's watch asks this of each write of a pod.
    let value: any = object;
    for (let place = 0; place < parts.length; place++) value = value?.[parts[place]!];
    return value === undefined || value === null ? "" : String(value);
  };
}

function paths(...texts: string[]): Record<string, Read> {
  return Object.fromEntries(texts.map((text) => [text, path(text)]));
}

const plainFields: FieldLabels = {
  labels: metadataLabels,
  unsupported: (label) =>
    `${JSON.stringify(label)} is not a known field selector: only "metadata.name", "metadata.namespace"`,
};

const referenceFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

interface Entry {
  readonly group?: string;
  readonly version?: string;
  readonly resource: string;
  readonly singular?: string;
  readonly kind: string;
  /** Name in build/schema.json, if that is not the kind. */
  readonly schema?: string;
}

type Rest = Partial<Omit<ResourceDefinition, "group" | "version" | "resource" | "body">>;

/** Kinds that a body may name, `apiVersion/Kind`. */
const registeredKinds = new Set<string>(["v1/Binding", "policy/v1/Eviction", "policy/v1beta1/Eviction", "v1/Status"]);

function define(
  { group = "", version = "v1", resource, singular, kind, schema }: Entry,
  rest: Rest,
): ResourceDefinition {
  const apiVersion = group === "" ? version : `${group}/${version}`;
  registeredKinds.add(`${apiVersion}/${kind}`);
  const goPackage = group === "" ? "core" : group.split(".")[0]!;
  return {
    group,
    version,
    resource,
    singular: singular ?? kind.toLowerCase(),
    body: {
      kind,
      apiVersion,
      version,
      goType: `${goPackage}.${kind}`,
      type: structType(schema ?? kind),
      isRegistered: (otherVersion, otherKind) => registeredKinds.has(`${otherVersion}/${otherKind}`),
    },
    isNamespaced: true,
    shortNames: [],
    categories: [],
    verbs: allVerbs,
    subresources: [],
    storage: resource,
    hasGeneration: false,
    allowsUnconditionalUpdate: true,
    createsOnUpdate: false,
    returnsDeletedObject: false,
    orphansByDefault: false,
    hasAdmission: false,
    nameSyntax: "subdomain",
    fields: plainFields,
    strategy: {},
    table: nameTable,
    ...rest,
  };
}

function status(kind: string): Subresource {
  return { name: "status", kind, verbs: changeVerbs };
}

export const resources: readonly ResourceDefinition[] = [
  define({ resource: "bindings", kind: "Binding" }, { verbs: ["create"] }),
  define(
    { resource: "configmaps", kind: "ConfigMap" },
    { shortNames: ["cm"], strategy: configMapStrategy, table: configMapTable },
  ),
  define(
    { resource: "events", kind: "Event" },
    {
      shortNames: ["ev"],
      createsOnUpdate: true,
      nameSyntax: "path-segment",
      strategy: coreEventStrategy,
      table: eventTable,
      fields: {
        labels: {
          ...metadataLabels,
          ...paths(
            ...referenceFields.map((field) => `involvedObject.${field}`),
            "reason",
            "reportingComponent",
            "type",
          ),
          source: (event) => event["source"]?.component || event["reportingComponent"] || "",
        },
        unsupported: notSupported,
      },
    },
  ),
  define(
    { resource: "namespaces", kind: "Namespace" },
    {
      isNamespaced: false,
      shortNames: ["ns"],
      nameSyntax: "label",
      returnsDeletedObject: true,
      strategy: namespaceStrategy,
      table: namespaceTable,
      verbs: allVerbs.filter((verb) => verb !== "deletecollection"),
      subresources: [{ name: "finalize", kind: "Namespace", verbs: ["update"] }, status("Namespace")],
      fields: { labels: { ...nameLabel, ...paths("status.phase") }, unsupported: notSupported },
    },
  ),
  define(
    { resource: "nodes", kind: "Node" },
    {
      isNamespaced: false,
      shortNames: ["no"],
      table: nodeTable,
      subresources: [status("Node")],
      fields: {
        labels: { ...nameLabel, "spec.unschedulable": (node) => String(node["spec"]?.unschedulable ?? false) },
        unsupported: notSupported,
      },
    },
  ),
  define(
    { resource: "pods", kind: "Pod" },
    {
      shortNames: ["po"],
      categories: ["all"],
      hasGeneration: true,
      hasAdmission: true,
      returnsDeletedObject: true,
      strategy: podStrategy,
      table: podTable,
      subresources: [
        { name: "binding", kind: "Binding", verbs: ["create"] },
        { name: "eviction", kind: "Eviction", groupVersion: { group: "policy", version: "v1" }, verbs: ["create"] },
        { name: "log", kind: "Pod", verbs: ["get"] },
        status("Pod"),
      ],
      fields: {
        labels: {
          ...metadataLabels,
          ...paths(
            "spec.nodeName",
            "spec.restartPolicy",
            "spec.schedulerName",
            "spec.serviceAccountName",
            "status.phase",
            "status.podIP",
            "status.nominatedNodeName",
          ),
          "spec.host": path("spec.nodeName"),
          "spec.hostNetwork": (pod) => String(pod["spec"]?.hostNetwork ?? false),
          "status.podIPs": path("status.podIP"),
        },
        unsupported: notSupported,
      },
    },
  ),
  define(
    { resource: "resourcequotas", kind: "ResourceQuota" },
    {
      shortNames: ["quota"],
      returnsDeletedObject: true,
      strategy: resourceQuotaStrategy,
      table: resourceQuotaTable,
      subresources: [status("ResourceQuota")],
    },
  ),
  define(
    { resource: "secrets", kind: "Secret" },
    {
      strategy: secretStrategy,
      table: secretTable,
      fields: { labels: { ...metadataLabels, ...paths("type") }, unsupported: notSupported },
    },
  ),
  define(
    { group: "authorization.k8s.io", resource: "selfsubjectaccessreviews", kind: "SelfSubjectAccessReview" },
    { isNamespaced: false, verbs: ["create"] },
  ),
  define(
    { group: "batch", resource: "jobs", kind: "Job" },
    {
      categories: ["all"],
      hasGeneration: true,
      hasAdmission: true,
      orphansByDefault: true,
      strategy: jobStrategy,
      table: jobTable,
      subresources: [status("Job")],
      fields: {
        labels: { ...metadataLabels, "status.successful": (job) => String(job["status"]?.succeeded ?? 0) },
        unsupported: (label) => `field label ${JSON.stringify(label)} not supported for Job`,
      },
    },
  ),
  define(
    { group: "coordination.k8s.io", resource: "leases", kind: "Lease" },
    {
      allowsUnconditionalUpdate: false,
      createsOnUpdate: true,
      strategy: leaseStrategy,
      table: leaseTable,
    },
  ),
  define(
    { group: "events.k8s.io", resource: "events", kind: "Event", schema: "EventsEvent" },
    {
      shortNames: ["ev"],
      createsOnUpdate: true,
      nameSyntax: "path-segment",
      strategy: eventStrategy,
      conversion: eventConversion,
      table: eventTable,
      fields: {
        labels: {
          ...metadataLabels,
          ...paths(...referenceFields.map((field) => `regarding.${field}`), "reason", "reportingController", "type"),
        },
        unsupported: notSupported,
      },
    },
  ),
];

/** Resources that are served only if gang scheduling is on. */
export const gangResources: readonly ResourceDefinition[] = [
  define(
    { group: "scheduling.k8s.io", version: "v1alpha2", resource: "podgroups", kind: "PodGroup" },
    {
      hasGeneration: true,
      strategy: podGroupStrategy,
      table: podGroupTable,
      subresources: [status("PodGroup")],
    },
  ),
  define(
    { group: "scheduling.k8s.io", version: "v1alpha2", resource: "workloads", kind: "Workload" },
    {
      hasGeneration: true,
      strategy: workloadStrategy,
      table: workloadTable,
    },
  ),
];
