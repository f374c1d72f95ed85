/** The kinds of apps/v1. They are stored, so that clients find them; no controller acts on them. */
import { status } from "../../contract/resource-table.ts";
import { defineServed as define } from "../../contract/served-resource.ts";
import type { ResourceDefinition } from "../../contract/context.ts";
import {
  controllerRevisionStrategy,
  daemonSetStrategy,
  deploymentStrategy,
  replicaSetStrategy,
  statefulSetStrategy,
} from "../../strategies/workloads.ts";
import {
  controllerRevisionTable,
  daemonSetTable,
  deploymentTable,
  replicaSetTable,
  statefulSetTable,
} from "../../tables/workloads.ts";

type Workload = Pick<ResourceDefinition, "strategy" | "table"> & Partial<ResourceDefinition>;

function workload(resource: string, kind: string, shortName: string, rest: Workload): ResourceDefinition {
  return define(
    { group: "apps", resource, kind },
    { shortNames: [shortName], categories: ["all"], hasGeneration: true, subresources: [status(kind)], ...rest },
  );
}

export const appsResources: readonly ResourceDefinition[] = [
  define(
    { group: "apps", resource: "controllerrevisions", kind: "ControllerRevision" },
    { strategy: controllerRevisionStrategy, table: controllerRevisionTable },
  ),
  workload("daemonsets", "DaemonSet", "ds", { strategy: daemonSetStrategy, table: daemonSetTable }),
  workload("deployments", "Deployment", "deploy", { strategy: deploymentStrategy, table: deploymentTable }),
  workload("replicasets", "ReplicaSet", "rs", { strategy: replicaSetStrategy, table: replicaSetTable }),
  workload("statefulsets", "StatefulSet", "sts", {
    nameSyntax: "label",
    strategy: statefulSetStrategy,
    table: statefulSetTable,
  }),
];
