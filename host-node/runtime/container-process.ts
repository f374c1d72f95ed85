/**
 * One start of one container as a local process, from its launch to the last byte of its output.
 *
 * Invariant: `exited` comes once, after all output, and then no process of the container runs any more. When the first
 * process ends, the others are killed, as in any container. Output is read one chunk a turn, and not at all while it is
 * paused. So a process that prints a lot waits for its reader, and does not fill our memory.
 */
import { type ChildProcess, type IOType, spawn } from "node:child_process";
import { closeSync, openSync } from "node:fs";
import { constants } from "node:os";
import type { Readable, Writable } from "node:stream";
import type { ContainerExit, ContainerHandle } from "../../cluster/kubelet/container-runtime.ts";
import { MAX_TIMEOUT_MS } from "../clock.ts";
import { encodeArguments, SANDBOX_FDS } from "./bubblewrap.ts";
import type { ContainerUser } from "./container-user.ts";
import type { ControlGroup } from "./control-groups/control-groups.ts";
import { startIn } from "./control-groups/join-group.ts";
import { SIZES_FD } from "./enter-script.ts";
import { closeWriteEnds, type OutputPipes } from "./output-pipes.ts";
import { endFirstWhenMemoryRunsOut } from "./process-limit.ts";
import {
  type Belongings,
  descendants,
  killAll,
  membersOf,
  signal,
  startTicksOf,
  terminateAll,
} from "./process-table.ts";

/**
 * How long output may still come after the process has ended. Only a process that has left its session can keep a pipe
 * open.
 */
const OUTPUT_DRAIN_MS = 2000;
/** bwrap writes a few hundred bytes about its sandbox. */
const MAX_INFO_BYTES = 64 * 1024;

export interface Launch {
  /** Absolute path of the program to start: the command itself, or the program that starts bwrap. */
  readonly file: string;
  readonly argv: readonly string[];
  /** Environment of that program. bwrap gets none of the container's variables. */
  readonly env: Readonly<Record<string, string>>;
  readonly workingDirectory: string;
  /** Undefined without a sandbox. */
  readonly sandbox: SandboxLaunch | undefined;
  /** Without a sandbox: whether the program gives the processes a separate view (process-view.ts). */
  readonly hasView: boolean;
  /** Without a sandbox: the variable that marks the processes of this container. */
  readonly mark: string;
  /** A client may write to its standard input; otherwise that is empty. */
  readonly hasInput: boolean;
  /** It reads the size of its terminal on SIZES_FD. */
  readonly hasTerminal: boolean;
}

export interface SandboxLaunch {
  /** The arguments that bwrap reads over a pipe. */
  readonly arguments: readonly string[];
  /** File with the seccomp filter that bwrap reads. */
  readonly seccompFile: string | undefined;
  /** Undefined: this user. */
  readonly user: ContainerUser | undefined;
}

export interface ProcessEvents {
  /** The process has started. It leads a group and a session with this id. */
  started(pid: number): void;
  output(stream: "stdout" | "stderr", chunk: Uint8Array): void;
  exited(pid: number, exit: ContainerExit): void;
  failed(message: string): void;
}

export class ContainerProcess implements ContainerHandle {
  readonly #child: ChildProcess;
  readonly #events: ProcessEvents;
  readonly #streams: Readable[];
  /** The group that it was started in. */
  readonly group: ControlGroup | undefined;
  /** What is written here is the standard input of the container. Undefined: it is empty. */
  readonly stdin: Writable | undefined;
  readonly #sizes: Writable | undefined;
  /** The id of the sandbox's first process on this machine. Undefined without a sandbox, or until bwrap has said it. */
  #sandboxPid: number | undefined;
  readonly #isSandboxed: boolean;
  readonly #hasView: boolean;
  /** Without a sandbox: how to recognize the processes of this container. */
  readonly #belongings: Omit<Belongings, "leader">;
  /** A request to end came before bwrap named its first process. */
  #terminateWhenKnown = false;
  #killTimer: NodeJS.Timeout | undefined;
  #drainTimer: NodeJS.Timeout | undefined;
  #exit: ContainerExit | undefined;
  #openStreams = 2;
  #isPaused = false;
  #isOver = false;

  /** @throws Error when the system has no pipe, process or descriptor left. */
  constructor(
    launch: Launch,
    group: ControlGroup | undefined,
    pipes: OutputPipes,
    isPaused: boolean,
    events: ProcessEvents,
  ) {
    this.group = group;
    this.#events = events;
    this.#isPaused = isPaused;
    this.#isSandboxed = launch.sandbox !== undefined;
    this.#hasView = launch.hasView;
    const out = pipes.open();
    const err = pipes.open();
    const input = launch.hasInput ? pipes.openInput() : undefined;
    this.#streams = [out.reader, err.reader];
    this.stdin = input?.writer.on("error", () => input.writer.destroy());
    try {
      this.#child = spawnLaunch(launch, group, input?.readFd, out.writeFd, err.writeFd);
    } finally {
      closeWriteEnds([out, err]);
      if (input !== undefined) closeSync(input.readFd);
    }
    this.#sizes = launch.hasTerminal ? ((this.#child.stdio as readonly unknown[])[SIZES_FD] as Writable) : undefined;
    this.#sizes?.on("error", () => {}); // The container has ended.
    this.#read(out.reader, "stdout");
    this.#read(err.reader, "stderr");
    if (launch.sandbox !== undefined) {
      this.#readSandboxInfo(this.#child.stdio[SANDBOX_FDS.info] as Readable);
      const input = this.#child.stdio[SANDBOX_FDS.arguments] as unknown as Writable;
      input.once("error", () => input.destroy()); // bwrap has ended, and reports why.
      input.end(encodeArguments(launch.sandbox.arguments));
    }
    this.#belongings = { since: startTicksOf(this.#child.pid ?? 0), mark: launch.mark, pipes: [out.path, err.path] };
    if (this.#child.pid !== undefined) endFirstWhenMemoryRunsOut(this.#child.pid);
    this.#child.once("spawn", () => events.started(this.#child.pid!));
    this.#child.once("error", (error: NodeJS.ErrnoException) => this.#failed(error));
    this.#child.once("exit", (code, name) => this.#ended(code, name));
  }

  /**
   * A process in the namespaces of the container: 0 if it has no separate ones; undefined before its command begins.
   */
  get namespacesOf(): number | undefined {
    if (!this.#isSandboxed && !this.#hasView) return 0;
    const init = this.#init;
    return init === undefined ? undefined : descendants(init)[0];
  }

  /** The first process of its PID namespace, which is not the command. Undefined: not started yet, or ended. */
  get #init(): number | undefined {
    const leader = this.#child.pid;
    return this.#hasView && leader !== undefined ? descendants(leader)[0] : this.#sandboxPid;
  }

  /** All processes of the container, as far as they can be found. */
  get pids(): readonly number[] {
    const leader = this.#child.pid;
    if (leader === undefined) return [];
    if (this.#isSandboxed) return [leader, ...descendants(leader)];
    return membersOf({ leader, ...this.#belongings }).map(({ pid }) => pid);
  }

  /** Its first process on this machine; undefined if it could not start. */
  get leader(): number | undefined {
    return this.#child.pid;
  }

  /** Sends its terminal the size. @returns false if it has none, or too many sizes wait already: they are not read */
  resize(columns: number, rows: number): boolean {
    if (!this.#sizes?.writable || this.#sizes.writableNeedDrain) return false;
    this.#sizes.write(`${rows} ${columns}\n`);
    return true;
  }

  stop(gracePeriodSeconds: number): void {
    if (this.#exit !== undefined || this.#isOver) return;
    clearTimeout(this.#killTimer);
    if (gracePeriodSeconds <= 0) {
      this.kill();
      return;
    }
    this.#terminate();
    this.#killTimer = setTimeout(() => this.kill(), Math.min(gracePeriodSeconds * 1000, MAX_TIMEOUT_MS));
  }

  /** Ends everything of this container now. */
  kill(): void {
    clearTimeout(this.#killTimer);
    const leader = this.#child.pid;
    if (leader === undefined) return;
    // When the first process of a PID namespace is killed, the kernel ends all others. Before it exists, only bwrap
    // does.
    if (this.#isSandboxed) signal(this.#sandboxPid ?? leader, "SIGKILL");
    else killAll({ leader, ...this.#belongings });
  }

  /** While paused nothing is read, and the container waits when its pipes are full. */
  setOutputPaused(paused: boolean): void {
    this.#isPaused = paused;
    for (const stream of this.#streams) {
      if (paused) stream.pause();
      else stream.resume();
    }
    if (!paused && this.#exit !== undefined) this.#limitDrain();
  }

  #terminate(): void {
    const leader = this.#child.pid;
    if (leader === undefined) return;
    if (!this.#isSandboxed && !this.#hasView) terminateAll({ leader, ...this.#belongings });
    else if (this.#isSandboxed && this.#sandboxPid === undefined) this.#terminateWhenKnown = true;
    else {
      // The first process is an init, and the program outside passes no signal on. So the signal goes to the processes
      // that the init has started.
      const init = this.#init;
      const asked = init === undefined ? [] : descendants(init);
      for (const pid of asked) signal(pid, "SIGTERM");
      // The command has not begun, so no process would react to SIGTERM.
      if (asked.length === 0) this.kill();
    }
  }

  #ended(code: number | null, name: NodeJS.Signals | null): void {
    clearTimeout(this.#killTimer);
    // Kill what the first process left running.
    if (!this.#isSandboxed) killAll({ leader: this.#child.pid!, ...this.#belongings });
    const number = name === null ? undefined : constants.signals[name];
    this.#exit = number === undefined ? { exitCode: code ?? 0 } : { exitCode: 128 + number, signal: number };
    this.#finishIfDrained();
    if (!this.#isOver && !this.#isPaused) this.#limitDrain();
  }

  #failed(error: NodeJS.ErrnoException): void {
    if (this.#isOver || this.#child.pid !== undefined) return; // A failed signal is no failed start.
    this.#isOver = true;
    for (const stream of this.#streams) stream.destroy();
    this.#events.failed(error.message);
  }

  #read(stream: Readable, name: "stdout" | "stderr"): void {
    stream.on("data", (chunk: Uint8Array) => {
      this.#events.output(name, chunk);
      // One chunk (at most 64 KiB) a turn, so that other work gets its turn too.
      stream.pause();
      setImmediate(() => {
        if (!this.#isPaused) stream.resume();
      });
    });
    stream.once("error", () => stream.destroy());
    stream.once("close", () => {
      this.#openStreams--;
      this.#finishIfDrained();
    });
    if (this.#isPaused) stream.pause();
  }

  #readSandboxInfo(stream: Readable): void {
    let text = "";
    stream.on("data", (chunk: Buffer) => {
      if (text.length < MAX_INFO_BYTES) text += chunk.toString("latin1");
      const pid = /"child-pid": *(\d+)[^\d]/.exec(text)?.[1];
      if (pid === undefined || this.#sandboxPid !== undefined) return;
      this.#sandboxPid = Number(pid);
      endFirstWhenMemoryRunsOut(this.#sandboxPid);
      if (this.#terminateWhenKnown) this.#terminate();
    });
    stream.once("error", () => stream.destroy());
  }

  #limitDrain(): void {
    clearTimeout(this.#drainTimer);
    this.#drainTimer = setTimeout(() => {
      for (const stream of this.#streams) stream.destroy();
    }, OUTPUT_DRAIN_MS);
  }

  #finishIfDrained(): void {
    if (this.#isOver || this.#exit === undefined || this.#openStreams > 0) return;
    this.#isOver = true;
    clearTimeout(this.#drainTimer);
    this.stdin?.destroy();
    this.#sizes?.destroy();
    this.#events.exited(this.#child.pid!, this.#exit);
  }
}

/** @throws Error when the system has no process or descriptor left. */
function spawnLaunch(
  { file, argv, env, workingDirectory, sandbox, hasTerminal }: Launch,
  group: ControlGroup | undefined,
  stdin: number | undefined,
  stdout: number,
  stderr: number,
): ChildProcess {
  const seccomp = sandbox?.seccompFile === undefined ? undefined : openSync(sandbox.seccompFile, "r");
  const stdio: (IOType | number)[] = [
    stdin ?? "ignore",
    stdout,
    stderr,
    ...(sandbox === undefined ? [] : (["pipe", "pipe"] as const)),
    ...(seccomp === undefined ? [] : [seccomp]),
  ];
  if (hasTerminal) stdio.push(...Array<IOType>(SIZES_FD - stdio.length).fill("ignore"), "pipe");
  try {
    return startIn(group, argv, stdio, (words, descriptors) =>
      spawn(group === undefined ? file : words[0]!, words.slice(1), {
        argv0: words[0]!,
        cwd: workingDirectory,
        env: env as NodeJS.ProcessEnv,
        detached: true,
        ...sandbox?.user,
        stdio: descriptors,
      }),
    );
  } finally {
    if (seccomp !== undefined) closeSync(seccomp);
  }
}
