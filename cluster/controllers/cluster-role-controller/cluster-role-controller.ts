/**
 * Gives a ClusterRole that has an aggregationRule the rules of all ClusterRoles that it selects. Source:
 * pkg/controller/clusterroleaggregation.
 */
import { type LabelSelector, matchesLabels } from "../../values/label-selector.ts";
import { type ApiResource, isRetryable, resourcePath } from "../../client/client.ts";
import { collectionKey, type ControllerOptions } from "../../client/collections.ts";
import type { Part } from "../../client/part.ts";
import type { ClusterRole } from "../../values/kinds.ts";
import { type ControllerTools, type Done, keyedController } from "../keyed-controller.ts";

const CLUSTER_ROLES: ApiResource<ClusterRole> = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
};
const SETTINGS = {
  userAgent: "clusterrole-aggregation-controller",
  watched: [CLUSTER_ROLES],
  concurrency: 5,
  retry: { retryInitialMs: 100, retryMaxMs: 60_000 },
};

/** Its keys are the names of ClusterRoles. */
export function clusterRoleController(options: ControllerOptions): Part {
  return keyedController(options, SETTINGS, (tools) => ({
    // A change of one role can affect every role that aggregates.
    changed: () => {
      for (const role of tools.known.list(CLUSTER_ROLES))
        if (role.aggregationRule) tools.queue.add(collectionKey(role));
    },
    sync: (name, done) => sync(tools, name, done),
  }));
}

function sync({ client, known }: ControllerTools, name: string, done: Done): void {
  const role = known.get(CLUSTER_ROLES, name);
  if (role?.aggregationRule === undefined) return done("done");
  const rules = aggregated(role, known.list(CLUSTER_ROLES));
  if (JSON.stringify(rules) === JSON.stringify(role.rules ?? [])) return done("done");
  const path = resourcePath(CLUSTER_ROLES, undefined, name);
  client.patch(path, "application/merge-patch+json", { rules }, (result) =>
    done(!result.ok && isRetryable(result.error) ? "failed" : "done"),
  );
}

/** The different rules of the roles that a role selects, in the order of their names. */
function aggregated({ metadata, ...role }: ClusterRole, roles: readonly ClusterRole[]): object[] {
  const selectors: readonly LabelSelector[] = role.aggregationRule!.clusterRoleSelectors ?? [];
  const others = roles.filter((other) => other.metadata.name !== metadata.name);
  others.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules = new Map<string, object>();
  for (const selector of selectors)
    for (const other of others.filter((one) => matchesLabels(selector, one.metadata.labels)))
      for (const rule of other.rules ?? []) rules.set(JSON.stringify(rule), rule);
  return [...rules.values()];
}
