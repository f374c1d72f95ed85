/**
 * A command that runs in a container beside the container's own: what `kubectl exec` starts. The same program connects
 * to a port of the container.
 *
 * Invariant: `end` settles once, after all output was read and the command has ended. Output without a reader waits in
 * its pipe, and the command with it. Leaves out which command may start: process-runtime.ts knows the containers.
 * enter-script.ts describes how a command gets into one.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import type { Socket } from "node:net";
import type { Writable } from "node:stream";
import { encodeArguments } from "./bubblewrap.ts";
import type { ContainerUser } from "./container-user.ts";
import type { ControlGroup } from "./control-groups/control-groups.ts";
import { startIn } from "./control-groups/join-group.ts";
import { CONNECTED, ENTER_FDS, NOT_STARTED } from "./enter-script.ts";
import { closeWriteEnds, type OutputPipe, type OutputPipes } from "./output-pipes.ts";
import { endFirstWhenMemoryRunsOut } from "./process-limit.ts";
import { signal } from "./process-table.ts";

/**
 * Later output than this after the end of the command is not expected: a process that the command left in the
 * background may hold a pipe open.
 */
const OUTPUT_DRAIN_MS = 2000;
/** How long a command may take to end after a signal. */
const KILL_AFTER_MS = 1000;
const MAX_STATUS_BYTES = 4096;

export interface CommandLaunch {
  /** The command line of the program that starts the command. */
  readonly argv: readonly string[];
  /** The environment of the command. */
  readonly env: Readonly<Record<string, string>>;
  /** Otherwise its standard input is empty. */
  readonly hasInput: boolean;
  /** File with the filter of the container's system calls. */
  readonly seccompFile: string | undefined;
  /** Undefined: this user. */
  readonly user: ContainerUser | undefined;
  /** That of the container. */
  readonly group: ControlGroup | undefined;
}

export class ContainerCommand {
  /** Undefined: the command was started without. */
  readonly stdin: Writable | undefined;
  readonly stdout: Socket;
  readonly stderr: Socket;
  /** The exit code; 128 + signal for a command that a signal ended. Rejects when the command could not start. */
  readonly end: Promise<number>;
  /** Resolves when the port answers. Rejects when it does not. Never settles for another command. */
  readonly connected: Promise<void>;
  readonly #child: ChildProcess;
  #status = "";

  /** @throws Error when the system has no pipe, process or descriptor left. */
  constructor(launch: CommandLaunch, pipes: OutputPipes) {
    const outputs = [pipes.open(), pipes.open()] as const;
    [this.stdout, this.stderr] = [outputs[0].reader, outputs[1].reader];
    try {
      this.#child = spawnProgram(launch, outputs);
    } finally {
      closeWriteEnds(outputs);
    }
    this.stdin = this.#child.stdin ?? undefined;
    // The writer learns from `close` that the command reads no more.
    this.stdin?.on("error", () => this.stdin!.destroy());
    const environment = this.#pipe(ENTER_FDS.environment);
    environment.on("error", () => environment.destroy());
    environment.end(encodeArguments(Object.entries(launch.env).map(([name, value]) => `${name}=${value}`)));
    this.#pipe(ENTER_FDS.sizes).on("error", () => {});
    if (this.#child.pid !== undefined) endFirstWhenMemoryRunsOut(this.#child.pid);
    this.connected = new Promise((resolve, reject) => this.#readStatus(resolve, reject));
    this.connected.catch(() => {}); // `end` says it too.
    this.end = new Promise((resolve, reject) => this.#awaitEnd(resolve, reject));
  }

  get pid(): number | undefined {
    return this.#child.pid;
  }

  /** Sends the terminal its size. @returns false if too many sizes wait: without a terminal they are not read */
  resize(columns: number, rows: number): boolean {
    const sizes = this.#pipe(ENTER_FDS.sizes);
    if (!sizes.writable || sizes.writableNeedDrain) return false;
    sizes.write(`${rows} ${columns}\n`);
    return true;
  }

  /** Ends the command and what it has started in its group. */
  kill(): void {
    const { pid } = this.#child;
    if (pid === undefined || this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    signal(pid, "SIGTERM");
    const timer = setTimeout(() => signal(pid, "SIGKILL"), KILL_AFTER_MS);
    this.#child.once("exit", () => clearTimeout(timer));
  }

  /** This end of one of the pipes beside the standard streams. */
  #pipe(fd: number): Socket {
    return (this.#child.stdio as readonly unknown[])[fd] as Socket;
  }

  #readStatus(connected: () => void, failed: (error: Error) => void): void {
    const status = this.#pipe(ENTER_FDS.status);
    status.on("data", (chunk: Buffer) => {
      if (this.#status.length < MAX_STATUS_BYTES) this.#status += chunk.toString();
      if (this.#status === CONNECTED) connected();
    });
    status.once("error", () => status.destroy());
    status.once("close", () => failed(new Error(this.#status || "the program that connects has ended")));
  }

  #awaitEnd(ended: (exitCode: number) => void, failed: (error: Error) => void): void {
    const outputs = [this.stdout, this.stderr];
    const drained = Promise.all(
      outputs.map((stream) => new Promise<void>((resolve) => stream.once("close", () => resolve()))),
    );
    this.#child.once("error", (error) => {
      for (const stream of outputs) stream.destroy();
      failed(error);
    });
    this.#child.once("close", (code, name) => {
      const stopLimiting = limitDrain(outputs);
      void drained.then(() => {
        stopLimiting();
        this.stdin?.destroy();
        if (code === NOT_STARTED && this.#status !== "") failed(new Error(this.#status));
        else ended(code ?? 128 + (name === null ? 0 : constants.signals[name]));
      });
    });
  }
}

/** Closes each output that is being read and gives nothing for a while. Call the result to end that. */
function limitDrain(outputs: readonly Socket[]): () => void {
  let before = outputs.map(() => -1);
  const timer = setInterval(() => {
    outputs.forEach((stream, i) => {
      if (!stream.isPaused() && stream.bytesRead === before[i]) stream.destroy();
    });
    before = outputs.map(({ bytesRead }) => bytesRead);
  }, OUTPUT_DRAIN_MS / 2);
  return () => clearInterval(timer);
}

function spawnProgram(
  { argv, hasInput, seccompFile, user, group }: CommandLaunch,
  [out, err]: readonly OutputPipe[],
): ChildProcess {
  const seccomp = seccompFile === undefined ? undefined : openSync(seccompFile, "r");
  try {
    // In the order of ENTER_FDS.
    const stdio = [
      hasInput ? ("pipe" as const) : ("ignore" as const),
      ...[out!.writeFd, err!.writeFd],
      ...(["pipe", "pipe", "pipe"] as const),
      ...(seccomp === undefined ? [] : [seccomp]),
    ];
    return startIn(group, argv, stdio, ([file, ...words], descriptors) =>
      spawn(file!, words, { cwd: "/", env: {}, detached: true, ...user, stdio: descriptors }),
    );
  } finally {
    if (seccomp !== undefined) closeSync(seccomp);
  }
}
