/**
 * The cluster of an incident on virtual time: its nodes and programs, what a user applies, and what is done to it.
 *
 * Invariant: the same incident gives the same run, to the millisecond. Time begins to move with `play`.
 */
import { followChanges } from "../../cluster/kubelet/pod-changes.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { checkedDuration } from "../control/check-input.ts";
import { ClusterApi } from "../control/cluster-api.ts";
import { CONTROL_CALLS } from "../control/control-calls.ts";
import { ControlError } from "../control/control-error.ts";
import type { Steering } from "../control/steering.ts";
import { EmbeddedCluster } from "../embedded/embedded.ts";
import { TestCluster } from "../testing/test-cluster.ts";
import type { Incident, Node, ObjectReference, Program, Step } from "./incident.ts";
import { isLike } from "./like.ts";

const DEFAULT_LIMIT = "1h";
/** What a node has, unless given. */
export const DEFAULT_NODE: Required<Pick<Node, "cpu" | "memory" | "pods">> = { cpu: "4", memory: "16Gi", pods: "110" };

/** Where objects of a kind are. */
const COLLECTIONS: Readonly<Record<string, string>> = {
  ConfigMap: "/api/v1/namespaces/default/configmaps",
  CronJob: "/apis/batch/v1/namespaces/default/cronjobs",
  Job: "/apis/batch/v1/namespaces/default/jobs",
  Node: "/api/v1/nodes",
  Pod: "/api/v1/namespaces/default/pods",
  PodDisruptionBudget: "/apis/policy/v1/namespaces/default/poddisruptionbudgets",
  ResourceQuota: "/api/v1/namespaces/default/resourcequotas",
  Secret: "/api/v1/namespaces/default/secrets",
};

/** How long it is looked at, in milliseconds. */
export function limitOf({ world }: Incident): number {
  return checkedDuration(world.limit ?? DEFAULT_LIMIT, "the limit");
}

export class IncidentWorld {
  readonly embedded: EmbeddedCluster;
  readonly cluster: TestCluster;
  readonly api: ClusterApi;
  readonly #incident: Incident;
  readonly #refusals: string[] = [];

  private constructor(incident: Incident, embedded: EmbeddedCluster, cluster: TestCluster) {
    this.#incident = incident;
    this.embedded = embedded;
    this.cluster = cluster;
    this.api = new ClusterApi(embedded.cluster);
  }

  /** @param steering has the clock and the containers @param random names, and how long containers run */
  static async create(incident: Incident, steering: Steering, random: () => number): Promise<IncidentWorld> {
    const { nodes = [{ name: "node-1" }], programs = [] } = incident.world;
    steering.runtime.scripts = programs.map(scriptOf);
    const embedded = await EmbeddedCluster.create({
      clock: steering.clock,
      random,
      tracksFields: true,
      servesClients: true,
      nodes: nodes.map((node, i) => ({
        nodeName: node.name,
        runtime: steering.runtime,
        followPod: followChanges,
        podCIDR: `10.244.${i}.0/24`,
        capacity: capacityOf(node),
        ...(node.labels && { labels: node.labels }),
        ...(node.taints && { taints: node.taints }),
      })),
      ...steering.clusterOptions,
    });
    const names = nodes.map(({ name }) => name);
    const controls = steering.controlsOf(embedded, names);
    embedded.start();
    const stop = (): void => {
      embedded.stop();
      controls.time.stop();
    };
    return new IncidentWorld(incident, embedded, new TestCluster({ embedded, options: controls, stop }, () => {}));
  }

  /** What the API server has refused of what was applied, in its words. */
  get refusals(): readonly string[] {
    return this.#refusals;
  }

  stop(): Promise<void> {
    return this.cluster.stop();
  }

  /**
   * Applies the objects, and takes the steps up to the limit.
   * @param isLenient steps for which there is nothing any more are passed over, as in an incident that is repaired
   */
  async play(isLenient: boolean): Promise<void> {
    const { cluster } = this;
    const { objects, world } = this.#incident;
    const startMs = cluster.now();
    await cluster.settle();
    for (const object of objects) await this.#apply(object);
    for (const { atMs, step } of (world.steps ?? []).flatMap(timesOf).toSorted((a, b) => a.atMs - b.atMs)) {
      await cluster.advance(startMs + atMs - cluster.now());
      await this.#take(step, isLenient);
    }
    await cluster.advance(Math.max(0, startMs + limitOf(this.#incident) - cluster.now()));
  }

  async #apply(object: KubeObject): Promise<void> {
    try {
      await this.cluster.apply(object);
    } catch (error) {
      this.#refusals.push((error as Error).message);
    }
  }

  async #take(step: Step, isLenient: boolean): Promise<void> {
    const { call, patch, with: fields = {}, apply } = step;
    try {
      if (apply !== undefined) await this.#apply(apply);
      else if (step.delete !== undefined)
        await this.api.write("DELETE", pathOf(step.delete), { propagationPolicy: "Background" });
      else if (patch !== undefined) await this.#patch(patch, fields);
      else await callOf(call!).run({ controls: this.cluster, list: (path) => this.api.list(path) }, fields);
    } catch (error) {
      if (!isLenient || !(error instanceof ControlError)) throw error;
    }
    await this.cluster.settle();
  }

  async #patch(patch: Required<Step>["patch"], change: object): Promise<void> {
    const references = patch.pods
      ? this.cluster
          .pods(`job/${patch.name}`)
          .list()
          .map(({ name }) => ({ kind: "Pod", name }))
      : [patch];
    const end = patch.subresource === undefined ? "" : `/${patch.subresource}`;
    for (const each of references)
      await this.api.write("PATCH", `${pathOf(each)}${end}`, change, "application/merge-patch+json");
  }
}

function capacityOf(node: Node): Readonly<Record<string, string>> {
  const { cpu, memory, pods } = { ...DEFAULT_NODE, ...node };
  return { cpu, memory, pods };
}

function scriptOf({ when, outcome }: Program): (pod: object) => string | undefined {
  const text = JSON.stringify(outcome);
  return (pod) => (isLike(pod, when) ? text : undefined);
}

function timesOf(step: Step): { readonly atMs: number; readonly step: Step }[] {
  const fromMs = checkedDuration(step.at, "at");
  const everyMs = step.every === undefined ? 0 : checkedDuration(step.every, "every");
  return Array.from({ length: step.times ?? 1 }, (_, i) => ({ atMs: fromMs + i * everyMs, step }));
}

/** The path of an object in the API. @throws Error for a kind that no incident has */
export function pathOf({ kind, name }: ObjectReference): string {
  const collection = COLLECTIONS[kind];
  if (collection === undefined) throw new Error(`where is a ${kind}? Known are ${Object.keys(COLLECTIONS).join(", ")}`);
  return `${collection}/${name}`;
}

function callOf(path: string): (typeof CONTROL_CALLS)[number] {
  const call = CONTROL_CALLS.find((each) => each.method === "POST" && each.path === path);
  if (call === undefined) throw new Error(`the control API has no POST ${path}`);
  return call;
}
