/** What arrives over a command that connects to a port, whatever ends first. */
import { once } from "node:events";
import { PassThrough, Writable } from "node:stream";
import { text } from "node:stream/consumers";
import { expect, it, vi } from "vitest";
import type { Command } from "../../../host-node/runtime/command-handle.ts";
import { connectionOver } from "../../../host-node/runtime/port-connection.ts";

/** A command whose ends this test holds. */
function commandOf(stdin: Writable): Command & { readonly stdout: PassThrough } {
  const stdout = new PassThrough();
  return { stdin, stdout, stderr: new PassThrough(), end: new Promise(() => {}), resize: vi.fn(), kill: vi.fn() };
}

/** Takes everything, and keeps it. */
function keeping(): { readonly stdin: Writable; readonly kept: () => string } {
  let kept = "";
  const stdin = new Writable({ write: (chunk: Buffer, _, done) => ((kept += chunk.toString()), done()) });
  return { stdin, kept: () => kept };
}

it("a connection to a port carries both ways, half closed too, and closes when both are over", async () => {
  const { stdin, kept } = keeping();
  const command = commandOf(stdin);
  const connection = connectionOver(command);
  connection.end("hello");
  await once(stdin, "finish");
  expect(kept()).toBe("hello");
  command.stdout.end("HELLO");
  const closed = once(connection, "close");
  expect(await text(connection)).toBe("HELLO");
  await closed;
  expect(command.kill).toHaveBeenCalledOnce();
});

it("a connection to a port loses nothing of an answer when the command has ended before the client reads it", async () => {
  const { stdin } = keeping();
  const command = commandOf(stdin);
  const connection = connectionOver(command);
  connection.write("hello");
  command.stdout.write("HEL");
  // As Node does at the end of a process.
  stdin.destroy();
  await once(stdin, "close");
  command.stdout.end("LO");
  connection.write("never read");
  const closed = once(connection, "close");
  expect(await text(connection)).toBe("HELLO");
  await closed;
});

it("a connection to a port lets a writer wait for a command that does not read, and no longer than the command lasts", async () => {
  const stdin = new Writable({ write: () => {} });
  const command = commandOf(stdin);
  const connection = connectionOver(command);
  const taken = vi.fn();
  connection.write(Buffer.alloc(1_000_000), taken);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(taken).not.toHaveBeenCalled();
  stdin.destroy();
  await expect.poll(() => taken.mock.calls).toHaveLength(1);
  command.stdout.end();
  const closed = once(connection, "close");
  expect(await text(connection)).toBe("");
  await closed;
});

it("a connection to a port continues once for each wait: the end of the command after that is no second time", async () => {
  const { stdin, kept } = keeping();
  stdin.cork();
  const command = commandOf(stdin);
  const connection = connectionOver(command);
  const taken = vi.fn();
  connection.write(Buffer.alloc(1_000_000, "x"), taken);
  await new Promise((resolve) => setTimeout(resolve, 20));
  expect(taken).not.toHaveBeenCalled();
  stdin.uncork();
  await expect.poll(() => taken.mock.calls).toHaveLength(1);
  expect(kept()).toHaveLength(1_000_000);
  stdin.destroy();
  await once(stdin, "close");
  command.stdout.end("answer");
  expect(await text(connection)).toBe("answer");
});

it("a connection to a port ends the command when its client leaves, and that is no error", async () => {
  const { stdin } = keeping();
  const command = commandOf(stdin);
  const connection = connectionOver(command);
  // As a probe that has waited for too long: it does not listen for errors.
  connection.destroy();
  await new Promise((resolve) => connection.once("close", resolve));
  expect(command.kill).toHaveBeenCalledOnce();
});
