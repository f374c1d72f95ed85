/**
 * Real pipes for what containers write and read.
 *
 * The pipes that Node makes for a child are sockets, and a socket cannot be opened a second time:
 * `echo x > /dev/stderr` fails in such a child. With named pipes it works. They are made a few at a time, and their
 * names are removed as soon as both ends are open.
 */
import { spawnSync } from "node:child_process";
import { closeSync, constants, openSync, unlinkSync } from "node:fs";
import { Socket } from "node:net";
import { join } from "node:path";
import { findProgram } from "./command.ts";
import { type ContainerUser, giveTo } from "./container-user.ts";

/** Named pipes made by one call of mkfifo. */
const PIPES_PER_BATCH = 32;

export interface OutputPipe {
  /** Where the pipe was made. The kernel still shows this path, followed by " (deleted)". */
  readonly path: string;
  /** The end to hand to a child; close it in this process afterwards. */
  readonly writeFd: number;
  readonly reader: Socket;
}

export interface InputPipe {
  /** The end to hand to a child; close it in this process afterwards. */
  readonly readFd: number;
  readonly writer: Socket;
}

export class OutputPipes {
  readonly #directory: string;
  readonly #user: ContainerUser | undefined;
  readonly #ready: string[] = [];
  #made = 0;

  /** `directory` exists, and no other user may write to it. `user` may open the pipes again. */
  constructor(directory: string, user: ContainerUser | undefined) {
    this.#directory = directory;
    this.#user = user;
  }

  /** @throws Error when no pipe can be made or opened. */
  open(): OutputPipe {
    if (this.#ready.length === 0) this.#make();
    const path = this.#ready.pop()!;
    // Open the reading end first, without waiting, because a pipe opens for writing only if it has a reader.
    const readFd = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
    const reader = new Socket({ fd: readFd, readable: true, writable: false });
    try {
      return { path, writeFd: openSync(path, constants.O_WRONLY), reader };
    } catch (error) {
      reader.destroy();
      throw error;
    } finally {
      unlinkSync(path);
    }
  }

  /** @throws Error when no pipe can be made or opened. */
  openInput(): InputPipe {
    if (this.#ready.length === 0) this.#make();
    const path = this.#ready.pop()!;
    // While it is open for both, opening either end does not block.
    const both = openSync(path, constants.O_RDWR);
    try {
      const readFd = openSync(path, constants.O_RDONLY);
      const writeFd = openSync(path, constants.O_WRONLY | constants.O_NONBLOCK);
      return { readFd, writer: new Socket({ fd: writeFd, readable: false, writable: true }) };
    } finally {
      closeSync(both);
      unlinkSync(path);
    }
  }

  #make(): void {
    const paths = Array.from({ length: PIPES_PER_BATCH }, () => join(this.#directory, `pipe-${this.#made++}`));
    const mkfifo = findProgram("mkfifo");
    if ("error" in mkfifo) throw new Error(`cannot make pipes in ${this.#directory}: ${mkfifo.error}`);
    const { status, stderr, error } = spawnSync(mkfifo.path, ["-m", "600", ...paths], { encoding: "utf8", env: {} });
    if (status !== 0) throw new Error(`cannot make pipes in ${this.#directory}: ${error?.message ?? stderr.trim()}`);
    for (const path of paths) giveTo(this.#user, path);
    this.#ready.push(...paths);
  }
}

/** Closes this process's copy of the ends that a child has. */
export function closeWriteEnds(pipes: readonly OutputPipe[]): void {
  for (const pipe of pipes) closeSync(pipe.writeFd);
}
