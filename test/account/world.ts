/**
 * An embedded cluster on virtual time in which pods end in known ways, and what is seen of it from outside: the last
 * state of each pod, and the Events. The kubelet, the scheduler and the controllers write all of it. Leaves out which
 * ways there are (ways.ts).
 */
import type { JsonObject, KubeObject } from "../../cluster/values/types.ts";
import { ProbedSimulation } from "../../cluster/kubelet/probed-simulation.ts";
import { VirtualClock } from "../../cluster/time/clock.ts";
import { seededRandom } from "../../cluster/values/random.ts";
import { EmbeddedCluster } from "../../host-node/embedded/embedded.ts";
import { PRIORITY_CLASSES, type Stage, URGENT } from "./way.ts";

const START_MS = Date.UTC(2026, 0, 1);
const NAMESPACE = "/namespaces/default";
const CAPACITY = { cpu: "8", memory: "8Gi", pods: "110" };

export class World implements Stage {
  readonly jobs = `/apis/batch/v1${NAMESPACE}/jobs`;
  readonly pods = `/api/v1${NAMESPACE}/pods`;
  readonly clock: VirtualClock;
  readonly #embedded: EmbeddedCluster;
  readonly #lastPods = new Map<string, KubeObject>();
  readonly #lastJobs = new Map<string, KubeObject>();

  private constructor(clock: VirtualClock, embedded: EmbeddedCluster) {
    this.clock = clock;
    this.#embedded = embedded;
    // The last state of an object stays when it is deleted.
    embedded.cluster.observe(({ resource, object }) => {
      if (resource === "pods") this.#lastPods.set(object.metadata.uid, object);
      else if (resource === "jobs") this.#lastJobs.set(object.metadata.uid, object);
    });
  }

  /** A cluster with these nodes. It has started. */
  static async create(nodes: readonly string[], seed: number): Promise<World> {
    const clock = new VirtualClock(START_MS);
    const random = seededRandom(seed);
    const fail = (problem: string): never => {
      throw new Error(problem);
    };
    const embedded = await EmbeddedCluster.create({
      clock,
      random,
      servesClients: true,
      nodes: nodes.map((nodeName, i) => ({
        nodeName,
        podCIDR: `10.244.${i}.0/24`,
        capacity: CAPACITY,
        runtime: new ProbedSimulation({ clock, random }),
      })),
      onProblem: fail,
      onFatal: (error) => fail(error.message),
    });
    const world = new World(clock, embedded);
    embedded.start();
    clock.runDeferred();
    world.send("POST", PRIORITY_CLASSES, URGENT);
    return world;
  }

  stop(): void {
    this.#embedded.stop();
  }

  /** @throws Error for an answer that is no success */
  send(method: "POST" | "PUT" | "PATCH" | "DELETE", path: string, body: object = {}): KubeObject {
    const type = method === "PATCH" ? "application/merge-patch+json" : "application/json";
    const answer = this.#embedded.cluster.handle({
      method,
      path,
      headers: { "content-type": type },
      body: JSON.stringify(body),
    });
    const text = "body" in answer ? String(answer.body) : "";
    if (answer.status >= 300) throw new Error(`${method} ${path}: ${answer.status} ${text}`);
    return JSON.parse(text) as KubeObject;
  }

  nowMs(): number {
    return this.clock.now();
  }

  loseNode(name: string): void {
    this.#embedded.loseNode(name);
  }

  /** Lets time pass. */
  pass(ms: number): void {
    this.clock.advance(ms);
  }

  /** The pods of a Job as they were last, and those that are gone, in the order of their names. */
  podsOf(job: string): KubeObject[] {
    const uid = this.job(job).metadata.uid;
    return [...this.#lastPods.values()]
      .filter(({ metadata }) => metadata.ownerReferences?.some((owner) => owner.uid === uid))
      .toSorted((a, b) => (a.metadata.name < b.metadata.name ? -1 : 1));
  }

  /** Those in a phase that are not being deleted. */
  livingPods(job: string, phase = "Running"): KubeObject[] {
    return this.podsOf(job).filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === phase);
  }

  job(name: string): KubeObject {
    return [...this.#lastJobs.values()].find(({ metadata }) => metadata.name === name)!;
  }

  events(): KubeObject[] {
    const answer = this.#embedded.cluster.handle({ method: "GET", path: `/api/v1${NAMESPACE}/events`, headers: {} });
    return (JSON.parse(String("body" in answer ? answer.body : "{}")) as { items: KubeObject[] }).items;
  }

  create(job: { readonly name: string; readonly spec: JsonObject }): void {
    this.send("POST", this.jobs, { apiVersion: "batch/v1", kind: "Job", metadata: { name: job.name }, spec: job.spec });
  }
}
