/** What a test does to nodes: cordons, drains and loses them. */
import { NODES, PODS, resourcePath } from "../../cluster/client/client.ts";
import { similarNames } from "../../cluster/values/similar-names.ts";
import type { Pod } from "../../cluster/values/kinds.ts";
import type { TypedObject } from "../../cluster/values/types.ts";
import type { EmbeddedCluster } from "../embedded/embedded.ts";
import { type ClusterApi, RefusedError } from "./cluster-api.ts";
import { ControlError } from "./control-error.ts";
import { missing, qualified } from "./targets.ts";

const TOO_MANY_REQUESTS = 429;

/** What became of the pods of a drained node. */
export interface Drained {
  readonly evicted: readonly string[];
  /** PodDisruptionBudgets protect these pods. */
  readonly refused: readonly { readonly pod: string; readonly message: string }[];
}

export class NodeControls {
  readonly #api: ClusterApi;
  readonly #embedded: EmbeddedCluster;
  /** The nodes of this cluster; a client may have made others. */
  readonly #own: readonly string[];

  constructor(api: ClusterApi, embedded: EmbeddedCluster, own: readonly string[]) {
    this.#api = api;
    this.#embedded = embedded;
    this.#own = own;
  }

  /** @throws ControlError 404 */
  async setUnschedulable(node: string, unschedulable: boolean): Promise<void> {
    this.#check(node);
    await this.#api.write(
      "PATCH",
      resourcePath(NODES, undefined, node),
      { spec: { unschedulable: unschedulable || null } },
      "application/merge-patch+json",
    );
  }

  /** @throws ControlError 404 */
  async drain(node: string): Promise<Drained> {
    await this.setUnschedulable(node, true);
    const evicted: string[] = [];
    const refused: { pod: string; message: string }[] = [];
    for (const pod of this.#api.list(resourcePath(PODS)).filter((each) => isToGo(each, node))) {
      const { namespace, name } = pod.metadata;
      const qualifiedName = qualified({ namespace: namespace!, name });
      try {
        await evict(this.#api, pod);
        evicted.push(qualifiedName);
      } catch (error) {
        if (!(error instanceof RefusedError) || error.status !== TOO_MANY_REQUESTS) throw error;
        refused.push({ pod: qualifiedName, message: error.message });
      }
    }
    return { evicted, refused };
  }

  /** @throws ControlError 404 */
  lose(node: string): void {
    this.#check(node);
    if (!this.#own.includes(node))
      throw new ControlError(
        409,
        `the node ${node} has no machine here: another program made it; allowed are ${this.#own.join(", ")}`,
      );
    this.#embedded.loseNode(node);
  }

  #check(node: string): void {
    const names = this.#api.list(resourcePath(NODES)).map(({ metadata }) => metadata.name);
    if (!names.includes(node)) throw missing(`node ${node}`, similarNames(String(node), names), names, "nodes");
  }
}

/** @throws RefusedError */
export async function evict(api: ClusterApi, { metadata: { namespace, name } }: TypedObject): Promise<void> {
  const eviction = { apiVersion: "policy/v1", kind: "Eviction", metadata: { name, namespace } };
  await api.write("POST", resourcePath(PODS, namespace, name, "eviction"), eviction);
}

/** kubectl skips pods of DaemonSets, and pods that are being deleted already. */
function isToGo({ metadata, ...pod }: Pod, node: string): boolean {
  const isOfDaemonSet = metadata.ownerReferences?.some(({ kind, controller }) => kind === "DaemonSet" && controller);
  return pod.spec.nodeName === node && !isOfDaemonSet && metadata.deletionTimestamp === undefined;
}
