/**
 * Gives a ClusterRole that has an aggregationRule the rules of all ClusterRoles that it selects. Source:
 * pkg/controller/clusterroleaggregation.
 */
import { type LabelSelector, matchesLabels } from "../../values/label-selector.ts";
import { ApiClient, type ApiResource, isRetryable, resourcePath } from "../../client/client.ts";
import { collectionKey, Collections, type ControllerOptions } from "../../client/collections.ts";
import type { Part } from "../../client/part.ts";
import type { KubeObject } from "../../values/types.ts";
import { WorkQueue, type WorkOutcome } from "../../client/work-queue.ts";

const CLUSTER_ROLES: ApiResource = {
  apiVersion: "rbac.authorization.k8s.io/v1",
  kind: "ClusterRole",
  plural: "clusterroles",
  namespaced: false,
};
const CONCURRENT_SYNCS = 5;
const RETRY_INITIAL_MS = 100;
const RETRY_MAX_MS = 60_000;

export class ClusterRoleController implements Part {
  readonly #client: ApiClient;
  readonly #known: Collections;
  readonly #queue: WorkQueue<string>;

  constructor(options: ControllerOptions) {
    const { transport, clock, random } = options;
    this.#client = new ApiClient(transport, { userAgent: "clusterrole-aggregation-controller" });
    this.#queue = new WorkQueue({
      clock,
      random,
      concurrency: CONCURRENT_SYNCS,
      retryInitialMs: RETRY_INITIAL_MS,
      retryMaxMs: RETRY_MAX_MS,
      work: (name, done) => this.#sync(name, done),
    });
    // A change of one role can affect every role that aggregates.
    this.#known = new Collections(this.#client, options, [CLUSTER_ROLES], () => {
      for (const role of this.#known.list(CLUSTER_ROLES))
        if (role["aggregationRule"]) this.#queue.add(collectionKey(role));
    });
  }

  start(): void {
    this.#known.start();
  }

  stop(): void {
    this.#known.stop();
    this.#queue.stop();
  }

  #sync(name: string, done: (outcome: WorkOutcome) => void): void {
    const role = this.#known.get(CLUSTER_ROLES, name);
    if (role?.["aggregationRule"] === undefined) return done("done");
    const rules = aggregated(role, this.#known.list(CLUSTER_ROLES));
    if (JSON.stringify(rules) === JSON.stringify(role["rules"] ?? [])) return done("done");
    const path = resourcePath(CLUSTER_ROLES, undefined, name);
    this.#client.patch(path, "application/merge-patch+json", { rules }, (result) =>
      done(!result.ok && isRetryable(result.error) ? "failed" : "done"),
    );
  }
}

/** The different rules of the roles that a role selects, in the order of their names. */
function aggregated({ metadata, ...role }: KubeObject, roles: readonly KubeObject[]): object[] {
  const selectors: readonly LabelSelector[] = role["aggregationRule"].clusterRoleSelectors ?? [];
  const others = roles.filter((other) => other.metadata.name !== metadata.name);
  others.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules = new Map<string, object>();
  for (const selector of selectors)
    for (const other of others.filter((one) => matchesLabels(selector, one.metadata.labels)))
      for (const rule of other["rules"] ?? []) rules.set(JSON.stringify(rule), rule);
  return [...rules.values()];
}
