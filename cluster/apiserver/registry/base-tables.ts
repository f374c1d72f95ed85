/**
 * The columns that kubectl prints of the kinds of resources.ts, by the resource that stores them. Apart from these,
 * because a server without ClientSupport prints none.
 */
import { jobTable } from "../tables/jobs.ts";
import {
  configMapTable,
  eventTable,
  leaseTable,
  namespaceTable,
  nodeTable,
  podGroupTable,
  resourceQuotaTable,
  secretTable,
} from "../tables/others.ts";
import { plainTable } from "../tables/plain-table.ts";
import { podTable } from "../tables/pods.ts";
import type { TableDefinition } from "../tables/table.ts";

export const baseTables: Readonly<Record<string, TableDefinition>> = {
  configmaps: configMapTable,
  events: eventTable,
  namespaces: namespaceTable,
  nodes: nodeTable,
  pods: podTable,
  resourcequotas: resourceQuotaTable,
  secrets: secretTable,
  jobs: jobTable,
  leases: leaseTable,
  podgroups: podGroupTable,
  workloads: plainTable(),
};
