/** The tables of the kinds of apps/v1, and of what else has a pod template. */
import type {
  ControllerRevision,
  DaemonSet,
  Deployment,
  PodTemplate,
  PodTemplateSpec,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import { containerCells, labelsText } from "./cells.ts";
import { age } from "./duration.ts";
import { selectorText } from "./jobs.ts";
import { type Column, column, type TableDefinition, wide } from "./table.ts";

const count = (name: string): Column => column(name, { type: "integer" });
const templateColumns = [wide("Containers"), wide("Images"), wide("Selector")];
interface Templated extends TypedObject {
  spec: { template?: PodTemplateSpec };
}
const containersOf = (object: Templated): [string, string] => containerCells(object.spec?.template?.spec?.containers);

export const podTemplateTable: TableDefinition<PodTemplate> = {
  columns: [column("Name"), column("Containers"), column("Images"), column("Pod Labels")],
  cells: (template) => [
    template.metadata.name,
    ...containerCells(template.template?.spec?.containers),
    labelsText(template.template?.metadata?.labels),
  ],
};

const replicaColumns = [column("Name"), count("Desired"), count("Current"), count("Ready"), column("Age")];

function replicaCells({ metadata, ...object }: ReplicaSet | ReplicationController, nowMs: number): (string | number)[] {
  const { replicas = 0, readyReplicas = 0 } = object.status ?? {};
  return [metadata.name, object.spec?.replicas ?? 0, replicas, readyReplicas, age({ metadata }, nowMs)];
}

export const replicationControllerTable: TableDefinition<ReplicationController> = {
  columns: [...replicaColumns, ...templateColumns],
  cells: (controller, nowMs) => [
    ...replicaCells(controller, nowMs),
    ...containersOf(controller),
    labelsText(controller.spec?.selector),
  ],
};

export const replicaSetTable: TableDefinition<ReplicaSet> = {
  columns: [...replicaColumns, ...templateColumns],
  cells: (set, nowMs) => [...replicaCells(set, nowMs), ...containersOf(set), selectorText(set.spec?.selector)],
};

export const deploymentTable: TableDefinition<Deployment> = {
  columns: [
    column("Name"),
    column("Ready"),
    column("Up-to-date"),
    column("Available"),
    column("Age"),
    ...templateColumns,
  ],
  cells(deployment, nowMs) {
    const { readyReplicas = 0, updatedReplicas = 0, availableReplicas = 0 } = deployment.status ?? {};
    return [
      deployment.metadata.name,
      `${readyReplicas}/${deployment.spec?.replicas ?? 0}`,
      updatedReplicas,
      availableReplicas,
      age(deployment, nowMs),
      ...containersOf(deployment),
      selectorText(deployment.spec?.selector),
    ];
  },
};

export const statefulSetTable: TableDefinition<StatefulSet> = {
  columns: [column("Name"), column("Ready"), column("Age"), wide("Containers"), wide("Images")],
  cells: (set, nowMs) => [
    set.metadata.name,
    `${set.status?.readyReplicas ?? 0}/${set.spec?.replicas ?? 0}`,
    age(set, nowMs),
    ...containersOf(set),
  ],
};

export const daemonSetTable: TableDefinition<DaemonSet> = {
  columns: [
    column("Name"),
    count("Desired"),
    count("Current"),
    count("Ready"),
    count("Up-to-date"),
    count("Available"),
    column("Node Selector"),
    column("Age"),
    ...templateColumns,
  ],
  cells(set, nowMs) {
    const status = set.status ?? {};
    return [
      set.metadata.name,
      status.desiredNumberScheduled ?? 0,
      status.currentNumberScheduled ?? 0,
      status.numberReady ?? 0,
      status.updatedNumberScheduled ?? 0,
      status.numberAvailable ?? 0,
      labelsText(set.spec?.template?.spec?.nodeSelector),
      age(set, nowMs),
      ...containersOf(set),
      selectorText(set.spec?.selector),
    ];
  },
};

export const controllerRevisionTable: TableDefinition<ControllerRevision> = {
  columns: [column("Name"), column("Controller"), column("Revision"), column("Age")],
  cells(revision, nowMs) {
    const owner = revision.metadata.ownerReferences?.find(({ controller }) => controller === true);
    return [revision.metadata.name, owner ? ownerText(owner) : "<none>", revision.revision ?? 0, age(revision, nowMs)];
  },
};

/** `statefulset.apps/NAME`. */
function ownerText({ apiVersion, kind, name }: { apiVersion: string; kind: string; name: string }): string {
  const [group] = apiVersion.includes("/") ? apiVersion.split("/") : [""];
  return `${kind.toLowerCase()}${group === "" ? "" : `.${group}`}/${name}`;
}
