/** The kinds of the core group that not every cluster has, and EndpointSlices. */
import { metadataLabels, notSupported, paths, status } from "../../contract/resource-table.ts";
import { defineServed as define } from "../../contract/served-resource.ts";
import type { ResourceDefinition } from "../../contract/context.ts";
import { endpointsStrategy, endpointSliceStrategy } from "../../strategies/endpoints.ts";
import { limitRangeStrategy } from "../../strategies/limit-ranges.ts";
import { serviceStrategy } from "../../strategies/services.ts";
import { persistentVolumeClaimStrategy, persistentVolumeStrategy } from "../../strategies/volumes.ts";
import { podTemplateStrategy, replicationControllerStrategy } from "../../strategies/workloads.ts";
import { plainTable } from "../../tables/plain-table.ts";
import { endpointSliceTable, endpointsTable, serviceTable } from "../../tables/services.ts";
import { persistentVolumeClaimTable, persistentVolumeTable } from "../../tables/volumes.ts";
import { podTemplateTable, replicationControllerTable } from "../../tables/workloads.ts";

export const coreResources: readonly ResourceDefinition[] = [
  define(
    { resource: "endpoints", singular: "endpoints", kind: "Endpoints" },
    {
      shortNames: ["ep"],
      storageKey: "services/endpoints",
      createsOnUpdate: true,
      deprecation: "v1 Endpoints is deprecated in v1.33+; use discovery.k8s.io/v1 EndpointSlice",
      strategy: endpointsStrategy,
      table: endpointsTable,
    },
  ),
  define(
    { resource: "limitranges", kind: "LimitRange" },
    { shortNames: ["limits"], createsOnUpdate: true, strategy: limitRangeStrategy },
  ),
  define(
    { resource: "persistentvolumeclaims", kind: "PersistentVolumeClaim" },
    {
      shortNames: ["pvc"],
      returnsDeletedObject: true,
      strategy: persistentVolumeClaimStrategy,
      table: persistentVolumeClaimTable,
      subresources: [status("PersistentVolumeClaim")],
    },
  ),
  define(
    { resource: "persistentvolumes", kind: "PersistentVolume" },
    {
      isNamespaced: false,
      shortNames: ["pv"],
      returnsDeletedObject: true,
      strategy: persistentVolumeStrategy,
      table: persistentVolumeTable,
      subresources: [status("PersistentVolume")],
    },
  ),
  define(
    { resource: "podtemplates", kind: "PodTemplate" },
    { hasGeneration: true, returnsDeletedObject: true, strategy: podTemplateStrategy, table: podTemplateTable },
  ),
  define(
    { resource: "replicationcontrollers", kind: "ReplicationController" },
    {
      shortNames: ["rc"],
      storageKey: "controllers",
      categories: ["all"],
      hasGeneration: true,
      orphansByDefault: true,
      strategy: replicationControllerStrategy,
      table: replicationControllerTable,
      subresources: [status("ReplicationController")],
      fields: {
        labels: {
          ...metadataLabels,
          "status.replicas": (controller) => String(controller["status"]?.replicas ?? 0),
        },
        unsupported: notSupported,
      },
    },
  ),
  define(
    { resource: "serviceaccounts", kind: "ServiceAccount" },
    { shortNames: ["sa"], returnsDeletedObject: true, table: plainTable() },
  ),
  define(
    { resource: "services", kind: "Service" },
    {
      shortNames: ["svc"],
      storageKey: "services/specs",
      nameSyntax: "label",
      categories: ["all"],
      createsOnUpdate: true,
      returnsDeletedObject: true,
      strategy: serviceStrategy,
      table: serviceTable,
      subresources: [status("Service")],
      fields: { labels: { ...metadataLabels, ...paths("spec.clusterIP", "spec.type") }, unsupported: notSupported },
    },
  ),
  define(
    { group: "discovery.k8s.io", resource: "endpointslices", kind: "EndpointSlice" },
    { hasGeneration: true, strategy: endpointSliceStrategy, table: endpointSliceTable },
  ),
];
