/**
 * One start of one container in an engine, from its creation to its removal.
 *
 * Invariant: `ended` is called once, when the container has ended and all its output was read. Then the engine does not
 * have it any more. Output comes only after `started`. Leaves out images, and what is created: container-body.ts.
 */
import type { Duplex } from "node:stream";
import type { OutputStream } from "../../../cluster/kubelet/container-log.ts";
import type { ContainerExit } from "../../../cluster/kubelet/container-runtime.ts";
import { MAX_TIMEOUT_MS } from "../../clock.ts";
import { type EngineClient, EngineError } from "./engine-client.ts";
import { OutputFrames } from "./output-frames.ts";

/** How long to wait for output after the end of the container. Later output is not expected. */
const OUTPUT_DRAIN_MS = 5000;
/** The exit code of a container that the engine no longer knows. */
const UNKNOWN_EXIT_CODE = 137;

export interface EngineContainerEvents {
  started(): void;
  output(stream: OutputStream, chunk: Buffer): void;
  ended(exit: ContainerExit): void;
}

export class EngineContainer {
  readonly id: string;
  readonly #client: EngineClient;
  readonly #stopSignal: string;
  readonly #events: EngineContainerEvents;
  /** Its standard streams. */
  #streams: Duplex | undefined;
  #isOutputPaused: boolean;
  #killTimer: NodeJS.Timeout | undefined;
  #isStopping = false;
  #hasStarted = false;

  private constructor(
    client: EngineClient,
    id: string,
    { stopSignal, isOutputPaused }: ContainerSettings,
    events: EngineContainerEvents,
  ) {
    this.#client = client;
    this.id = id;
    this.#stopSignal = stopSignal;
    this.#isOutputPaused = isOutputPaused;
    this.#events = events;
  }

  /** @throws EngineError when the engine refuses it */
  static async create(
    client: EngineClient,
    settings: ContainerSettings,
    events: EngineContainerEvents,
  ): Promise<EngineContainer> {
    const { Id } = await client.json("POST", "/containers/create", {
      query: { name: settings.name },
      body: settings.body,
    });
    return new EngineContainer(client, Id, settings, events);
  }

  /** @throws EngineError when it cannot start; then it is removed */
  async start({ hasTerminal, hasInput }: { hasTerminal: boolean; hasInput: boolean }): Promise<void> {
    try {
      const query = { stream: "1", stdout: "1", stderr: "1", ...(hasInput && { stdin: "1" }) };
      this.#streams = await this.#client.duplex(`/containers/${this.id}/attach`, { query });
      this.#streams.on("error", () => {}); // `close` follows.
      await this.#client.json("POST", `/containers/${this.id}/start`);
    } catch (error) {
      this.#streams?.destroy();
      await this.#remove();
      throw error;
    }
    this.#hasStarted = true;
    this.#events.started();
    const read = this.#readOutput(this.#streams, hasTerminal);
    void this.#awaitEnd(read);
  }

  /** What a client writes to the container; undefined before it has started. */
  get input(): Duplex | undefined {
    return this.#streams;
  }

  setOutputPaused(paused: boolean): void {
    this.#isOutputPaused = paused;
    if (!this.#hasStarted) return;
    if (paused) this.#streams?.pause();
    else this.#streams?.resume();
  }

  stop(gracePeriodSeconds: number): void {
    if (!this.#isStopping && gracePeriodSeconds > 0) this.#signal(this.#stopSignal);
    this.#isStopping = true;
    clearTimeout(this.#killTimer);
    if (gracePeriodSeconds <= 0) this.#signal("SIGKILL");
    else
      this.#killTimer = setTimeout(() => this.#signal("SIGKILL"), Math.min(gracePeriodSeconds * 1000, MAX_TIMEOUT_MS));
  }

  resize(columns: number, rows: number): void {
    const query = { w: String(columns), h: String(rows) };
    this.#client.json("POST", `/containers/${this.id}/resize`, { query }).catch(() => {}); // It has ended meanwhile.
  }

  #signal(signal: string): void {
    // A container that has ended cannot be signalled, and `wait` reports its end.
    this.#client.json("POST", `/containers/${this.id}/kill`, { query: { signal } }).catch(() => {});
  }

  #readOutput(streams: Duplex, hasTerminal: boolean): Promise<void> {
    const frames = new OutputFrames((stream, chunk) => this.#events.output(stream, chunk));
    streams.on("data", (chunk: Buffer) => {
      if (hasTerminal) this.#events.output("stdout", chunk);
      else frames.push(chunk);
    });
    if (this.#isOutputPaused) streams.pause();
    return new Promise((resolve) => {
      streams.once("end", resolve);
      streams.once("close", resolve);
    });
  }

  async #awaitEnd(outputRead: Promise<void>): Promise<void> {
    const exit = await this.#exit();
    clearTimeout(this.#killTimer);
    const drained = Promise.withResolvers<void>();
    const timer = setTimeout(() => drained.resolve(), OUTPUT_DRAIN_MS);
    await Promise.race([outputRead, drained.promise]);
    clearTimeout(timer);
    this.#streams?.destroy();
    await this.#remove();
    this.#events.ended(exit);
  }

  async #exit(): Promise<ContainerExit> {
    try {
      await this.#client.json("POST", `/containers/${this.id}/wait`);
      const { State } = await this.#client.json("GET", `/containers/${this.id}/json`);
      return { exitCode: State.ExitCode, ...(State.OOMKilled === true && { reason: "OOMKilled" }) };
    } catch (error) {
      return {
        exitCode: UNKNOWN_EXIT_CODE,
        reason: "ContainerStatusUnknown",
        message: `the engine does not say how the container ended: ${(error as Error).message}`,
      };
    }
  }

  async #remove(): Promise<void> {
    await removeContainer(this.#client, this.id).catch(() => {}); // What is left is removed with its pod.
  }
}

export interface ContainerSettings {
  readonly name: string;
  /** As of container-body.ts. */
  readonly body: object;
  readonly stopSignal: string;
  readonly isOutputPaused: boolean;
}

/** Kills a container if it runs, and removes it with its unnamed volumes. It may be gone already. */
export async function removeContainer(client: EngineClient, id: string): Promise<void> {
  try {
    await client.json("DELETE", `/containers/${id}`, { query: { force: "1", v: "1" } });
  } catch (error) {
    // 409: another client is removing it.
    if (!(error instanceof EngineError) || ![404, 409].includes(error.status)) throw error;
  }
}
