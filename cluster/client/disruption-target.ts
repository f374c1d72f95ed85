/**
 * Evicts a pod as upstream's controllers do: first it gets the condition DisruptionTarget, by which Jobs tell a
 * disruption from a failure, then it is deleted.
 */
import { formatTime } from "../values/times.ts";
import { type ApiClient, PODS, resourcePath, type WriteResult } from "./client.ts";
import type { Pod } from "../values/kinds.ts";
import type { TypedObject } from "../values/types.ts";

/** The reason for an eviction, as its condition reports it. */
export interface Disruption {
  readonly reason: string;
  readonly message: string | undefined;
}

/** The condition, in the form of a patch. */
export function disruptionTarget({ metadata }: TypedObject, { reason, message }: Disruption, nowMs: number): object {
  const { generation } = metadata;
  return {
    type: "DisruptionTarget",
    status: "True",
    ...(generation !== undefined && { observedGeneration: generation }),
    lastProbeTime: null,
    lastTransitionTime: formatTime(nowMs),
    reason,
    message,
  };
}

/** Marks a pod and deletes it. Its other conditions keep their order, and the new one comes last. */
export function driveOut(
  client: ApiClient,
  pod: Pod,
  disruption: Disruption,
  nowMs: number,
  done: (result: WriteResult) => void,
): void {
  const { namespace, name, uid } = pod.metadata;
  const others: readonly { readonly type: string }[] = pod.status?.conditions ?? [];
  const order = [...others.map(({ type }) => type).filter((type) => type !== "DisruptionTarget"), "DisruptionTarget"];
  const status = {
    "$setElementOrder/conditions": order.map((type) => ({ type })),
    conditions: [disruptionTarget(pod, disruption, nowMs)],
  };
  const path = resourcePath(PODS, namespace, name);
  client.patch(`${path}/status`, "application/strategic-merge-patch+json", { metadata: { uid }, status }, (result) => {
    if (result.ok) client.delete(path, { preconditions: { uid } }, done);
    else done(result);
  });
}
