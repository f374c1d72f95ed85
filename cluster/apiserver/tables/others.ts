/** The tables of the small kinds: events, namespaces, nodes, leases, ConfigMaps, Secrets, ResourceQuotas. */
import { age, since } from "./duration.ts";
import { column, type TableDefinition, wide } from "./table.ts";
import type {
  Condition,
  ConfigMap,
  Event,
  Lease,
  Namespace,
  Node,
  PodGroup,
  ResourceQuota,
  Secret,
} from "../../values/kinds.ts";

/** For core events. Those of events.k8s.io have the same storage and the same table. */
export const eventTable: TableDefinition<Event> = {
  columns: [
    column("Last Seen"),
    column("Type"),
    column("Reason"),
    column("Object"),
    wide("Subobject"),
    wide("Source"),
    column("Message"),
    wide("First Seen"),
    wide("Count"),
    wide("Name", { format: "name" }),
  ],
  cells(event, nowMs) {
    const object = event.involvedObject ?? {};
    const first = event.firstTimestamp || event.eventTime;
    const last = event.series?.lastObservedTime || event.lastTimestamp || first;
    const source = [event.source?.component || event.reportingComponent, event.source?.host || event.reportingInstance];
    const kind = String(object.kind ?? "").toLowerCase();
    return [
      since(last, nowMs),
      event.type ?? "",
      event.reason ?? "",
      object.name ? `${kind}/${object.name}` : kind,
      object.fieldPath ?? "",
      source.filter(Boolean).join(", "),
      String(event.message ?? "").trim(),
      since(first, nowMs),
      Math.max(1, event.series?.count ?? event.count ?? 1),
      event.metadata.name ?? "",
    ];
  },
};

export const namespaceTable: TableDefinition<Namespace> = {
  columns: [column("Name"), column("Status"), column("Age")],
  cells: (namespace, nowMs) => [namespace.metadata.name ?? "", namespace.status?.phase ?? "", age(namespace, nowMs)],
};

export const leaseTable: TableDefinition<Lease> = {
  columns: [column("Name"), column("Holder"), column("Age")],
  cells: (lease, nowMs) => [lease.metadata.name ?? "", lease.spec?.holderIdentity ?? "", age(lease, nowMs)],
};

export const configMapTable: TableDefinition<ConfigMap> = {
  columns: [column("Name"), column("Data"), column("Age")],
  cells: (map, nowMs) => [
    map.metadata.name ?? "",
    Object.keys(map.data ?? {}).length + Object.keys(map.binaryData ?? {}).length,
    age(map, nowMs),
  ],
};

export const secretTable: TableDefinition<Secret> = {
  columns: [column("Name"), column("Type"), column("Data"), column("Age")],
  cells: (secret, nowMs) => [
    secret.metadata.name ?? "",
    secret.type ?? "",
    Object.keys(secret.data ?? {}).length,
    age(secret, nowMs),
  ],
};

export const resourceQuotaTable: TableDefinition<ResourceQuota> = {
  columns: [column("Name"), column("Request"), column("Limit"), column("Age")],
  cells(quota, nowMs) {
    const { hard = {}, used = {} } = quota.status;
    const list = (isLimit: boolean): string =>
      Object.keys(hard)
        .filter((name) => name.startsWith("limits.") === isLimit)
        .map((name) => `${name}: ${used[name] ?? "0"}/${hard[name]}`)
        .join(", ");
    return [quota.metadata.name, list(false), list(true), age(quota, nowMs)];
  },
};

export const podGroupTable: TableDefinition<PodGroup> = {
  columns: [column("Name"), column("Policy"), column("Workload"), column("Status"), column("Age")],
  cells(group, nowMs) {
    const { schedulingPolicy = {}, workloadRef } = group.spec ?? {};
    return [
      group.metadata.name ?? "",
      schedulingPolicy.gang ? "Gang" : "Basic",
      workloadRef?.workloadName ?? "<none>",
      podGroupStatus(group),
      age(group, nowMs),
    ];
  },
};

function podGroupStatus({ status }: PodGroup): string {
  const conditionOf = (wanted: string): Condition | undefined =>
    status?.conditions?.find(({ type }) => type === wanted);
  const disrupted = conditionOf("DisruptionTarget");
  if (disrupted !== undefined) return disrupted.reason ?? "";
  const scheduled = conditionOf("PodGroupInitiallyScheduled");
  if (scheduled === undefined) return "Pending";
  return scheduled.status === "True" ? "Scheduled" : "Unschedulable";
}

const roleLabel = "node-role.kubernetes.io/";

export const nodeTable: TableDefinition<Node> = {
  columns: [
    column("Name"),
    column("Status"),
    column("Roles"),
    column("Age"),
    column("Version"),
    wide("Internal-IP"),
    wide("External-IP"),
    wide("OS-Image"),
    wide("Kernel-Version"),
    wide("Container-Runtime"),
  ],
  cells(node, nowMs) {
    const info = node.status?.nodeInfo ?? {};
    const address = (type: string): string =>
      (node.status?.addresses ?? []).find((other: { type: string }) => other.type === type)?.address || "<none>";
    const roles = Object.keys(node.metadata.labels ?? {})
      .filter((key) => key.startsWith(roleLabel))
      .map((key) => key.slice(roleLabel.length));
    return [
      node.metadata.name ?? "",
      nodeStatus(node),
      roles.toSorted().join(",") || "<none>",
      age(node, nowMs),
      info.kubeletVersion ?? "",
      address("InternalIP"),
      address("ExternalIP"),
      info.osImage || "<unknown>",
      info.kernelVersion || "<unknown>",
      info.containerRuntimeVersion || "<unknown>",
    ];
  },
};

function nodeStatus(node: Node): string {
  const ready = (node.status?.conditions ?? []).find((condition: { type: string }) => condition.type === "Ready");
  const status = !ready ? "Unknown" : ready.status === "True" ? "Ready" : "NotReady";
  return node.spec?.unschedulable ? `${status},SchedulingDisabled` : status;
}

/** For kinds that are created and returned but never listed. */
export const nameTable: TableDefinition = {
  columns: [column("Name"), column("Created At", { type: "date" })],
  cells: (object) => [object.metadata.name ?? "", object.metadata.creationTimestamp ?? ""],
};
