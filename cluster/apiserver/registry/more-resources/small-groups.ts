/** The kinds of groups that have few: budgets, classes, roles, and those of storage and of devices. */
import { nameLabel, paths, status } from "../../contract/resource-table.ts";
import { defineServed as define, statusAlone } from "../../contract/served-resource.ts";
import type { ResourceDefinition } from "../../contract/context.ts";
import {
  deviceTaintRuleStrategy,
  resourceClaimStrategy,
  resourceClaimTemplateStrategy,
  resourceSliceStrategy,
} from "../../strategies/devices.ts";
import { disruptionBudgetStrategy, priorityClassStrategy, runtimeClassStrategy } from "../../strategies/more-kinds.ts";
import {
  clusterRoleBindingStrategy,
  clusterRoleStrategy,
  roleBindingStrategy,
  roleStrategy,
} from "../../access/role-strategy.ts";
import {
  csiDriverStrategy,
  csiNodeStrategy,
  csiStorageCapacityStrategy,
  storageClassStrategy,
  volumeAttachmentStrategy,
} from "../../strategies/storage.ts";
import { deviceTaintRuleTable, resourceClaimTable } from "../../tables/devices.ts";
import { podDisruptionBudgetTable, priorityClassTable, roleBindingTable } from "../../tables/more-kinds.ts";
import { plainTable } from "../../tables/plain-table.ts";
import { csiDriverTable, csiNodeTable, storageClassTable, volumeAttachmentTable } from "../../tables/volumes.ts";

const group = "rbac.authorization.k8s.io";

const rbacResources: readonly ResourceDefinition[] = [
  define(
    { group, resource: "clusterrolebindings", kind: "ClusterRoleBinding" },
    {
      isNamespaced: false,
      nameSyntax: "path-segment",
      createsOnUpdate: true,
      strategy: clusterRoleBindingStrategy,
      table: roleBindingTable,
    },
  ),
  define(
    { group, resource: "clusterroles", kind: "ClusterRole" },
    { isNamespaced: false, nameSyntax: "path-segment", createsOnUpdate: true, strategy: clusterRoleStrategy },
  ),
  define(
    { group, resource: "rolebindings", kind: "RoleBinding" },
    { nameSyntax: "path-segment", createsOnUpdate: true, strategy: roleBindingStrategy, table: roleBindingTable },
  ),
  define(
    { group, resource: "roles", kind: "Role" },
    { nameSyntax: "path-segment", createsOnUpdate: true, strategy: roleStrategy },
  ),
];

/** Devices and their claims: only stored, for kube-scheduler, which starts only when it has listed them. */
const deviceResources: readonly ResourceDefinition[] = [
  define(
    { group: "resource.k8s.io", resource: "deviceclasses", kind: "DeviceClass" },
    { isNamespaced: false, hasGeneration: true, returnsDeletedObject: true, table: plainTable() },
  ),
  define(
    { group: "resource.k8s.io", resource: "devicetaintrules", kind: "DeviceTaintRule" },
    {
      since: "1.37",
      isNamespaced: false,
      hasGeneration: true,
      allowsUnconditionalUpdate: false,
      strategy: deviceTaintRuleStrategy,
      table: deviceTaintRuleTable,
      subresources: [statusAlone("DeviceTaintRule")],
    },
  ),
  define(
    { group: "resource.k8s.io", resource: "resourceclaims", kind: "ResourceClaim", schema: "ResourceResourceClaim" },
    {
      returnsDeletedObject: true,
      strategy: resourceClaimStrategy,
      table: resourceClaimTable,
      subresources: [statusAlone("ResourceClaim")],
    },
  ),
  define(
    { group: "resource.k8s.io", resource: "resourceclaimtemplates", kind: "ResourceClaimTemplate" },
    { returnsDeletedObject: true, strategy: resourceClaimTemplateStrategy, table: plainTable() },
  ),
  define(
    { group: "resource.k8s.io", resource: "resourceslices", kind: "ResourceSlice" },
    {
      isNamespaced: false,
      hasGeneration: true,
      returnsDeletedObject: true,
      strategy: resourceSliceStrategy,
      table: plainTable({ Node: "spec.nodeName", Driver: "spec.driver", Pool: "spec.pool.name" }),
      fields: {
        labels: { ...nameLabel, ...paths("spec.driver", "spec.nodeName") },
        unsupported: (label) => `field label not supported for resource.k8s.io/v1, Kind=ResourceSlice: ${label}`,
      },
    },
  ),
];

const storageResources: readonly ResourceDefinition[] = [
  define(
    { group: "storage.k8s.io", resource: "csidrivers", kind: "CSIDriver" },
    {
      isNamespaced: false,
      allowsUnconditionalUpdate: false,
      returnsDeletedObject: true,
      strategy: csiDriverStrategy,
      table: csiDriverTable,
    },
  ),
  define(
    { group: "storage.k8s.io", resource: "csinodes", kind: "CSINode" },
    {
      isNamespaced: false,
      allowsUnconditionalUpdate: false,
      returnsDeletedObject: true,
      strategy: csiNodeStrategy,
      table: csiNodeTable,
      subresources: [statusAlone("CSINode")],
    },
  ),
  define(
    { group: "storage.k8s.io", resource: "csistoragecapacities", kind: "CSIStorageCapacity" },
    { allowsUnconditionalUpdate: false, strategy: csiStorageCapacityStrategy },
  ),
  define(
    { group: "storage.k8s.io", resource: "storageclasses", kind: "StorageClass" },
    {
      isNamespaced: false,
      shortNames: ["sc"],
      returnsDeletedObject: true,
      strategy: storageClassStrategy,
      table: storageClassTable,
    },
  ),
  define(
    { group: "storage.k8s.io", resource: "volumeattachments", kind: "VolumeAttachment" },
    {
      isNamespaced: false,
      allowsUnconditionalUpdate: false,
      returnsDeletedObject: true,
      strategy: volumeAttachmentStrategy,
      table: volumeAttachmentTable,
      subresources: [statusAlone("VolumeAttachment")],
    },
  ),
];

export const smallGroupResources: readonly ResourceDefinition[] = [
  define(
    { group: "node.k8s.io", resource: "runtimeclasses", kind: "RuntimeClass" },
    {
      isNamespaced: false,
      allowsUnconditionalUpdate: false,
      createsOnUpdate: true,
      strategy: runtimeClassStrategy,
      table: plainTable({ Handler: "handler" }),
    },
  ),
  define(
    { group: "policy", resource: "poddisruptionbudgets", kind: "PodDisruptionBudget" },
    {
      shortNames: ["pdb"],
      nameSyntax: "path-segment",
      hasGeneration: true,
      allowsUnconditionalUpdate: false,
      strategy: disruptionBudgetStrategy,
      table: podDisruptionBudgetTable,
      subresources: [status("PodDisruptionBudget")],
    },
  ),
  ...rbacResources,
  ...deviceResources,
  define(
    { group: "scheduling.k8s.io", resource: "priorityclasses", kind: "PriorityClass" },
    {
      isNamespaced: false,
      shortNames: ["pc"],
      hasGeneration: true,
      strategy: priorityClassStrategy,
      table: priorityClassTable,
    },
  ),
  ...storageResources,
];
