/** Runs admission plugins in the order in which they are given: first all changes, then all checks. */
import type { Pod } from "../../values/kinds.ts";
import type { KubeObject } from "../../values/types.ts";
import { type AdmissionPlugins, keyOf, type ResourceRequest, type ServerContext } from "../contract/context.ts";
import { PendingReview } from "./pending-review.ts";
import type { Call } from "../contract/webhook-call.ts";

/** One plugin. Its functions throw an ApiError to refuse. It selects requests by resource and subresource. */
export interface AdmissionPlugin {
  /** @returns the object itself if nothing changes, else a new one. `current` is absent on create */
  mutate?(object: KubeObject, current: KubeObject | undefined, request: ResourceRequest): KubeObject;
  /** Gets the object as it will be stored. `object` is absent on delete, `current` on create. */
  validate?(object: KubeObject | undefined, current: KubeObject | undefined, request: ResourceRequest): void;
  /** Whether the plugin may read metadata.managedFields as it is configured now. Default: it does not. */
  looksAtOwners?(server: ServerContext): boolean;
  /** Reviews the eviction of a running pod. */
  evict?(pod: Pod, request: ResourceRequest, isDryRun: boolean): void;
}

export function chain(plugins: readonly AdmissionPlugin[]): AdmissionPlugins {
  const validate: Required<AdmissionPlugin>["validate"] = (object, current, request) => {
    for (const plugin of plugins) plugin.validate?.(object, current, request);
  };
  return {
    review(object, current, request, complete) {
      const changed = plugins.reduce((next, plugin) => plugin.mutate?.(next, current, request) ?? next, object);
      const completed = changed === object ? object : complete(changed);
      validate(completed, current, request);
      return completed;
    },
    reviewDelete(current, request) {
      validate(undefined, current, request);
    },
    prepareDeletes(deletions) {
      const calls: Call[] = [];
      for (const request of deletions) {
        const { server, definition, namespace, name } = request;
        const current = server.store(definition).get(keyOf(namespace, name))?.object;
        try {
          validate(undefined, current, request);
        } catch (error) {
          // A refusal is thrown again when the object itself is deleted.
          if (error instanceof PendingReview) calls.push(...error.calls);
        }
      }
      if (calls.length > 0) throw new PendingReview(calls);
    },
    looksAtOwners: (server) => plugins.some((plugin) => plugin.looksAtOwners?.(server)),
    reviewEviction(pod, request, isDryRun) {
      for (const plugin of plugins) plugin.evict?.(pod, request, isDryRun);
    },
  };
}
