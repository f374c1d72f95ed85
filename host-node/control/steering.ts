/**
 * What an embedded cluster needs so that a test can control it: a clock that the test moves, containers whose end it
 * decides, the words for what a Job waits for, and a recording of the controller's inputs, in memory.
 *
 * Invariant: when the cluster has broken, every control throws the reason.
 */
import { RealClock } from "../clock.ts";
import type { EmbeddedCluster, EmbeddedClusterOptions } from "../embedded/embedded.ts";
import { SeenFailures } from "../embedded/seen-failures.ts";
import type { ControlsOptions } from "./controls.ts";
import { AutoAdvancingClock } from "./auto-advancing-clock.ts";
import { RecordingBuffer } from "./recording-buffer.ts";
import { ScriptedRuntime } from "./scripted-runtime.ts";
import { RealTime, type Time, VirtualTime } from "./time.ts";
import { WhyTexts } from "./why-text.ts";

export interface SteeringOptions {
  readonly clock: "real" | "virtual";
  /** The initial time of a virtual clock, in milliseconds since 1970. */
  readonly startMs: number;
  /** Uniform in [0, 1): for how long containers run. */
  readonly random: () => number;
  /** Whether the inputs of the controller are recorded. */
  readonly record: boolean;
  /** Called once, when the cluster has broken. */
  readonly onFatal?: (error: Error) => void;
}

export class Steering {
  readonly clock: AutoAdvancingClock | RealClock;
  readonly runtime: ScriptedRuntime;
  readonly #options: SteeringOptions;
  /** The failures of the cluster. */
  readonly seen = new SeenFailures(() => this.clock.now());
  readonly #texts = new WhyTexts(this.seen.failures);
  readonly #recording: RecordingBuffer | undefined;
  #failure: Error | undefined;

  constructor(options: SteeringOptions) {
    this.#options = options;
    this.clock =
      options.clock === "virtual"
        ? new AutoAdvancingClock(options.startMs, (error) => this.#fail(error))
        : new RealClock();
    this.runtime = new ScriptedRuntime({ clock: this.clock, random: options.random });
    this.#recording = options.record ? new RecordingBuffer() : undefined;
  }

  /** For the cluster under control. */
  get clusterOptions(): Pick<EmbeddedClusterOptions, "recorder" | "onOutput" | "onDecisions" | "onFatal"> {
    return {
      recorder: this.#recording?.recorder,
      onOutput: this.seen.onOutput,
      onDecisions: (decisions) => this.#texts.decided(decisions),
      onFatal: (error) => this.#fail(error),
    };
  }

  /** For the controls of the cluster, which was made with `clusterOptions` and has these nodes. */
  controlsOf(embedded: EmbeddedCluster, nodes: readonly string[]): ControlsOptions {
    this.seen.watch(embedded);
    const recording = this.#recording;
    return {
      embedded,
      nodes,
      runtime: this.runtime,
      time: this.#timeOf(embedded),
      texts: this.#texts,
      recording: recording && (() => recording.bytes()),
    };
  }

  #timeOf(embedded: EmbeddedCluster): Time {
    const check = (): void => {
      if (this.#failure !== undefined) throw this.#failure;
    };
    return this.clock instanceof AutoAdvancingClock
      ? new VirtualTime(this.clock, () => embedded.isWaiting, check)
      : new RealTime(this.clock, check);
  }

  #fail(error: Error): void {
    if (this.#failure !== undefined) return;
    this.#failure = error;
    this.#options.onFatal?.(error);
  }
}
