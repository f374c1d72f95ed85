/**
 * One run of a way on a real API server: a Job alone in its namespace, what is done to it, and the pods whose end is
 * known then.
 */
import { execFile } from "node:child_process";
import { promisify } from "node:util";
import type { Engine } from "../../../bindings/js/engine.ts";
import type { KubeObject } from "../../../cluster/values/types.ts";
import { drawn, label, type Labelled } from "../../account/labels.ts";
import { JOB, type Stage, type Truth, type Way } from "../../account/way.ts";
import { findKubectl } from "../binaries/binaries.ts";
import { isOver } from "../conditions.ts";
import type { RealCluster } from "./real-cluster.ts";

const START_TIMEOUT_MS = 60_000;
/** So long nothing happens in a run that has ended. */
const QUIET_MS = 3000;

export interface PlayOptions {
  readonly seed: number;
  readonly namespace: string;
  readonly pool: string;
  readonly endMs: number;
}

/** A run that has ended. */
export interface Played {
  /** Asks for the account with what is seen now. @returns each pod with a known end */
  label(engine: Engine): Promise<Labelled[]>;
}

/**
 * Plays one way, until its pods have ended, or until that time. Its last Events may come later: a busy controller
 * writes them one after another.
 */
export async function play(cluster: RealCluster, way: Way<Run>, options: PlayOptions): Promise<Played> {
  const { seed, namespace, pool, endMs } = options;
  const { chance, shape } = drawn(way, seed);
  await cluster.addNamespace(namespace, pool);
  const run = new Run(cluster, namespace);
  const spec = way.spec(shape, chance);
  await cluster.client.succeed("POST", run.jobs, { metadata: { name: JOB }, spec });
  const truth =
    "truth" in way ? way.truth : way.act(run, await run.living(spec["parallelism"] as number, way.phase), chance);
  await run.settled(truth, "truth" in way, endMs);
  return {
    async label(engine) {
      const question = { job: run.job!, pods: run.seenPods, events: await cluster.eventsOf(namespace) };
      return label(engine, question, truth, Date.now());
    },
  };
}

export class Run implements Stage {
  readonly jobs: string;
  readonly pods: string;
  readonly #cluster: RealCluster;
  readonly #namespace: string;
  /** One request after another, as a user sends them. */
  #sent: Promise<unknown> = Promise.resolve();

  constructor(cluster: RealCluster, namespace: string) {
    this.#cluster = cluster;
    this.#namespace = namespace;
    this.jobs = `/apis/batch/v1/namespaces/${namespace}/jobs`;
    this.pods = `/api/v1/namespaces/${namespace}/pods`;
  }

  /** Undefined: its watch has not shown it yet. */
  get job(): KubeObject | undefined {
    return this.#cluster.seen("jobs", this.#namespace)[0];
  }

  get seenPods(): KubeObject[] {
    const pods = this.#cluster.seen("pods", this.#namespace);
    return pods.filter(({ metadata }) => metadata.ownerReferences?.some(({ kind }) => kind === "Job"));
  }

  nowMs(): number {
    return Date.now();
  }

  send(method: "POST" | "PATCH" | "DELETE", path: string, body?: object): void {
    this.#then(() => this.#cluster.client.succeed(method, path, body));
  }

  loseNode(name: string): void {
    this.#cluster.loseNode(name);
  }

  /** `kubectl drain`, which ends when the pods are gone. */
  drain(node: string): void {
    const { kubeconfig } = this.#cluster;
    this.#then(() => promisify(execFile)(findKubectl()!, ["--kubeconfig", kubeconfig, "drain", node]));
  }

  /** All pods that there are to be, once they are in that phase. @throws Error when they are not in time */
  async living(count: number, phase = "Running"): Promise<KubeObject[]> {
    const living = (): KubeObject[] =>
      this.seenPods.filter(({ metadata, status }) => !metadata.deletionTimestamp && status?.phase === phase);
    const isReady = (): boolean => living().length === count;
    if (await this.#cluster.until(isReady, Date.now() + START_TIMEOUT_MS)) return living();
    throw new Error(`${count} pods were to be ${phase}: ${JSON.stringify(this.seenPods.map(({ status }) => status))}`);
  }

  /**
   * Waits until the pods whose end is known have ended, and nothing happens any more.
   * @param isAlone the Job goes it alone, until it is over
   * @throws Error when something was refused that was sent
   */
  async settled(truth: Truth, isAlone: boolean, endMs: number): Promise<void> {
    await this.#cluster.until(() => {
      const { job } = this;
      if (job === undefined || this.#cluster.quietMs(this.#namespace) < QUIET_MS) return false;
      if (isAlone && !isOver({ status: job["status"] })) return false;
      const concerned = this.seenPods.filter((pod) => truth(pod) !== undefined);
      return concerned.length > 0 && concerned.every((pod) => this.#hasEnded(pod));
    }, endMs);
    await this.#sent;
  }

  #then(send: () => Promise<unknown>): void {
    this.#sent = this.#sent.then(send);
    this.#sent.catch(() => {}); // Told when all has settled.
  }

  #hasEnded(pod: KubeObject): boolean {
    const { phase } = pod.status ?? {};
    const isLost = pod.metadata.deletionTimestamp !== undefined && this.#cluster.isLost(pod.spec.nodeName as string);
    return this.#cluster.isGone(pod) || phase === "Succeeded" || phase === "Failed" || isLost;
  }
}
