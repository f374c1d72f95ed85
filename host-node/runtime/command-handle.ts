/** A command that runs in a container, as its caller sees it: streams, an end, and a way to stop it. */
import type { Readable, Writable } from "node:stream";

/** A command that a client has started in a container. */
export interface Command {
  /** Undefined: it was started without. */
  readonly stdin: Writable | undefined;
  readonly stdout: Readable;
  readonly stderr: Readable;
  /** The exit code; 128 + signal for a command that a signal ended. Rejects when the command could not start. */
  readonly end: Promise<number>;
  resize(columns: number, rows: number): void;
  kill(): void;
}
