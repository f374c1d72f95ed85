/**
 * What clients do with the containers of an engine: start commands in them, attach to their standard streams, connect
 * to their ports, and read their resource use.
 *
 * Invariant: the exit code of a command is known after all its output was read. Leaves out the end of a command whose
 * client has gone: an engine ends a command only with its container.
 */
import { type Duplex, PassThrough } from "node:stream";
import { getSystemErrorMap } from "node:util";
import type { OutputStream } from "../../../cluster/kubelet/container-log.ts";
import type { Command } from "../command-handle.ts";
import {
  type Attachment,
  type CommandRequest,
  MAX_COMMANDS,
  type OutputListener,
  type PodStreams,
} from "../container-streams.ts";
import { connectionOver } from "../port-connection.ts";
import { find, lookUp } from "../running-containers.ts";
import { type Usage, UsageMeter } from "../usage.ts";
import type { EngineClient } from "./engine-client.ts";
import type { EngineContainer } from "./engine-container.ts";
import { EngineMeter } from "./engine-usage.ts";
import { OutputFrames } from "./output-frames.ts";
import { CONNECT_COMMAND } from "./pause-image.ts";

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
  readonly #sandboxOf: (podUid: string) => string | undefined;
  readonly #running = new Set<Running>();
  readonly #meter: EngineMeter<Running>;
  readonly #machine = new UsageMeter<object>(Date.now, () => []);
  #commands = 0;

  /** @param sandboxOf the id of the container that holds the network of a pod */
  constructor(client: EngineClient, sandboxOf: (podUid: string) => string | undefined) {
    this.#client = client;
    this.#sandboxOf = sandboxOf;
    this.#meter = new EngineMeter(client, Date.now, () => this.#running);
  }

  /** Begins to measure what containers use. */
  measure(): void {
    this.#meter.start();
    this.#machine.start();
  }

  /** Measures what containers use now. */
  sample(): Promise<void> {
    return this.#meter.sample();
  }

  /** What the containers use, by the uids of their pods and by their names; not those that have just started. */
  usages(): ReadonlyMap<string, ReadonlyMap<string, Usage>> {
    return this.#meter.usages();
  }

  /** What this machine uses; undefined where that cannot be measured. */
  usageOfMachine(): Usage | undefined {
    return this.#machine.machine();
  }

  /** Stops measuring. */
  close(): void {
    this.#meter.stop();
    this.#machine.stop();
  }

  /** A container has started. @returns what to call for its output, and at its end */
  add(place: Place, container: EngineContainer): { heard: OutputListener; removed: () => void } {
    const running: Running = { place, container, listeners: new Set() };
    this.#running.add(running);
    this.#meter.begin(running);
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
    return this.#begin(find(this.#running, podUid, container).container.id, request);
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

  /** Connects to a port at which a container of the pod listens on all addresses, or on loopback. */
  async connect(podUid: string, port: number): Promise<Duplex> {
    const sandbox = this.#sandboxOf(podUid);
    if (sandbox === undefined) throw new Error("no container of the pod is running");
    const words = [CONNECT_COMMAND, String(port)];
    const command = this.#begin(sandbox, { words, hasInput: true, hasTerminal: false });
    command.end.catch(() => {}); // The caller handles it where it matters.
    const isConnected = new Promise((resolve) =>
      command.stdout.once("readable", () => resolve(command.stdout.read(1))),
    );
    if ((await isConnected) === null) throw connectError(await command.end);
    return connectionOver(command);
  }

  #begin(containerId: string, request: CommandRequest): EngineCommand {
    if (this.#commands >= MAX_COMMANDS)
      throw new Error(`${MAX_COMMANDS} commands and connections are under way in containers, which is the limit`);
    this.#commands++;
    const command = new EngineCommand(this.#client, containerId, request);
    const over = (): void => void this.#commands--;
    command.end.then(over, over);
    return command;
  }
}

/** @param errno as the kernel numbers it */
function connectError(errno: number): Error {
  const [code, message] = getSystemErrorMap().get(-errno) ?? ["UNKNOWN", `error ${errno}`];
  return Object.assign(new Error(message), { code });
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

  /** Stops reading and writing. The command itself continues until it ends, or its container does. */
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
