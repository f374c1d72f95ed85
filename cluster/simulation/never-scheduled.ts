/**
 * Pods that no node takes because the user asked for it, by name.
 *
 * Invariant: an input counts for all of its millisecond, so this module checks for it at the instant at which the pod
 * is created, and what happened before stays as it was. Leaves out rules about many pods (pod-outcomes.ts).
 */
import { PODS, resourcePath } from "../client/client.ts";
import type { TypedObject } from "../values/types.ts";
import type { Input } from "./scenario.ts";
import type { Api } from "./api.ts";

export interface PodName {
  readonly namespace: string;
  readonly name: string;
}

export class NeverScheduled {
  readonly #uids = new Set<string>();

  /** Whether an input asks for it, when the scheduler first sees the pod. */
  asks({ metadata: { namespace, name, uid } }: TypedObject, inputs: readonly Input[], nowMs: number): boolean {
    const isAsked = inputs.some(
      ({ atMs, action }) =>
        action.kind === "never-schedule" && atMs <= nowMs && action.name === name && action.namespace === namespace,
    );
    if (isAsked) this.#uids.add(uid);
    return isAsked;
  }

  /** The scheduler has seen the pod before the user's action. */
  problems(api: Api, { namespace, name }: PodName): string[] {
    const pod = api.get(resourcePath(PODS, namespace, name));
    return !pod.ok || this.#uids.has(pod.object.metadata.uid)
      ? []
      : [`pod ${name} is there already: this can be asked for at the instant of its creation, or before`];
  }
}
