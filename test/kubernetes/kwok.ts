/**
 * A fake kubelet that no one here wrote: kwok, which plays the pods of fake nodes on a real API server. A pod becomes
 * ready at once; one that a Job owns then succeeds; one that is deleted goes. What a node and a pod do is in stages, by
 * default kwok's own.
 *
 * Leaves out binding pods to nodes: there is no scheduler, so a pod template names its node (`nodeName`).
 */
import { readFileSync } from "node:fs";
import { type BinariesOptions, findOrBuild, findOrBuildKwokStages } from "./binaries/binaries.ts";
import { hasCondition } from "./conditions.ts";
import { ADMIN, type ReachableServer } from "./control-plane.ts";

const READY_TIMEOUT_MS = 60_000;

export interface KwokOptions {
  /** Names of the nodes that are made. Default: `fake-node`. */
  readonly nodes?: readonly string[];
  /** Stages (`kwok.x-k8s.io/v1alpha1`) as YAML documents, for nodes and pods. Default: kwok's own "fast" ones. */
  readonly stages?: string;
  readonly binaries?: BinariesOptions;
}

export const DEFAULT_NODE = "fake-node";

/**
 * Template of pods that are bound to a node and do nothing: the fake kubelet says how they end; on a node that is not
 * there they stay Pending.
 */
export function boundTemplate(nodeName = DEFAULT_NODE): { readonly spec: object } {
  return { spec: { nodeName, restartPolicy: "Never", containers: [{ name: "main", image: "busybox" }] } };
}

export interface Kwok {
  readonly pid: number;
  readonly nodes: readonly string[];
  log(): string;
  stop(): Promise<void>;
}

interface Node {
  readonly metadata: { readonly name: string };
  readonly status?: { readonly conditions?: readonly { readonly type: string; readonly status: string }[] };
}

/**
 * Starts it, makes the nodes and waits until they are ready. It ends with the control plane at the latest.
 * @throws Error as {@link startControlPlane} does, or when a node exists
 */
export async function startKwok(controlPlane: ReachableServer, options: KwokOptions = {}): Promise<Kwok> {
  const { nodes = [DEFAULT_NODE] } = options;
  const command = await findOrBuild("kwok", options.binaries);
  const stages = options.stages ?? readFileSync(await findOrBuildKwokStages(options.binaries), "utf8");
  const { processes } = controlPlane;
  const file = processes.write("stages.yaml", stages);
  const { running } = await processes.startServer({
    name: "kwok",
    command,
    args: (port) => [
      "--manage-all-nodes",
      `--config=${file}`,
      `--kubeconfig=${controlPlane.kubeconfig(ADMIN)}`,
      `--server-address=127.0.0.1:${port}`,
    ],
    isReady: async (port) => (await fetch(`http://127.0.0.1:${port}/healthz`)).ok,
    readyTimeoutMs: READY_TIMEOUT_MS,
  });
  const client = controlPlane.client();
  try {
    for (const name of nodes)
      await client.succeed("POST", "/api/v1/nodes", { apiVersion: "v1", kind: "Node", metadata: { name } });
    for (const name of nodes)
      await client.waitFor<Node>(
        `/api/v1/nodes?fieldSelector=metadata.name%3D${name}`,
        (node) => hasCondition(node, "Ready"),
        READY_TIMEOUT_MS,
      );
  } finally {
    client.close();
  }
  return { pid: running.pid, nodes, log: running.log, stop: running.stop };
}
