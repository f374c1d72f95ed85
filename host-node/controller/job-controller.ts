/**
 * The Job controller of a host: an engine, the loop round it, and a new engine when one traps.
 *
 * Invariant: at most one engine polls for requests at a time, and none begins while a request of the one before is
 * under way; a fresh one knows nothing and lists anew, for everything that must not be forgotten is stored in
 * Kubernetes. A trap that repeats ends the controller: it will not get better. Leaves out which API server it talks to
 * and whether it may: both are the Transport's business.
 */
import { EngineLoop } from "../../bindings/js/engine-loop.ts";
import { type Decision, Engine, type EngineConfiguration } from "../../bindings/js/engine.ts";
import type { Clock, Timer, Transport } from "../../bindings/js/host.ts";
import type { Recorder } from "../../bindings/js/recorder.ts";
import type { EngineModule } from "../engine-module.ts";
import type { JobControllerSource } from "./sources.ts";

/** Traps of the engine after which it is given up: each costs a relist, and one that repeats will not get better. */
export const MAX_ENGINE_RESTARTS = 5;
/** How often the engine is told how far wall time is from the clock's. */
const WALL_TIME_INTERVAL_MS = 60_000;

export interface JobControllerOptions {
  readonly engineModule: EngineModule;
  readonly clock: Clock;
  readonly transport: Transport;
  /** Uniform in [0, 1). */
  readonly random: () => number;
  readonly sources: readonly JobControllerSource[];
  readonly configuration: Omit<EngineConfiguration, "sources" | "instance"> & { readonly instance: string };
  /** Requests under way at once. */
  readonly maxInFlight?: number;
  readonly userAgent?: string;
  /** Lists come as a stream of events, where the server can do that. */
  readonly streamsLists?: boolean;
  /** Milliseconds since 1970, of a clock that may be set; without it `clock` is that clock. */
  readonly wallTime?: () => number;
  /** Records what the engine is told. */
  readonly recorder?: Recorder | undefined;
  /** The engine's decisions, as it takes them. */
  readonly onDecisions?: (decisions: readonly Decision[]) => void;
  /** Something that was got over, in one sentence. */
  readonly onProblem?: (problem: string) => void;
  /** The controller is gone for good. */
  readonly onFatal: (error: Error) => void;
}

export class JobController {
  readonly #options: JobControllerOptions;
  #engine: Engine;
  #loop: EngineLoop | undefined;
  #wallTimer: Timer | undefined;
  #restarts = 0;
  /** The engine that has seen every source listed. */
  #engineThatHasListed: Engine | undefined;
  #isStopped = false;

  private constructor(options: JobControllerOptions, engine: Engine) {
    this.#options = options;
    this.#engine = engine;
  }

  /** Nothing happens before `start`. */
  static async create(options: JobControllerOptions): Promise<JobController> {
    return new JobController(options, await createEngine(options.engineModule));
  }

  /** For `explain` and `metrics`. Another one after a trap. */
  get engine(): Engine {
    return this.#engine;
  }

  /** Every source has been listed once, so that Jobs are acted on, also while one is listed anew. */
  get hasListed(): boolean {
    const hasListedAll = (): boolean => this.#options.sources.every(({ id }) => this.#engine.watchVersion(id) >= 0);
    if (this.#engineThatHasListed !== this.#engine && hasListedAll()) this.#engineThatHasListed = this.#engine;
    return this.#engineThatHasListed === this.#engine;
  }

  /** @throws EngineError when the configuration is refused */
  start(): void {
    const {
      sources,
      configuration,
      clock,
      transport,
      random,
      maxInFlight,
      userAgent,
      streamsLists,
      onDecisions,
      onProblem,
      recorder,
      wallTime,
    } = this.#options;
    const engine = recorder?.record(this.#engine) ?? this.#engine;
    // Events of an engine that trapped have names that the next one must not give again.
    const instance = this.#restarts === 0 ? configuration.instance : `${configuration.instance}-${this.#restarts}`;
    engine.configure({ ...configuration, instance, sources: sources.map(({ path: _path, ...source }) => source) });
    if (wallTime !== undefined) this.#followWallTime(wallTime);
    this.#loop = new EngineLoop({
      ...{ engine, transport, clock, random, sources },
      ...(maxInFlight === undefined ? {} : { maxInFlight }),
      ...(userAgent === undefined ? {} : { userAgent }),
      ...(streamsLists === undefined ? {} : { streamsLists }),
      ...(onDecisions === undefined ? {} : { onDecisions }),
      ...(onProblem === undefined ? {} : { onProblem }),
      onFatal: (error) => this.#restart(error),
    });
    this.#loop.start();
  }

  /** Takes no more work. `settled` is called once no request is under way any more. */
  stop(settled: () => void = () => {}): void {
    this.#isStopped = true;
    this.#wallTimer?.cancel();
    if (this.#loop === undefined) this.#options.clock.defer(settled);
    else this.#loop.stop(settled);
  }

  #followWallTime(wallTime: () => number): void {
    const { clock } = this.#options;
    const follow = (): void => {
      this.#engine.setClockOffset(wallTime() - clock.now());
      this.#wallTimer = clock.setTimer(WALL_TIME_INTERVAL_MS, follow);
    };
    this.#wallTimer?.cancel();
    follow();
  }

  #restart(error: Error): void {
    if (this.#isStopped) return;
    this.#wallTimer?.cancel();
    if (++this.#restarts > MAX_ENGINE_RESTARTS) {
      this.#options.onFatal(error);
      return;
    }
    this.#options.onProblem?.(`${error.message}; starting engine number ${this.#restarts + 1}`);
    // What the one before has asked for may still arrive, and the next one must see it when it lists.
    this.#loop!.stop(() => {
      createEngine(this.#options.engineModule).then(
        (engine) => {
          if (this.#isStopped) return;
          this.#engine = engine;
          this.start();
        },
        (failure: Error) => this.#options.onFatal(failure),
      );
    });
  }
}

export function createEngine({ module, sha256 }: EngineModule): Promise<Engine> {
  return Engine.create(module, sha256);
}
