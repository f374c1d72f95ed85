/**
 * The Job controller of a world: an engine with its loop. After a restart its memory is empty, and it lists everything
 * again.
 *
 * Invariant: at most one engine runs at a time. Leaves out a trap of the engine, which ends the run.
 */
import { EngineLoop } from "../../bindings/js/engine-loop.ts";
import { type Decision, Engine, type Explanation } from "../../bindings/js/engine.ts";
import type { Clock, Transport } from "../../bindings/js/host.ts";
import { JOBS, PODS, resourcePath } from "../client/client.ts";
import type { EngineRecording } from "./engine-recording.ts";

const INSTANCE = "playground";
const SOURCES = [
  { id: 1, resource: "jobs", path: resourcePath(JOBS) },
  { id: 2, resource: "pods", path: resourcePath(PODS) },
] as const;

export interface ControllerOptions {
  readonly engineModule: WebAssembly.Module;
  readonly clock: Clock;
  readonly transport: Transport;
  readonly random: () => number;
  /** Another engine begins. */
  onStart(): void;
  onDecisions(decisions: readonly Decision[]): void;
  /** Records the inputs of the engine. */
  readonly recording?: EngineRecording;
}

export class Controller {
  readonly #options: ControllerOptions;
  /** Undefined while the controller is down. */
  #running: { readonly engine: Engine; readonly loop: EngineLoop } | undefined;
  #starts = 0;
  #downUntilMs = -Infinity;

  constructor(options: ControllerOptions) {
    this.#options = options;
  }

  start(): void {
    const { engineModule, clock, transport, random, onDecisions, recording } = this.#options;
    this.#options.onStart();
    const engine = Engine.createSync(engineModule, recording?.moduleSha256);
    const recorded = recording?.recorder.record(engine) ?? engine;
    // The events of a new engine must not reuse the names of the engine before it.
    const instance = this.#starts === 0 ? INSTANCE : `${INSTANCE}-${this.#starts}`;
    this.#starts++;
    recorded.configure({ instance, sources: SOURCES.map(({ id, resource }) => ({ id, resource })) });
    const sources = SOURCES.map(({ id, path }) => ({ id, path }));
    const loop = new EngineLoop({
      engine: recorded,
      transport,
      clock,
      random,
      sources,
      onDecisions: (decisions) => {
        // The last answers of a stopped controller are dropped.
        if (this.#running?.engine === engine) onDecisions(decisions);
      },
      onFatal: (error) => {
        throw error;
      },
    });
    this.#running = { engine, loop };
    loop.start();
  }

  /** Ends the engine at once. A new one starts after this time, or later if an earlier restart asked for it. */
  restart(downMs: number): void {
    const { clock } = this.#options;
    this.#running?.loop.stop();
    this.#running = undefined;
    this.#downUntilMs = Math.max(this.#downUntilMs, clock.now() + downMs);
    clock.setTimer(downMs, () => {
      if (this.#running === undefined && clock.now() >= this.#downUntilMs) this.start();
    });
  }

  explain(namespace: string, name: string): Explanation | undefined {
    return this.#running?.engine.explain(namespace, name, this.#options.clock.now());
  }
}
