/**
 * What `stint serve --control` has beyond a server of its own: a clock that a test moves, containers whose end a test
 * decides, and a recording of what the controller is told, all in memory.
 *
 * Invariant: on a virtual clock, a request is answered when what is due at the present instant has happened. So a
 * client that has created a Job sees its pods, without anybody moving time.
 */
import type { KubeObject } from "../../cluster/types.ts";
import { RealClock } from "../clock.ts";
import type { EmbeddedCluster, EmbeddedClusterOptions } from "../embedded.ts";
import { ClusterApi } from "../testing/cluster-api.ts";
import { ClusterControls } from "../testing/controls.ts";
import { PromptClock } from "../testing/prompt-clock.ts";
import { RecordingBuffer } from "../testing/recording-buffer.ts";
import { SteeredRuntime } from "../testing/steered-runtime.ts";
import { RealTime, VirtualTime } from "../testing/time.ts";
import { WhyTexts } from "../testing/why-text.ts";
import { ControlApi } from "./control.ts";
import type { RequestHandler } from "./https-server.ts";

export interface ControlledOptions {
  readonly clock: "real" | "virtual";
  /** Whether the cluster runs the Jobs. What its controller is told is recorded. */
  readonly controller: boolean;
  readonly onFatal: (error: Error) => void;
}

export class Controlled {
  readonly clock: PromptClock | RealClock;
  readonly runtime: SteeredRuntime;
  readonly #texts = new WhyTexts();
  readonly #recording: RecordingBuffer | undefined;
  readonly #onFatal: (error: Error) => void;
  #failure: Error | undefined;

  constructor({ clock, controller, onFatal }: ControlledOptions) {
    this.#onFatal = onFatal;
    this.clock = clock === "virtual" ? new PromptClock(Date.now(), (error) => this.#fail(error)) : new RealClock();
    this.runtime = new SteeredRuntime({ clock: this.clock, random: Math.random });
    this.#recording = controller ? new RecordingBuffer() : undefined;
  }

  /** For the cluster that is controlled. */
  get clusterOptions(): Pick<EmbeddedClusterOptions, "recorder" | "onOutput" | "onDecisions" | "onFatal"> {
    return {
      recorder: this.#recording?.recorder,
      onOutput: (pod: KubeObject, container, attempt, _stream, line) =>
        this.#texts.failures.line(pod.metadata.uid, container, attempt, line),
      onDecisions: (decisions) => this.#texts.decided(decisions),
      onFatal: (error) => this.#fail(error),
    };
  }

  /** The calls for a cluster with these options. */
  apiFor(embedded: EmbeddedCluster, nodes: readonly string[]): ControlApi {
    embedded.cluster.observe(({ resource, type, object }) => {
      if (resource === "pods" && type !== "DELETED") this.#texts.failures.pod(object);
    });
    const { clock, runtime } = this;
    const check = (): void => {
      if (this.#failure !== undefined) throw this.#failure;
    };
    const time =
      clock instanceof PromptClock
        ? new VirtualTime(clock, () => embedded.isWaiting, check)
        : new RealTime(clock, check);
    const recording = this.#recording && (() => this.#recording!.bytes());
    const controls = new ClusterControls({ embedded, runtime, time, nodes, texts: this.#texts, recording });
    const api = new ClusterApi(embedded.cluster);
    return new ControlApi({ controls, list: (path) => api.list(path) });
  }

  /** A handler that answers when what is due has happened. */
  promptly(handler: RequestHandler): RequestHandler {
    const { clock } = this;
    if (!(clock instanceof PromptClock)) return handler;
    return {
      handle: (request) => {
        const answer = handler.handle(request);
        clock.runDue();
        return answer;
      },
    };
  }

  #fail(error: Error): void {
    this.#failure ??= error;
    this.#onFatal(error);
  }
}
