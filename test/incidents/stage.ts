/**
 * Plays an incident in a whole cluster on virtual time: nodes, programs, what a user applies, what is done to the
 * cluster. Keeps what was seen of it, also what is gone at the end.
 */
import type { Engine, Explanation } from "../../bindings/js/engine.ts";
import { trueCondition } from "../../cluster/values/job-conditions.ts";
import type { Job } from "../../cluster/values/kinds.ts";
import { seededRandom } from "../../cluster/values/random.ts";
import type { KubeObject } from "../../cluster/values/types.ts";
import { followChanges } from "../../cluster/kubelet/pod-changes.ts";
import { checkedDuration } from "../../host-node/control/check-input.ts";
import { ClusterApi } from "../../host-node/control/cluster-api.ts";
import { CONTROL_CALLS } from "../../host-node/control/control-calls.ts";
import { ControlError } from "../../host-node/control/control-error.ts";
import { Steering } from "../../host-node/control/steering.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { TestCluster } from "../../host-node/testing/test-cluster.ts";
import { type Incident, type Node, type ObjectReference, type Program, type Step } from "./incident.ts";
import { isLike } from "./like.ts";

const START_MS = Date.UTC(2026, 0, 1);
const SEED = 1;
const DEFAULT_LIMIT = "1h";
const DEFAULT_NODE: Required<Pick<Node, "cpu" | "memory" | "pods">> = { cpu: "4", memory: "16Gi", pods: "110" };

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

/** What was seen of an incident until its end. */
export interface Seen {
  readonly isComplete: boolean;
  /** The Job that the incident is about: of a CronJob the newest; undefined: there was none. */
  readonly job: KubeObject | undefined;
  /** All its pods in their last states, and those that are still there. */
  readonly pods: readonly KubeObject[];
  readonly presentPods: readonly KubeObject[];
  readonly events: readonly KubeObject[];
  /** What the API server has refused of what was applied, in its words. */
  readonly refusals: readonly string[];
  /** Undefined: the Job is gone. */
  readonly explanation: Explanation | undefined;
  /** In the words of `stint why`; empty: the Job is gone. */
  readonly why: string;
  readonly nowMs: number;
  readonly engine: Engine;
}

/** @param isLenient steps for which there is nothing any more are passed over, as in an incident that is repaired */
export async function play(incident: Incident, isLenient: boolean): Promise<Seen> {
  const stage = await Stage.create(incident);
  try {
    return await stage.play(isLenient);
  } finally {
    await stage.stop();
  }
}

class Stage {
  readonly #incident: Incident;
  readonly #embedded: EmbeddedCluster;
  readonly #cluster: TestCluster;
  readonly #api: ClusterApi;
  readonly #seen = new Map<string, KubeObject>();
  readonly #refusals: string[] = [];

  private constructor(incident: Incident, embedded: EmbeddedCluster, cluster: TestCluster) {
    this.#incident = incident;
    this.#embedded = embedded;
    this.#cluster = cluster;
    this.#api = new ClusterApi(embedded.cluster);
    embedded.cluster.observe(({ object }) => this.#seen.set(object.metadata.uid!, object));
  }

  static async create(incident: Incident): Promise<Stage> {
    const { nodes = [{ name: "node-1" }], programs = [] } = incident.world;
    const random = seededRandom(SEED);
    const steering = new Steering({ clock: "virtual", startMs: START_MS, random, record: false });
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
    return new Stage(incident, embedded, new TestCluster({ embedded, options: controls, stop }, () => {}));
  }

  stop(): Promise<void> {
    return this.#cluster.stop();
  }

  async play(isLenient: boolean): Promise<Seen> {
    const { objects, world } = this.#incident;
    await this.#cluster.settle();
    for (const object of objects) await this.#apply(object);
    const endMs = START_MS + checkedDuration(world.limit ?? DEFAULT_LIMIT, "the limit");
    for (const { atMs, step } of (world.steps ?? []).flatMap(timesOf).toSorted((a, b) => a.atMs - b.atMs)) {
      await this.#cluster.advance(START_MS + atMs - this.#cluster.now());
      await this.#take(step, isLenient);
    }
    await this.#cluster.advance(Math.max(0, endMs - this.#cluster.now()));
    return this.#result();
  }

  async #apply(object: KubeObject): Promise<void> {
    try {
      await this.#cluster.apply(object);
    } catch (error) {
      this.#refusals.push((error as Error).message);
    }
  }

  async #take(step: Step, isLenient: boolean): Promise<void> {
    const { call, patch, with: fields = {}, apply } = step;
    try {
      if (apply !== undefined) await this.#apply(apply);
      else if (step.delete !== undefined)
        await this.#api.write("DELETE", pathOf(step.delete), { propagationPolicy: "Background" });
      else if (patch !== undefined) await this.#patch(patch, fields);
      else await callOf(call!).run({ controls: this.#cluster, list: (path) => this.#api.list(path) }, fields);
    } catch (error) {
      if (!isLenient || !(error instanceof ControlError)) throw error;
    }
    await this.#cluster.settle();
  }

  async #patch(patch: Required<Step>["patch"], change: object): Promise<void> {
    const references = patch.pods
      ? this.#cluster
          .pods(`job/${patch.name}`)
          .list()
          .map(({ name }) => ({ kind: "Pod", name }))
      : [patch];
    const end = patch.subresource === undefined ? "" : `/${patch.subresource}`;
    for (const each of references)
      await this.#api.write("PATCH", `${pathOf(each)}${end}`, change, "application/merge-patch+json");
  }

  #result(): Seen {
    const { kind, name } = this.#incident.subject;
    const all = [...this.#seen.values()];
    const jobs = all
      .filter((each) => each.kind === "Job")
      .filter(({ metadata }) => (kind === "Job" ? metadata.name : metadata.ownerReferences?.[0]?.name) === name);
    const job = jobs.at(-1);
    const pods = all.filter(
      (each) => each.kind === "Pod" && each.metadata.ownerReferences?.some(({ uid }) => uid === job?.metadata.uid),
    );
    const isThere = (object: KubeObject): boolean =>
      this.#api.find(pathOf({ kind: object.kind!, name: object.metadata.name! }))?.metadata.uid === object.metadata.uid;
    const isPresent = job !== undefined && isThere(job);
    return {
      isComplete: jobs.some((each) => isThere(each) && trueCondition(each as unknown as Job, "Complete") !== undefined),
      job,
      pods,
      presentPods: pods.filter(isThere),
      events: all.filter((each) => each.kind === "Event"),
      refusals: this.#refusals,
      explanation: isPresent ? this.#cluster.explain(job.metadata.name!) : undefined,
      why: isPresent ? this.#cluster.why(job.metadata.name!) : "",
      nowMs: this.#cluster.now(),
      engine: this.#embedded.engine,
    };
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

function pathOf({ kind, name }: ObjectReference): string {
  const collection = COLLECTIONS[kind];
  if (collection === undefined) throw new Error(`where is a ${kind}? Known are ${Object.keys(COLLECTIONS).join(", ")}`);
  return `${collection}/${name}`;
}

function callOf(path: string): (typeof CONTROL_CALLS)[number] {
  const call = CONTROL_CALLS.find((each) => each.method === "POST" && each.path === path);
  if (call === undefined) throw new Error(`the control API has no POST ${path}`);
  return call;
}
