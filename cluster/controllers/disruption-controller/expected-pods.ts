/**
 * How many pods a PodDisruptionBudget expects, and how many of them must be healthy. A percentage refers to the number
 * of pods that their controllers should run. Source: getExpectedPodCount in pkg/controller/disruption.
 */
import {
  type ApiResource,
  DEPLOYMENTS,
  REPLICA_SETS,
  REPLICATION_CONTROLLERS,
  STATEFUL_SETS,
} from "../../client/client.ts";
import type { Collections } from "../../client/collections.ts";
import type {
  Deployment,
  Pod,
  PodDisruptionBudget,
  ReplicaSet,
  ReplicationController,
  StatefulSet,
} from "../../values/kinds.ts";
import type { OwnerReference } from "../../values/types.ts";

/** A controller with a number of replicas. */
type Scaled = ReplicaSet | Deployment | StatefulSet | ReplicationController;

/** Their resources. */
export const SCALED: readonly ApiResource<Scaled>[] = [
  REPLICA_SETS,
  DEPLOYMENTS,
  STATEFUL_SETS,
  REPLICATION_CONTROLLERS,
];

export interface Expected {
  readonly pods: number;
  readonly healthy: number;
  /** Pods without a controller count for no share. */
  readonly hasUnmanaged: boolean;
}

/** @throws Error if the budget is a share and a pod's controller has no number of replicas */
export function expectedPods({ spec }: PodDisruptionBudget, pods: readonly Pod[], known: Collections): Expected {
  const { minAvailable, maxUnavailable } = spec;
  if (maxUnavailable !== undefined) {
    const { count, hasUnmanaged } = scaleOf(pods, known);
    return { pods: count, healthy: Math.max(0, count - shareOf(maxUnavailable, count)), hasUnmanaged };
  }
  if (typeof minAvailable === "number") return { pods: pods.length, healthy: minAvailable, hasUnmanaged: false };
  if (minAvailable === undefined) return { pods: 0, healthy: 0, hasUnmanaged: false };
  const { count, hasUnmanaged } = scaleOf(pods, known);
  return { pods: count, healthy: shareOf(minAvailable, count), hasUnmanaged };
}

/** A number, or a share of the total, rounded up. */
function shareOf(amount: number | string, total: number): number {
  return typeof amount === "number" ? amount : Math.ceil((Number.parseInt(amount, 10) * total) / 100);
}

/** The sum of the replicas of all their controllers. */
function scaleOf(pods: readonly Pod[], known: Collections): { count: number; hasUnmanaged: boolean } {
  const replicas = new Map<string, number>();
  let hasUnmanaged = false;
  for (const { metadata } of pods) {
    const owner = metadata.ownerReferences?.find(({ controller }) => controller === true);
    if (!owner) hasUnmanaged = true;
    else if (!replicas.has(owner.uid)) {
      const found = controllerOf(owner, metadata.namespace!, known);
      if (!found) throw new Error(`found no controllers for pod ${JSON.stringify(metadata.name)}`);
      replicas.set(found.metadata.uid, found.spec?.replicas ?? 1);
    }
  }
  return { count: [...replicas.values()].reduce((sum, count) => sum + count, 0), hasUnmanaged };
}

/** The controller whose number counts: for a ReplicaSet its Deployment, if it has one. */
function controllerOf(owner: OwnerReference, namespace: string, known: Collections): Scaled | undefined {
  const resource = SCALED.find(({ apiVersion, kind }) => apiVersion === owner.apiVersion && kind === owner.kind);
  if (!resource) return undefined;
  const found = known.get(resource, `${namespace}/${owner.name}`);
  if (found?.metadata.uid !== owner.uid) return undefined;
  const above = resource === REPLICA_SETS && found.metadata.ownerReferences?.find(({ controller }) => controller);
  return (above && controllerOf(above, namespace, known)) || found;
}
