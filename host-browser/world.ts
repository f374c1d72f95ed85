/**
 * A whole Kubernetes on a virtual clock: the in-memory cluster with a simulated kubelet, and the engine as Job
 * controller.
 *
 * Invariant: YAML and seed determine everything that happens. Time moves only in `step` and `advanceTo`. Leaves out
 * speed (player.ts) and display (the page).
 */
import { EngineLoop } from "../bindings/js/engine-loop.ts";
import { type Decision, Engine } from "../bindings/js/engine.ts";
import { ApiClient, type ApiResource, EVENTS, JOBS, PODS, resourcePath } from "../cluster/client.ts";
import { VirtualClock } from "../cluster/clock.ts";
import { Cluster } from "../cluster/cluster.ts";
import { ClusterComponents } from "../cluster/components.ts";
import { SimulatedRuntime } from "../cluster/kubelet/simulated-runtime.ts";
import { type Diagnostic, InputError } from "../cluster/manifests/diagnostic.ts";
import { loadObjects } from "../cluster/manifests/load-objects.ts";
import { readRunInputs } from "../cluster/manifests/run-inputs.ts";
import { readYaml } from "../cluster/manifests/yaml-library.ts";
import type { KubeObject } from "../cluster/types.ts";
import { Collection } from "./collection.ts";
import type { Playable } from "./player.ts";
import { MAX_DECISION_ROWS, MAX_EVENT_ROWS, MAX_POD_ROWS, type Mode, type Problem, type Snapshot } from "./protocol.ts";
import { seededRandom } from "./random.ts";
import { decisionRow, eventRow, jobRow, podRow } from "./rows.ts";

/** A fixed start time, so that a run always repeats to the millisecond. */
const START_MS = Date.UTC(2026, 0, 1);
const NODE_NAME = "node-1";
const USER_AGENT = "playground";
const JOBS_SOURCE = 1;
const PODS_SOURCE = 2;
/** Nobody types a longer manifest, and it would keep the Worker busy for long. */
export const MAX_YAML_LENGTH = 1024 * 1024;

export class World implements Playable {
  /** Why the manifest was refused; empty when its objects are there. */
  readonly problems: readonly Problem[];
  /** Warnings of the API server. */
  readonly warnings: readonly Problem[];
  readonly #clock = new VirtualClock(START_MS);
  readonly #engine: Engine;
  readonly #loop: EngineLoop;
  readonly #jobs: Collection;
  readonly #pods: Collection;
  readonly #events: Collection;
  /** The latest decisions, oldest first. */
  #decisions: Decision[] = [];
  #decisionCount = 0;
  #hasBegun = false;

  /**
   * Creates a cluster with the Jobs of this YAML, at which no controller has looked yet.
   * @param module the compiled engine
   * @param seed an unsigned 32-bit integer; the source of all random numbers
   * @throws Error for a fault of Stint itself; mistakes in the YAML are in `problems`
   */
  static async create(module: WebAssembly.Module, yaml: string, seed: number): Promise<World> {
    const [engine, reviewer] = await Promise.all([Engine.create(module), Engine.create(module)]);
    return new World(engine, reviewer, yaml, seed);
  }

  private constructor(engine: Engine, reviewer: Engine, yaml: string, seed: number) {
    const clock = this.#clock;
    const random = seededRandom(seed);
    const cluster = new Cluster({ clock, random, admission: (review) => reviewer.review(review) });
    const { transport } = cluster;
    // Load before anything starts, so that a refusal leaves nothing half done.
    ({ problems: this.problems, warnings: this.warnings } = load(cluster, yaml));
    new ClusterComponents({
      cluster,
      clock,
      random,
      nodes: [{ nodeName: NODE_NAME, runtime: new SimulatedRuntime({ clock, random }) }],
    }).start();

    const client = new ApiClient(transport, { userAgent: USER_AGENT });
    const collect = (resource: ApiResource): Collection =>
      new Collection({ client, clock, random, path: resourcePath(resource) });
    this.#jobs = collect(JOBS);
    this.#pods = collect(PODS);
    this.#events = collect(EVENTS);

    engine.configure({
      instance: USER_AGENT,
      sources: [
        { id: JOBS_SOURCE, resource: "jobs" },
        { id: PODS_SOURCE, resource: "pods" },
      ],
    });
    this.#engine = engine;
    this.#loop = new EngineLoop({
      engine,
      transport,
      clock,
      random,
      sources: [
        { id: JOBS_SOURCE, path: resourcePath(JOBS) },
        { id: PODS_SOURCE, path: resourcePath(PODS) },
      ],
      onDecisions: (decisions) => this.#record(decisions),
      onFatal: (error) => {
        throw error;
      },
    });
    clock.runDeferred();
  }

  begin(): void {
    if (this.#hasBegun) return;
    this.#hasBegun = true;
    this.#loop.start();
    this.#clock.runDeferred();
  }

  now(): number {
    return this.#clock.now();
  }

  nextTimerAt(): number {
    return this.#clock.nextTimerAt();
  }

  step(): void {
    this.#clock.step();
  }

  advanceTo(ms: number): void {
    this.#clock.advanceTo(ms);
  }

  decisionCount(): number {
    return this.#decisionCount;
  }

  /** Every Job has its final condition and no pod is left running. */
  isFinished(): boolean {
    const jobs = this.#jobs.values();
    return (
      jobs.length > 0 &&
      jobs.every(isFinishedJob) &&
      this.#pods.values().every((pod) => ["Succeeded", "Failed"].includes(pod["status"]?.phase))
    );
  }

  /** Everything that the page shows, in its present state. */
  snapshot(mode: Mode, note: string): Snapshot {
    const nowMs = this.#clock.now();
    return {
      mode,
      note,
      nowMs: nowMs - START_MS,
      jobs: this.#jobs
        .values()
        .map((job) => jobRow(job, this.#explain(job.metadata.namespace ?? "", job.metadata.name, nowMs), nowMs)),
      pods: this.#pods
        .values()
        .slice(-MAX_POD_ROWS)
        .map((pod) => podRow(pod, nowMs)),
      podCount: this.#pods.size,
      events: this.#events.latest(MAX_EVENT_ROWS).map((event) => eventRow(event, START_MS)),
      decisions: this.#decisions
        .slice(-MAX_DECISION_ROWS)
        .reverse()
        .map((decision) => decisionRow(decision, START_MS)),
      decisionCount: this.#decisionCount,
    };
  }

  #explain(namespace: string, name: string, nowMs: number): string {
    return this.#hasBegun
      ? this.#engine.explain(namespace, name, nowMs).sentence
      : "The controller has not looked at it yet.";
  }

  #record(decisions: readonly Decision[]): void {
    this.#decisionCount += decisions.length;
    this.#decisions.push(...decisions);
    // Cut seldom, because a cut costs O(n).
    if (this.#decisions.length > 2 * MAX_DECISION_ROWS) this.#decisions = this.#decisions.slice(-MAX_DECISION_ROWS);
  }
}

/** Creates the objects of the manifest. */
function load(cluster: Cluster, yaml: string): { problems: Problem[]; warnings: Problem[] } {
  if (yaml.length > MAX_YAML_LENGTH) {
    return {
      problems: [{ message: `the manifest is ${yaml.length} characters long; allowed are ${MAX_YAML_LENGTH}` }],
      warnings: [],
    };
  }
  try {
    const { warnings } = loadObjects(cluster, readRunInputs([{ file: "manifest", text: yaml }], readYaml));
    return { problems: [], warnings: warnings.map(problemOf) };
  } catch (error) {
    if (!(error instanceof InputError)) throw error;
    return { problems: error.diagnostics.map(problemOf), warnings: [] };
  }
}

function problemOf({ message, position: { line, column } }: Diagnostic): Problem {
  return { message, line, column };
}

function isFinishedJob(job: KubeObject): boolean {
  const conditions: { type: string; status: string }[] = job["status"]?.conditions ?? [];
  return conditions.some(({ type, status }) => (type === "Complete" || type === "Failed") && status === "True");
}
