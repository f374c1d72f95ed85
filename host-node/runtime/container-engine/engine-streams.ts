/**
 * What clients reach in the containers of an engine: they start commands in them and attach to their standard streams.
 *
 * Invariant: the exit code of a command is known after all its output was read. Leaves out ports, and the end of a
 * command whose client has gone: an engine ends a command only with its container.
 */
import { type Duplex, PassThrough } from "node:stream";
import type { OutputStream } from "../../../cluster/kubelet/container-log.ts";
import type { Attachment, Command, CommandRequest, OutputListener, PodStreams } from "../container-streams.ts";
import { find, lookUp } from "../running-containers.ts";
import type { EngineClient } from "./engine-client.ts";
import type { EngineContainer } from "./engine-container.ts";
import { OutputFrames } from "./output-frames.ts";

interface Place {
  readonly podUid: string;
  readonly container: string;
  /** Whether it reads what clients send. */
  readonly hasInput: boolean;
  readonly isInputOnce: boolean;
}

interface Running {
  readonly place: Place;
  readonly container: EngineContainer;
  readonly listeners: Set<{ readonly output: OutputListener; readonly ended: () => void }>;
}

export class EngineStreams implements PodStreams {
  readonly #client: EngineClient;
  readonly #running = new Set<Running>();

  constructor(client: EngineClient) {
    this.#client = client;
  }

  /** A container has started. @returns what to call for its output, and at its end */
  add(place: Place, container: EngineContainer): { heard: OutputListener; removed: () => void } {
    const running: Running = { place, container, listeners: new Set() };
    this.#running.add(running);
    return {
      heard: (stream, chunk) => running.listeners.forEach(({ output }) => output(stream, chunk)),
      removed: () => {
        this.#running.delete(running);
        for (const { ended } of running.listeners) ended();
      },
    };
  }

  isRunning(podUid: string, container: string): boolean {
    return lookUp(this.#running, podUid, container) !== undefined;
  }

  isReady(): boolean {
    return true;
  }

  /** @throws Error when the container does not run */
  start(podUid: string, container: string, request: CommandRequest): Command {
    return new EngineCommand(this.#client, find(this.#running, podUid, container).container.id, request);
  }

  /** @throws Error when the container does not run */
  attach(podUid: string, container: string): Attachment {
    const { place, container: attached, listeners } = find(this.#running, podUid, container);
    return {
      stdin: place.hasInput ? attached.input : undefined,
      isInputOnce: place.isInputOnce,
      resize: (columns, rows) => {
        attached.resize(columns, rows);
        return true;
      },
      listen: (output, ended) => {
        const listener = { output, ended };
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  connect(): Promise<Duplex> {
    return Promise.reject(new Error("ports of containers in an engine are not reached from here"));
  }
}

class EngineCommand implements Command {
  readonly stdin: PassThrough | undefined;
  readonly stdout = new PassThrough();
  readonly stderr = new PassThrough();
  readonly end: Promise<number>;
  readonly #client: EngineClient;
  #id: string | undefined;
  #size: readonly [columns: number, rows: number] | undefined;
  #connection: Duplex | undefined;
  #isKilled = false;

  constructor(client: EngineClient, containerId: string, request: CommandRequest) {
    this.#client = client;
    if (request.hasInput) this.stdin = new PassThrough();
    this.end = this.#run(containerId, request).finally(() => {
      this.stdout.end();
      this.stderr.end();
      this.stdin?.destroy();
    });
  }

  resize(columns: number, rows: number): void {
    this.#size = [columns, rows];
    const query = { w: String(columns), h: String(rows) };
    if (this.#connection !== undefined)
      this.#client.json("POST", `/exec/${this.#id}/resize`, { query }).catch(() => {}); // It has ended meanwhile.
  }

  /** Reads and writes nothing more. The command itself goes on until it ends, or its container does. */
  kill(): void {
    this.#isKilled = true;
    this.#connection?.destroy();
  }

  async #run(containerId: string, { words, hasInput, hasTerminal }: CommandRequest): Promise<number> {
    const streams = { AttachStdin: hasInput, AttachStdout: true, AttachStderr: true, Tty: hasTerminal };
    const body = { ...streams, Cmd: words };
    const { Id } = await this.#client.json("POST", `/containers/${containerId}/exec`, { body });
    this.#id = Id;
    const connection = await this.#client.duplex(`/exec/${Id}/start`, { body: { Detach: false, Tty: hasTerminal } });
    this.#connection = connection;
    if (this.#isKilled) connection.destroy();
    if (this.#size !== undefined) this.resize(...this.#size);
    connection.on("error", () => {}); // `close` follows.
    this.stdin?.pipe(connection);
    await this.#read(connection, hasTerminal);
    const { ExitCode } = await this.#client.json("GET", `/exec/${Id}/json`);
    return ExitCode ?? 0;
  }

  #read(connection: Duplex, hasTerminal: boolean): Promise<void> {
    const write = (stream: OutputStream, chunk: Buffer): void => {
      if (this[stream].write(chunk)) return;
      connection.pause();
      this[stream].once("drain", () => connection.resume());
    };
    const frames = new OutputFrames(write);
    connection.on("data", (chunk: Buffer) => (hasTerminal ? write("stdout", chunk) : frames.push(chunk)));
    return new Promise((resolve) => connection.once("end", resolve).once("close", resolve));
  }
}
