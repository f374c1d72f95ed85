/**
 * A simulated runtime whose containers a test scripts: the test decides how running containers end, and how later ones
 * will.
 *
 * Invariant: an order for a pod is carried out once in each of its main containers, at once or as soon as that one
 * starts. An order for later containers takes precedence over the annotation of their pod. Leaves out which pods are
 * meant.
 */
import type { Clock } from "../../bindings/js/host.ts";
import type {
  ContainerEvents,
  ContainerExit,
  ContainerHandle,
  ContainerRequest,
  ContainerRuntime,
  Probe,
  UnsupportedField,
} from "../../cluster/kubelet/container-runtime.ts";
import { ProbedSimulation, startProbesIfAny } from "../../cluster/kubelet/probed-simulation.ts";
import { SIMULATE_ANNOTATION } from "../../cluster/kubelet/simulation-outcome.ts";
import { CountingClock } from "./counting-clock.ts";
import type { Pod } from "../../cluster/values/kinds.ts";

const EXIT_CODE_SIGTERM = 143;
/** The outcome of a container that is scripted before it starts. */
const WAITS = JSON.stringify({ runMs: "forever" });

/** How a container continues: it ends so, or it runs until it is killed. */
export type Order = ContainerExit | "hang";

/** How later containers end: those of pods for which it returns a text, in the format of `stint.dev/simulate`. */
export type Script = (pod: Pod) => string | undefined;

export class ScriptedRuntime implements ContainerRuntime {
  readonly name = "simulated";
  readonly startProbes = startProbesIfAny;
  /** The first that returns a text for a pod counts. */
  scripts: readonly Script[] = [];
  readonly #clock: CountingClock;
  readonly #simulated: ProbedSimulation;
  readonly #running = new Map<string, SteeredContainer>();
  readonly #orders = new Map<string, Order>();

  constructor(options: { readonly clock: Clock; readonly random: () => number }) {
    this.#clock = new CountingClock(options.clock);
    this.#simulated = new ProbedSimulation({ ...options, clock: this.#clock });
  }

  /** A container will start or end without help. */
  get hasWork(): boolean {
    return this.#clock.hasTimers;
  }

  unsupported(): readonly UnsupportedField[] {
    return [];
  }

  createPod(...[pod, files, done]: Parameters<ContainerRuntime["createPod"]>): void {
    this.#simulated.createPod(pod, files, done);
  }

  removePod(podUid: string): void {
    for (const key of this.#orders.keys()) if (key.startsWith(`${podUid}/`)) this.#orders.delete(key);
  }

  startContainer(request: ContainerRequest, events: ContainerEvents): ContainerHandle {
    const key = keyOf(request.pod, request.container.name);
    const order = request.isInit ? undefined : this.#orders.get(key);
    this.#orders.delete(key);
    const script = order === undefined ? this.#scriptOf(request.pod) : WAITS;
    const container: SteeredContainer = new SteeredContainer(this.#clock, {
      output: (stream, chunk) => events.output(stream, chunk),
      started: () => {
        events.started();
        if (order !== undefined) container.obey(order);
      },
      exited: (exit) => {
        if (this.#running.get(key) === container) this.#running.delete(key);
        events.exited(exit);
      },
      failed: (reason, message) => {
        this.#running.delete(key);
        events.failed(reason, message);
      },
    });
    this.#running.set(key, container);
    container.start((relay) =>
      this.#simulated.startContainer(script === undefined ? request : withScript(request, script), relay),
    );
    return container;
  }

  /** @param containers names of main containers of the pod */
  steer(pod: Pod, containers: readonly string[], order: Order): void {
    for (const name of containers) {
      const key = keyOf(pod, name);
      const running = this.#running.get(key);
      if (running?.hasStarted) running.obey(order);
      else this.#orders.set(key, order);
    }
  }

  #scriptOf(pod: Pod): string | undefined {
    for (const script of this.scripts) {
      const text = script(pod);
      if (text !== undefined) return text;
    }
    return undefined;
  }
}

/** A container that first follows the simulation, and then the test. */
class SteeredContainer implements ContainerHandle {
  readonly #clock: Clock;
  readonly #events: ContainerEvents;
  #simulated: ContainerHandle | undefined;
  #hasStarted = false;
  #isOver = false;
  #isStopping = false;
  /** The test controls the container, and no longer the simulation. */
  #isSteered = false;

  constructor(clock: Clock, events: ContainerEvents) {
    this.#clock = clock;
    this.#events = events;
  }

  get hasStarted(): boolean {
    return this.#hasStarted && !this.#isOver;
  }

  start(simulate: (relay: ContainerEvents) => ContainerHandle): void {
    this.#simulated = simulate({
      started: () => {
        this.#hasStarted = true;
        this.#events.started();
      },
      output: (stream, chunk) => {
        if (!this.#isSteered) this.#events.output(stream, chunk);
      },
      exited: (exit) => {
        if (!this.#isSteered) this.#end(exit);
      },
      failed: (reason, message) => {
        this.#isOver = true;
        this.#events.failed(reason, message);
      },
    });
  }

  obey(order: Order): void {
    if (order === "hang" && this.#isStopping) return;
    this.#isSteered = true;
    this.#simulated?.stop(0);
    if (order !== "hang") this.#clock.defer(() => this.#end(order));
  }

  /** The simulation answers probes, even of a container that a test lets hang. */
  get probe(): Probe | undefined {
    return this.#simulated?.probe;
  }

  stop(gracePeriodSeconds: number): void {
    this.#isStopping = true;
    if (this.#isSteered) this.#clock.defer(() => this.#end({ exitCode: EXIT_CODE_SIGTERM }));
    else this.#simulated?.stop(gracePeriodSeconds);
  }

  #end(exit: ContainerExit): void {
    if (this.#isOver) return;
    this.#isOver = true;
    this.#events.exited(exit);
  }
}

function keyOf(pod: Pod, container: string): string {
  return `${pod.metadata.uid}/${container}`;
}

function withScript(request: ContainerRequest, script: string): ContainerRequest {
  const { pod } = request;
  const annotations = { ...pod.metadata.annotations, [SIMULATE_ANNOTATION]: script };
  return { ...request, pod: { ...pod, metadata: { ...pod.metadata, annotations } } };
}
