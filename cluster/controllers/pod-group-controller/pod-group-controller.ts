/**
 * Lets PodGroups go that are being deleted, once no pod uses them: it removes their finalizer. A pod that has ended
 * uses none. Source: pkg/controller/scheduling/podgroupprotection.
 */
import { hasEnded } from "../../apiserver/quota/usage.ts";
import { POD_GROUPS, PODS, resourcePath } from "../../client/client.ts";
import { type Changed, collectionKey, type ControllerOptions } from "../../client/collections.ts";
import type { Part } from "../../client/part.ts";
import type { Pod, PodGroup } from "../../values/kinds.ts";
import { POD_GROUP_FINALIZER } from "../../values/pod-groups.ts";
import { type ControllerTools, type Done, keyedController, type KeyedWork } from "../keyed-controller.ts";

const SETTINGS = { userAgent: "podgroup-protection-controller", watched: [POD_GROUPS, PODS] };
const CONFLICT = 409;
const NOT_FOUND = 404;

export function podGroupController(options: ControllerOptions): Part {
  return keyedController(options, SETTINGS, (tools) => new PodGroupProtection(tools));
}

class PodGroupProtection implements KeyedWork {
  readonly #tools: ControllerTools;
  /** The keys of the pods that use a PodGroup, by its key. */
  readonly #users = new Map<string, Set<string>>();

  constructor(tools: ControllerTools) {
    this.#tools = tools;
  }

  readonly changed: Changed = (resource, object, type) => {
    if (resource === POD_GROUPS) {
      if (isWaiting(object as PodGroup)) this.#tools.queue.add(collectionKey(object));
      return;
    }
    const pod = object as Pod;
    const name = pod.spec.schedulingGroup?.podGroupName;
    if (!name) return;
    const group = `${pod.metadata.namespace}/${name}`;
    if (type !== "DELETED" && !hasEnded(pod)) {
      const users = this.#users.get(group) ?? new Set();
      this.#users.set(group, users.add(collectionKey(pod)));
    } else this.#forget(group, collectionKey(pod));
  };

  #forget(group: string, pod: string): void {
    const users = this.#users.get(group);
    users?.delete(pod);
    if (users?.size === 0) this.#users.delete(group);
    this.#tools.queue.add(group);
  }

  sync(key: string, done: Done): void {
    const { known, client, outcome } = this.#tools;
    const group = known.get(POD_GROUPS, key);
    if (group === undefined || !isWaiting(group) || this.#users.has(key)) {
      done("done");
      return;
    }
    const { namespace, name, finalizers } = group.metadata;
    const kept = finalizers!.filter((finalizer) => finalizer !== POD_GROUP_FINALIZER);
    const freed = { ...group, metadata: { ...group.metadata, finalizers: kept } };
    client.update(resourcePath(POD_GROUPS, namespace, name), freed, (result) => {
      const isConflict = !result.ok && result.error.status === CONFLICT;
      done(isConflict ? "failed" : outcome(result, [NOT_FOUND]));
    });
  }
}

function isWaiting({ metadata: { deletionTimestamp, finalizers } }: PodGroup): boolean {
  return deletionTimestamp !== undefined && finalizers?.includes(POD_GROUP_FINALIZER) === true;
}
