/**
 * `exec` and `attach`: joins the channels of a client with a command in a container, or with the container's own
 * streams.
 *
 * Invariant: the client gets all output before it gets the status of the end. When the client goes, the command that it
 * started is ended. An attached client that does not read is cut off at MAX_UNREAD_BYTES, so that no container waits
 * for it. Source: k8s.io/cri-streaming, remotecommand.
 */
import { finished } from "node:stream/promises";
import type { Readable, Writable } from "node:stream";
import { setTimeout as sleep } from "node:timers/promises";
import type { Command } from "../../runtime/command-handle.ts";
import type { Attachment } from "../../runtime/container-streams.ts";
import type { Channels } from "./channels.ts";

/** Bytes of a container's output that may wait for an attached client. */
export const MAX_UNREAD_BYTES = 16 * 1024 * 1024;
/** How long a container may take from its start to its first process. */
const READY_TIMEOUT_MS = 5_000;
const READY_POLL_MS = 20;
const SUCCESS = { metadata: {}, status: "Success" };

/** A container to start a command in. */
export interface CommandPlace {
  /** False: it has just started, and no command can enter it yet. */
  isReady(): boolean;
  /** @throws Error why the command cannot start */
  start(): Command;
}

/** Starts a command as soon as the container is ready, and carries data between it and the client to its end. */
export function carryCommand(channels: Channels, place: CommandPlace): void {
  carry(channels, place).catch((error: Error) =>
    channels.end(internalError(`error executing command in container: ${error.message}`)),
  );
}

async function carry(channels: Channels, place: CommandPlace): Promise<void> {
  let command: Command | undefined;
  let isClosed = false;
  let size: readonly [number, number] | undefined;
  channels.onClose(() => {
    isClosed = true;
    command?.kill();
  });
  channels.onResize((columns, rows) => {
    size = [columns, rows];
    command?.resize(columns, rows);
  });
  for (let waitedMs = 0; !place.isReady() && waitedMs < READY_TIMEOUT_MS; waitedMs += READY_POLL_MS)
    await sleep(READY_POLL_MS);
  if (isClosed) return;
  command = place.start();
  if (size !== undefined) command.resize(...size);
  if (command.stdin !== undefined) feed(channels.stdin, command.stdin);
  const outputs = [join(command.stdout, channels.stdout), join(command.stderr, channels.stderr)];
  const exitCode = await command.end;
  await Promise.all(outputs.map((end) => end()));
  channels.end(exitCode === 0 ? SUCCESS : exitStatus(exitCode));
}

/** Gives a command what the client sends. Input that the command no longer reads is dropped. */
function feed(input: Readable | undefined, stdin: Writable, options?: { readonly end: boolean }): void {
  input?.pipe(stdin, options);
  stdin.once("close", () => input?.resume());
}

/** Joins an output to the client, or drops it. @returns waits until the client has all of it */
function join(output: Command["stdout"], channel: Writable | undefined): () => Promise<void> {
  if (channel === undefined) {
    output.resume();
    return () => Promise.resolve();
  }
  output.pipe(channel);
  const over = finished(channel, { readable: false }).catch(() => {}); // The client is gone.
  return () => {
    channel.end();
    return over;
  };
}

/** Attaches a client, and carries data between it and the container to the end of the container. */
export function carryAttached(channels: Channels, attach: () => Attachment): void {
  try {
    carryAttachment(attach(), channels);
  } catch (error) {
    channels.end(internalError(`error attaching to container: ${(error as Error).message}`));
  }
}

function carryAttachment({ stdin, isInputOnce, resize, listen }: Attachment, channels: Channels): void {
  channels.onResize(resize);
  if (stdin === undefined) channels.stdin?.resume();
  else feed(channels.stdin, stdin, { end: isInputOnce });
  const outputs = { stdout: channels.stdout, stderr: channels.stderr };
  const stop = listen(
    (name, chunk) => {
      const output = outputs[name];
      output?.write(chunk);
      if ((output?.writableLength ?? 0) <= MAX_UNREAD_BYTES) return;
      stop();
      channels.end(internalError(`more than ${MAX_UNREAD_BYTES} bytes of output wait for this client`));
    },
    () => {
      const waiting = Object.values(outputs).flatMap((output) => (output === undefined ? [] : [output]));
      for (const output of waiting) output.end();
      void Promise.allSettled(waiting.map((output) => finished(output, { readable: false }))).then(() =>
        channels.end(SUCCESS),
      );
    },
  );
  channels.onClose(stop);
}

function exitStatus(exitCode: number): object {
  return {
    metadata: {},
    status: "Failure",
    message: `command terminated with non-zero exit code: command terminated with exit code ${exitCode}`,
    reason: "NonZeroExitCode",
    details: { causes: [{ reason: "ExitCode", message: String(exitCode) }] },
  };
}

function internalError(message: string): object {
  return {
    metadata: {},
    status: "Failure",
    message: `Internal error occurred: ${message}`,
    reason: "InternalError",
    details: { causes: [{ message }] },
    code: 500,
  };
}
