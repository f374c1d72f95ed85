/**
 * The Job controller of a host: an engine, the loop around it, and a new engine when one traps.
 *
 * Invariant: at most one engine polls for requests at a time, and a new one begins only when no request of the previous
 * one is under way. A new engine knows nothing and lists everything again, because everything that must last is stored
 * in Kubernetes. A trap that repeats ends the controller, because it will not go away. Leaves out which API server it
 * talks to, and whether it may: the Transport decides both.
 */
import { EngineLoop } from "../../bindings/js/engine-loop.ts";
import { type Decision, Engine, type EngineConfiguration } from "../../bindings/js/engine.ts";
import type { Clock, Timer, Transport } from "../../bindings/js/host.ts";
import type { Recorder } from "../../bindings/js/recorder.ts";
import type { EngineModule } from "../engine-module.ts";
import type { GonePods } from "./gone-pods.ts";
import type { JobControllerSource } from "./sources.ts";

/**
 * After this many traps the controller gives up. Each trap costs a new list, and a trap that repeats will not go away.
 */
export const MAX_ENGINE_RESTARTS = 5;
/** How often the engine learns the difference between wall time and its clock. */
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
  /** Lists come as a stream of events, if the server can do that. */
  readonly streamsLists?: boolean;
  /** Wall time in milliseconds since 1970, of a clock that the user may set. Without it `clock` is used. */
  readonly wallTime?: () => number;
  /** Records the inputs of the engine. */
  readonly recorder?: Pick<Recorder, "record"> | undefined;
  /** Reads along with the engine. */
  readonly gonePods?: Pick<GonePods, "watch">;
  /** The engine's decisions, as it takes them. */
  readonly onDecisions?: (decisions: readonly Decision[]) => void;
  /** Reports a problem that the controller has overcome, in one sentence. */
  readonly onProblem?: (problem: string) => void;
  /** The controller has ended permanently. */
  readonly onFatal: (error: Error) => void;
}

/** Runs Jobs over a transport until `stop`, and replaces an engine that traps. */
export class JobController {
  readonly #options: JobControllerOptions;
  #engine: Engine;
  #loop: EngineLoop | undefined;
  #wallTimer: Timer | undefined;
  #restarts = 0;
  /** Engines that came after the first. */
  #replacements = 0;
  #isReplacing = false;
  /** The engine for which every source has been listed. */
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

  /** The present engine, for `explain` and `metrics`. A trap replaces it. */
  get engine(): Engine {
    return this.#engine;
  }

  /** An engine has ended, and the next one has not begun. */
  get isReplacing(): boolean {
    return this.#isReplacing;
  }

  /** How many engines have trapped and were replaced. */
  get restarts(): number {
    return this.#restarts;
  }

  /**
   * Every source has been listed once, so the controller acts on Jobs. That stays true while a source is listed again.
   */
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
      gonePods,
      wallTime,
    } = this.#options;
    const recorded = recorder?.record(this.#engine) ?? this.#engine;
    const engine = gonePods?.watch(recorded, this.#engine) ?? recorded;
    // The next engine must not reuse the names of events of the one before it.
    const instance =
      this.#replacements === 0 ? configuration.instance : `${configuration.instance}-${this.#replacements}`;
    engine.configure({ ...configuration, instance, sources: sources.map(({ path: _path, ...source }) => source) });
    if (wallTime !== undefined) this.#followWallTime(engine, wallTime);
    this.#loop = new EngineLoop({
      engine,
      transport,
      clock,
      random,
      sources,
      ...(maxInFlight === undefined ? {} : { maxInFlight }),
      ...(userAgent === undefined ? {} : { userAgent }),
      ...(streamsLists === undefined ? {} : { streamsLists }),
      ...(onDecisions === undefined ? {} : { onDecisions }),
      ...(onProblem === undefined ? {} : { onProblem }),
      onFatal: (error) => this.#restart(error),
    });
    this.#loop.start();
  }

  /** Ends the engine. A new one, which knows nothing, begins later; until then, this does nothing. */
  replaceEngine(): void {
    if (!this.#isReplacing && !this.#isStopped && this.#loop !== undefined) this.#replaceEngine(this.#loop);
  }

  /** Takes no more work. `settled` is called when no request is under way any more. */
  stop(settled: () => void = () => {}): void {
    this.#isStopped = true;
    this.#wallTimer?.cancel();
    if (this.#loop === undefined) this.#options.clock.defer(settled);
    else this.#loop.stop(settled);
  }

  #followWallTime(engine: Pick<Engine, "setClockOffset">, wallTime: () => number): void {
    const { clock } = this.#options;
    const follow = (): void => {
      engine.setClockOffset(wallTime() - clock.now());
      this.#wallTimer = clock.setTimer(WALL_TIME_INTERVAL_MS, follow);
    };
    this.#wallTimer?.cancel();
    follow();
  }

  #restart(error: Error): void {
    if (this.#isStopped) return;
    if (++this.#restarts > MAX_ENGINE_RESTARTS) {
      this.#options.onFatal(error);
      return;
    }
    this.#options.onProblem?.(`${error.message}; starting engine number ${this.#replacements + 2}`);
    this.#replaceEngine(this.#loop!);
  }

  /** Called again for the same loop, if its engine traps while it is being stopped. */
  #replaceEngine(loop: EngineLoop): void {
    this.#isReplacing = true;
    this.#wallTimer?.cancel();
    // Requests of the previous engine may still arrive, and the next engine must see their effect in its lists.
    loop.stop(() => {
      createEngine(this.#options.engineModule).then(
        (engine) => {
          this.#isReplacing = false;
          if (this.#isStopped) return;
          this.#engine = engine;
          this.#replacements++;
          this.start();
        },
        (failure: Error) => this.#options.onFatal(failure),
      );
    });
  }
}

/** A new engine from a compiled module. */
export function createEngine({ module, sha256 }: EngineModule): Promise<Engine> {
  return Engine.create(module, sha256);
}
