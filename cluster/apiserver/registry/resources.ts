/**
 * The table of the resources that every server has, also that of the playground. To add one, add an entry here, and the
 * rows of its structs to scripts/schema/fields/. What kubectl prints of each is in base-tables.ts, and what only
 * `stint serve` has in more-resources.ts.
 */
import {
  allVerbs,
  define,
  metadataLabels,
  nameLabel,
  notSupported,
  paths,
  status,
} from "../contract/resource-table.ts";
import { textAt } from "../../values/field-path.ts";
import type { ResourceDefinition } from "../contract/context.ts";
import { bind } from "../pods/binding.ts";
import { evict } from "../pods/eviction.ts";
import { coreEventStrategy, eventConversion, eventStrategy } from "../strategies/events.ts";
import { namespaceStrategy } from "../strategies/namespaces.ts";
import { leaseStrategy } from "../strategies/leases.ts";
import { nodeStrategy } from "../strategies/nodes.ts";
import { podStrategy } from "../strategies/pods.ts";
import { configMapStrategy, jobStrategy, resourceQuotaStrategy, secretStrategy } from "../strategies/small-kinds.ts";

const referenceFields = ["kind", "namespace", "name", "uid", "apiVersion", "resourceVersion", "fieldPath"];

export const resources: readonly ResourceDefinition[] = [
  define({ resource: "bindings", kind: "Binding" }, { verbs: ["create"], create: bind }),
  define({ resource: "configmaps", kind: "ConfigMap" }, { shortNames: ["cm"], strategy: configMapStrategy }),
  define(
    { resource: "events", kind: "Event" },
    {
      shortNames: ["ev"],
      createsOnUpdate: true,
      nameSyntax: "path-segment",
      strategy: coreEventStrategy,
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
      strategy: nodeStrategy,
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
      subresources: [
        { name: "binding", kind: "Binding", verbs: ["create"], create: bind },
        {
          name: "eviction",
          kind: "Eviction",
          groupVersion: { group: "policy", version: "v1" },
          verbs: ["create"],
          create: evict,
        },
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
          "spec.host": textAt("spec.nodeName"),
          "spec.hostNetwork": (pod) => String(pod["spec"]?.hostNetwork ?? false),
          "status.podIPs": textAt("status.podIP"),
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
      subresources: [status("ResourceQuota")],
    },
  ),
  define(
    { resource: "secrets", kind: "Secret" },
    {
      strategy: secretStrategy,
      fields: { labels: { ...metadataLabels, ...paths("type") }, unsupported: notSupported },
    },
  ),
  define(
    { group: "batch", resource: "jobs", kind: "Job" },
    {
      categories: ["all"],
      hasGeneration: true,
      hasAdmission: true,
      orphansByDefault: true,
      strategy: jobStrategy,
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
    },
  ),
  define(
    { group: "events.k8s.io", resource: "events", kind: "Event", schema: "EventsEvent" },
    {
      shortNames: ["ev"],
      createsOnUpdate: true,
      strategy: eventStrategy,
      conversion: eventConversion,
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
