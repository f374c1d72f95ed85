/**
 * Checks evictions against the PodDisruptionBudget of their pod, and charges them to it. Source:
 * pkg/registry/core/pod/storage/eviction.go.
 */
import { disruptionCondition, isReady, statusOf, withDisruptionCondition } from "../../values/budget-status.ts";
import { matchesLabels } from "../../values/label-selector.ts";
import type { Pod, PodDisruptionBudget, PodDisruptionBudgetStatus } from "../../values/kinds.ts";
import type { TypedObject } from "../../values/types.ts";
import type { ResourceDefinition, ResourceRequest } from "../contract/context.ts";
import { normalize } from "../schema/decode.ts";
import { type ApiError, failure, forbidden } from "../contract/status-errors.ts";
import type { StoredOf } from "../contract/store-of.ts";
import { formatTime } from "../../values/times.ts";
import type { AdmissionPlugin } from "./chain.ts";

const MAX_DISRUPTED_PODS = 2000;
const UNHEALTHY_RETRY_SECONDS = 10;

export const disruptionBudgets: AdmissionPlugin = {
  evict(pod, request, isDryRun) {
    const [budget, ...others] = budgetsOf(pod, request);
    if (others.length > 0)
      throw failure({
        code: 500,
        message: "This pod has more than one PodDisruptionBudget, which the eviction subresource does not support.",
      });
    if (budget && !mayGoUnhealthy(pod, budget.object)) useUp(budget, pod, request, isDryRun);
  },
};

const definitionOf = ({ server }: ResourceRequest): ResourceDefinition<PodDisruptionBudget> =>
  server.definition("policy", "poddisruptionbudgets");

function budgetsOf(pod: TypedObject, request: ResourceRequest): StoredOf<PodDisruptionBudget>[] {
  const store = request.server.store(definitionOf(request));
  return [...store.scan(`${request.namespace}/`, "")].filter(({ object }) =>
    matchesLabels(object.spec?.selector, pod.metadata.labels),
  );
}

/** A pod that is not ready takes nothing from the budget, if the other pods are healthy or the budget allows it. */
function mayGoUnhealthy(pod: Pod, budget: PodDisruptionBudget): boolean {
  if (isReady(pod)) return false;
  const { currentHealthy, desiredHealthy } = statusOf(budget);
  return (
    budget.spec.unhealthyPodEvictionPolicy === "AlwaysAllow" || (currentHealthy >= desiredHealthy && desiredHealthy > 0)
  );
}

function useUp(
  { key, object: budget }: StoredOf<PodDisruptionBudget>,
  pod: TypedObject,
  request: ResourceRequest,
  isDryRun: boolean,
): void {
  const { name, generation = 0 } = budget.metadata;
  const status = statusOf(budget);
  const refuse = (message: string): ApiError =>
    forbidden({ group: "policy", name: "poddisruptionbudget" }, name, message);
  if ((status.observedGeneration ?? 0) < generation)
    throw tooMany(`The disruption budget ${name} is still being processed by the server.`, UNHEALTHY_RETRY_SECONDS);
  if (status.disruptionsAllowed < 0) throw refuse("pdb disruptions allowed is negative");
  if (Object.keys(status.disruptedPods ?? {}).length > MAX_DISRUPTED_PODS)
    throw refuse("DisruptedPods map too big - too many evictions not confirmed by PDB controller");
  if (status.disruptionsAllowed === 0) throw tooMany(whyNot(name, status));
  if (isDryRun) return;
  const { server } = request;
  const nowMs = server.clock.now();
  const used: PodDisruptionBudgetStatus = {
    ...status,
    disruptionsAllowed: status.disruptionsAllowed - 1,
    disruptedPods: { ...status.disruptedPods, [pod.metadata.name]: formatTime(nowMs) },
  };
  const next = used.disruptionsAllowed === 0 ? withDisruptionCondition(used, nowMs) : used;
  const definition = definitionOf(request);
  server.store(definition).put(key, normalize({ ...budget, status: next }, definition.body.type));
}

function whyNot(name: string, status: PodDisruptionBudgetStatus): string {
  const condition = disruptionCondition(status);
  const why = condition?.status === "False" ? condition.message : "";
  if (why !== "" && condition?.reason === "SyncFailed")
    return `The disruption budget ${name} does not allow evicting pods currently because it failed sync: ${why}`;
  const { currentHealthy, desiredHealthy } = status;
  if (currentHealthy <= desiredHealthy)
    return `The disruption budget ${name} needs ${desiredHealthy} healthy pods and has ${currentHealthy} currently`;
  const begin = `The disruption budget ${name} does not allow evicting pods currently`;
  return why === "" ? begin : `${begin} (${condition?.reason}): ${why}`;
}

function tooMany(message: string, retryAfterSeconds = 0): ApiError {
  return failure({
    code: 429,
    reason: "TooManyRequests",
    message: "Cannot evict pod as it would violate the pod's disruption budget.",
    details: { retryAfterSeconds, causes: [{ reason: "DisruptionBudget", message }] },
  });
}
