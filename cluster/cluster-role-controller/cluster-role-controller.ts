/**
 * Gives a ClusterRole that has an aggregationRule the rules of all ClusterRoles that it selects. Source:
 * pkg/controller/clusterroleaggregation.
 */
import { type LabelSelector, matchesLabels } from "../label-selector.ts";
import { ApiClient, type ApiResource, isRetryable, resourcePath } from "../client.ts";
import type { ControllerOptions, Part } from "../components.ts";
import { Reflector } from "../reflector.ts";
import type { KubeObject } from "../types.ts";
import { WorkQueue, type WorkOutcome } from "../work-queue.ts";

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
  readonly #reflector: Reflector;
  readonly #queue: WorkQueue<string>;
  readonly #roles = new Map<string, KubeObject>();

  constructor({ transport, clock, random, onProblem }: ControllerOptions) {
    this.#client = new ApiClient(transport, { userAgent: "clusterrole-aggregation-controller" });
    this.#queue = new WorkQueue({
      ...{ clock, random, concurrency: CONCURRENT_SYNCS },
      ...{ retryInitialMs: RETRY_INITIAL_MS, retryMaxMs: RETRY_MAX_MS },
      work: (name, done) => this.#sync(name, done),
    });
    this.#reflector = new Reflector(
      { client: this.#client, clock, random, path: resourcePath(CLUSTER_ROLES) },
      {
        onSync: (roles) => {
          this.#roles.clear();
          for (const role of roles) this.#roles.set(role.metadata.name, role);
          this.#lookAgain();
        },
        onEvent: (type, role) => {
          if (type === "DELETED") this.#roles.delete(role.metadata.name);
          else this.#roles.set(role.metadata.name, role);
          this.#lookAgain();
        },
        onProblem,
      },
    );
  }

  start(): void {
    this.#reflector.start();
  }

  stop(): void {
    this.#reflector.stop();
    this.#queue.stop();
  }

  /** A change of one role can concern every one that aggregates. */
  #lookAgain(): void {
    for (const [name, role] of this.#roles) if (role["aggregationRule"]) this.#queue.add(name);
  }

  #sync(name: string, done: (outcome: WorkOutcome) => void): void {
    const role = this.#roles.get(name);
    if (role?.["aggregationRule"] === undefined) return done("done");
    const rules = aggregated(role, this.#roles.values());
    if (JSON.stringify(rules) === JSON.stringify(role["rules"] ?? [])) return done("done");
    const path = resourcePath(CLUSTER_ROLES, undefined, name);
    this.#client.patch(path, "application/merge-patch+json", { rules }, (result) =>
      done(!result.ok && isRetryable(result.error) ? "failed" : "done"),
    );
  }
}

/** The different rules of the roles that a role selects, in the order of their names. */
function aggregated({ metadata, ...role }: KubeObject, roles: Iterable<KubeObject>): object[] {
  const selectors: readonly LabelSelector[] = role["aggregationRule"].clusterRoleSelectors ?? [];
  const others = [...roles].filter((other) => other.metadata.name !== metadata.name);
  others.sort((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  const rules = new Map<string, object>();
  for (const selector of selectors)
    for (const other of others.filter((one) => matchesLabels(selector, one.metadata.labels)))
      for (const rule of other["rules"] ?? []) rules.set(JSON.stringify(rule), rule);
  return [...rules.values()];
}
