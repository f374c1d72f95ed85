/**
 * What clients do with the running containers of a runtime: start commands in them, attach to their standard streams,
 * and connect to their ports.
 *
 * Invariant: a command has what its container has: files, network, user, environment, limits and filter of system
 * calls. It never outlives its container. Leaves out permissions, and the protocols of the clients.
 */
import { connect as connectSocket } from "node:net";
import type { Duplex, Writable } from "node:stream";
import type { Command } from "./command-handle.ts";
import { ContainerCommand } from "./container-command.ts";
import type { ContainerProcess } from "./container-process.ts";
import type { ContainerUser } from "./container-user.ts";
import { enterCommand, findPerl } from "./enter-script.ts";
import { addressOfListener } from "./listening-sockets.ts";
import type { OutputPipes } from "./output-pipes.ts";
import { connectionOver } from "./port-connection.ts";
import type { Reaper } from "./reaper.ts";
import { find, lookUp } from "./running-containers.ts";
import { type Usage, UsageMeter } from "./usage.ts";

/** Commands that clients have started and that still run, and connections to ports, of all containers together. */
export const MAX_COMMANDS = 256;
const LOOPBACK = "127.0.0.1";

/** Limits for the processes of sandboxes. */
export interface CommandLimits {
  /** Undefined: this user. */
  readonly user: ContainerUser | undefined;
  /** Words before a command that limit its processes. */
  readonly limitCommand: readonly string[];
  readonly seccompFile: string | undefined;
}

export interface ContainerStreamsOptions {
  /** Undefined: containers run without a sandbox. */
  readonly limits: CommandLimits | undefined;
  /** Containers have the network of this machine, and so its ports. */
  readonly sharesNetwork: boolean;
  readonly pipes: OutputPipes;
  readonly reaper: Reaper;
}

/** The place of a container's commands, and their settings. */
export interface ContainerPlace {
  readonly podUid: string;
  readonly container: string;
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** The container has asked for its standard input to end with the first client. */
  readonly isInputOnce: boolean;
}

export interface CommandRequest {
  readonly words: readonly string[];
  readonly hasInput: boolean;
  readonly hasTerminal: boolean;
}

/** What clients do with the containers of pods, whatever runs them. */
export interface PodStreams {
  isRunning(podUid: string, container: string): boolean;
  /** False for a container that has just started, and that no command can join yet. */
  isReady(podUid: string, container: string): boolean;
  /** @throws Error why no command can start in this container */
  start(podUid: string, container: string, request: CommandRequest): Command;
  /** @throws Error when the container does not run */
  attach(podUid: string, container: string): Attachment;
  /** Connects to a port on which a container of the pod listens. Rejects when none does. */
  connect(podUid: string, port: number): Promise<Duplex>;
}

export type OutputListener = (stream: "stdout" | "stderr", chunk: Uint8Array) => void;

/** The standard streams of a container. */
export interface Attachment {
  /** Undefined: the container reads nothing. */
  readonly stdin: Writable | undefined;
  readonly isInputOnce: boolean;
  /** Sends the container's terminal its size. @returns false if the size will not be read */
  resize(columns: number, rows: number): boolean;
  /** Calls back for all output from now on, and at the end of the container. Call the result to end that. */
  listen(output: OutputListener, ended: () => void): () => void;
}

interface Running {
  readonly place: ContainerPlace;
  readonly process: ContainerProcess;
  readonly commands: Set<ContainerCommand>;
  readonly listeners: Set<{ readonly output: OutputListener; readonly ended: () => void }>;
}

export class ContainerStreams implements PodStreams {
  readonly #options: ContainerStreamsOptions;
  readonly #running = new Set<Running>();
  readonly #meter = new UsageMeter<Running>(Date.now, () =>
    [...this.#running].flatMap((running) => {
      const { leader } = running.process;
      return leader === undefined ? [] : [{ key: running, pid: leader }];
    }),
  );
  #commands = 0;

  constructor(options: ContainerStreamsOptions) {
    this.#options = options;
  }

  /** Begins to measure what containers use. */
  measure(): void {
    this.#meter.start();
  }

  /** What the containers use, by the uids of their pods and by their names; not those that have just started. */
  usages(): ReadonlyMap<string, ReadonlyMap<string, Usage>> {
    const pods = new Map<string, Map<string, Usage>>();
    for (const [{ place }, usage] of this.#meter.containers())
      pods.set(place.podUid, (pods.get(place.podUid) ?? new Map<string, Usage>()).set(place.container, usage));
    return pods;
  }

  /** What this machine uses; undefined where that cannot be measured. */
  usageOfMachine(): Usage | undefined {
    return this.#meter.machine();
  }

  /** A container has started. @returns what to call for its output, and at its end */
  add(place: ContainerPlace, process: ContainerProcess): { heard: OutputListener; removed: () => void } {
    const running: Running = { place, process, commands: new Set(), listeners: new Set() };
    this.#running.add(running);
    this.#meter.begin(running);
    return {
      heard: (stream, chunk) => running.listeners.forEach(({ output }) => output(stream, chunk)),
      removed: () => {
        this.#running.delete(running);
        for (const command of running.commands) command.kill();
        for (const { ended } of running.listeners) ended();
      },
    };
  }

  isRunning(podUid: string, container: string): boolean {
    return lookUp(this.#running, podUid, container) !== undefined;
  }

  /** False for a container that has just started, and has no process yet that a command could join. */
  isReady(podUid: string, container: string): boolean {
    const running = lookUp(this.#running, podUid, container);
    return running === undefined || this.#isReady(running);
  }

  readonly #isReady = ({ process }: Running): boolean => process.namespacesOf !== undefined;

  /** @throws Error why no command can start in this container */
  start(podUid: string, container: string, { words, hasInput, hasTerminal }: CommandRequest): ContainerCommand {
    const running = find(this.#running, podUid, container);
    const mode = hasTerminal ? "tty" : "run";
    return this.#begin(running, { mode, words, hasInput, env: running.place.env });
  }

  /** @throws Error when the container does not run */
  attach(podUid: string, container: string): Attachment {
    const { listeners, process, place } = find(this.#running, podUid, container);
    return {
      stdin: process.stdin,
      isInputOnce: place.isInputOnce,
      resize: (columns, rows) => process.resize(columns, rows),
      listen: (output, ended) => {
        const listener = { output, ended };
        listeners.add(listener);
        return () => listeners.delete(listener);
      },
    };
  }

  /** Connects to a port on which a container of the pod listens. Rejects when none does. */
  async connect(podUid: string, port: number): Promise<Duplex> {
    const containers = [...this.#running].filter(({ place }) => place.podUid === podUid).filter(this.#isReady);
    if (containers.length === 0) throw new Error("no container of the pod is running");
    if (this.#options.sharesNetwork) return connectHere(port, hostOf(port, containers));
    // Each container has its own loopback.
    let problem: unknown;
    for (const running of containers) {
      const command = this.#begin(running, { mode: "port", words: [String(port)], hasInput: true, env: {} });
      command.end.catch(() => {}); // The connection reports it.
      try {
        await command.connected;
        return connectionOver(command);
      } catch (error) {
        problem = error;
      }
    }
    throw problem;
  }

  /** Ends all commands. */
  close(): void {
    this.#meter.stop();
    for (const { commands } of this.#running) for (const command of commands) command.kill();
  }

  #begin(
    { place, process, commands }: Running,
    request: {
      readonly mode: "run" | "tty" | "port";
      readonly words: readonly string[];
      readonly hasInput: boolean;
      readonly env: Readonly<Record<string, string>>;
    },
  ): ContainerCommand {
    const { limits, pipes, reaper } = this.#options;
    const { mode, words, hasInput, env } = request;
    const perl = findPerl();
    if (perl === undefined)
      throw new Error("this needs Perl on the machine of the server, and there is no perl in $PATH");
    if (this.#commands >= MAX_COMMANDS)
      throw new Error(`${MAX_COMMANDS} commands and connections are under way in containers, which is the limit`);
    const pid = process.namespacesOf;
    if (pid === undefined) throw new Error(`container ${place.container} has no process yet`);
    const { workingDirectory } = place;
    const program = enterCommand(perl, {
      mode,
      pid,
      workingDirectory,
      words,
      rights: limits === undefined ? "those of the user" : "none",
      hasSeccompFilter: !!limits?.seccompFile,
    });
    const command = new ContainerCommand(
      {
        argv: [...(limits?.limitCommand ?? []), ...program],
        env,
        hasInput,
        seccompFile: limits?.seccompFile,
        user: limits?.user,
        group: process.group,
      },
      pipes,
    );
    const { pid: leader } = command;
    if (leader !== undefined) reaper.add(leader);
    this.#commands++;
    commands.add(command);
    const over = (): void => {
      this.#commands--;
      commands.delete(command);
      if (leader !== undefined) reaper.remove(leader);
    };
    command.end.then(over, over);
    return command;
  }
}

/**
 * The address at which a container of a pod on the host's ports listens. Where that cannot be found, loopback.
 * @throws Error if none listens: another process may own the port
 */
function hostOf(port: number, containers: readonly Running[]): string {
  if (process.platform !== "linux") return LOOPBACK;
  const host = addressOfListener(
    port,
    containers.flatMap((running) => running.process.pids),
  );
  if (host === undefined) {
    const problem = new Error(`no container of the pod listens on port ${port}: connection refused`);
    throw Object.assign(problem, { code: "ECONNREFUSED" });
  }
  return host;
}

function connectHere(port: number, host: string): Promise<Duplex> {
  return new Promise((resolve, reject) => {
    const socket = connectSocket({ host, port, allowHalfOpen: true });
    socket.once("error", reject).once("connect", () => resolve(socket.off("error", reject)));
  });
}
