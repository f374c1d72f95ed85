/**
 * A whole cluster in this process: the in-memory API server with its components, and the engine as its Job controller.
 *
 * Invariant: the API server's admission and the controller are the same engine module in two instances, so that a trap of
 * the controller's instance takes no state of the API with it: it is discarded and a fresh one lists anew.
 * Leaves out where time comes from and what runs the containers; both are handed in.
 */
import { randomBytes } from "node:crypto";
import { Controller } from "../bindings/js/controller.ts";
import { type Decision, Engine } from "../bindings/js/engine.ts";
import type { Clock } from "../bindings/js/host.ts";
import type { Recorder } from "../bindings/js/recorder.ts";
import { Cluster } from "../cluster/cluster.ts";
import { ClusterComponents, type NodeOptions } from "../cluster/components.ts";
import type { KubeletOptions } from "../cluster/kubelet/kubelet.ts";
import { type EngineModule, loadEngineModule } from "./engine-module.ts";

const JOBS_SOURCE = { id: 1, resource: "jobs", path: "/apis/batch/v1/jobs" } as const;
const PODS_SOURCE = { id: 2, resource: "pods", path: "/api/v1/pods" } as const;
/** Beside these where gang scheduling is on. */
const GANG_SOURCES = [
  { id: 3, resource: "workloads", path: "/apis/scheduling.k8s.io/v1alpha2/workloads" },
  { id: 4, resource: "podgroups", path: "/apis/scheduling.k8s.io/v1alpha2/podgroups" },
] as const;
/** Traps of the engine after which it is given up: each costs a relist, and one that repeats will not get better. */
export const MAX_ENGINE_RESTARTS = 5;

export interface EmbeddedClusterOptions extends Pick<KubeletOptions, "onOutput" | "onUnsupported"> {
  readonly clock: Clock;
  /** Uniform in [0, 1); unpredictable numbers unless given. */
  readonly random?: () => number;
  /** Empty: nothing runs the pods. */
  readonly nodes: readonly NodeOptions[];
  /** Gangs get a Workload and a PodGroup, and their pods are scheduled together; off unless given. */
  readonly gangScheduling?: boolean;
  /** The engine's decisions, as it takes them. */
  readonly onDecisions?: (decisions: readonly Decision[]) => void;
  /** Records what the controller's engine is told. */
  readonly recorder?: Recorder | undefined;
  /** Something that was got over, in one sentence. */
  readonly onProblem?: (problem: string) => void;
  /** The controller is gone for good. */
  readonly onFatal: (error: Error) => void;
}

export class EmbeddedCluster {
  readonly cluster: Cluster;
  readonly #options: EmbeddedClusterOptions;
  readonly #random: () => number;
  readonly #engineModule: EngineModule;
  readonly #components: ClusterComponents;
  #engine: Engine;
  #controller: Controller | undefined;
  #restarts = 0;
  #isStopped = false;

  private constructor(options: EmbeddedClusterOptions, engineModule: EngineModule, admissionEngine: Engine, engine: Engine) {
    const { clock, random = unpredictable, nodes, gangScheduling = false, onOutput, onUnsupported } = options;
    this.#options = options;
    this.#random = random;
    this.#engineModule = engineModule;
    this.#engine = engine;
    this.cluster = new Cluster({ clock, random, admission: (review) => admissionEngine.review(review), gangScheduling });
    this.#components = new ClusterComponents({
      ...{ cluster: this.cluster, clock, random, nodes },
      ...(onOutput === undefined ? {} : { onOutput }),
      ...(onUnsupported === undefined ? {} : { onUnsupported }),
      onProblem: (component, error) => options.onProblem?.(`${component}: ${error.message} (status ${error.status}); it tries again`),
    });
  }

  /** The API answers at once; nothing else moves before `start`. @throws Error when there is no engine. */
  static async create(options: EmbeddedClusterOptions): Promise<EmbeddedCluster> {
    const engineModule = await loadEngineModule();
    const [admissionEngine, engine] = await Promise.all([createEngine(engineModule), createEngine(engineModule)]);
    return new EmbeddedCluster(options, engineModule, admissionEngine, engine);
  }

  /** The controller's engine, for `explain` and `metrics`. Another one after a trap. */
  get engine(): Engine {
    return this.#engine;
  }

  start(): void {
    this.#components.start();
    this.#startController();
  }

  /** Ends every container at once and stops all components. The API still answers. */
  stop(): void {
    this.#isStopped = true;
    this.#controller?.stop();
    this.#components.stop();
  }

  #startController(): void {
    const { clock, onDecisions, onProblem, recorder } = this.#options;
    const { gangScheduling } = this.cluster;
    const sources = [JOBS_SOURCE, PODS_SOURCE, ...(gangScheduling ? GANG_SOURCES : [])];
    const engine = recorder?.record(this.#engine) ?? this.#engine;
    engine.configure({ instance: "stint", sources: sources.map(({ id, resource }) => ({ id, resource })), gangScheduling });
    this.#controller = new Controller({
      engine,
      transport: this.cluster.transport,
      clock,
      random: this.#random,
      sources: sources.map(({ id, path }) => ({ id, path })),
      ...(onDecisions === undefined ? {} : { onDecisions }),
      ...(onProblem === undefined ? {} : { onProblem }),
      onFatal: (error) => this.#restart(error),
    });
    this.#controller.start();
  }

  #restart(error: Error): void {
    if (this.#isStopped) return;
    if (++this.#restarts > MAX_ENGINE_RESTARTS) {
      this.#options.onFatal(error);
      return;
    }
    this.#options.onProblem?.(`${error.message}; starting engine number ${this.#restarts + 1}`);
    createEngine(this.#engineModule).then(
      (engine) => {
        if (this.#isStopped) return;
        this.#engine = engine;
        this.#startController();
      },
      (failure: Error) => this.#options.onFatal(failure),
    );
  }
}

function createEngine({ module, sha256 }: EngineModule): Promise<Engine> {
  return Engine.create(module, sha256);
}

/** 48 random bits: uids and names that nobody can guess. */
function unpredictable(): number {
  return randomBytes(6).readUIntBE(0, 6) / 2 ** 48;
}
