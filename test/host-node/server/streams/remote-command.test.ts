/** When a command starts in a container: host-node/server/streams/remote-command.ts. */
import { PassThrough } from "node:stream";
import { expect, it } from "vitest";
import type { ContainerCommand } from "../../../../host-node/runtime/container-command.ts";
import type { Channels } from "../../../../host-node/server/streams/channels.ts";
import { carryCommand } from "../../../../host-node/server/streams/remote-command.ts";

class Client {
  close: () => void = () => {};
  resize: (columns: number, rows: number) => void = () => {};
  readonly ended: Promise<object>;
  readonly channels: Channels;

  constructor() {
    let end!: (status: object) => void;
    this.ended = new Promise((resolve) => (end = resolve));
    this.channels = {
      stdin: undefined,
      stdout: undefined,
      stderr: undefined,
      onClose: (listener) => (this.close = listener),
      onResize: (listener) => (this.resize = listener),
      end,
    };
  }
}

/** A command that ends at once, and remembers the size that it got. */
function endedCommand(sizes: string[]): ContainerCommand {
  const [stdout, stderr] = [new PassThrough().end(), new PassThrough().end()];
  const resize = (columns: number, rows: number) => sizes.push(`${columns}x${rows}`);
  return { stdin: undefined, stdout, stderr, resize, end: Promise.resolve(0), kill() {} } as never;
}

it("a remote command waits until the container is ready, and tells the size that came meanwhile", async () => {
  const client = new Client();
  const sizes: string[] = [];
  let asked = 0;
  carryCommand(client.channels, { isReady: () => asked++ >= 3, start: () => endedCommand(sizes) });
  client.resize(80, 24);
  client.resize(132, 43);
  expect(await client.ended).toMatchObject({ status: "Success" });
  expect(sizes).toEqual(["132x43"]);
  expect(asked).toBe(4);
});

it("a remote command starts nothing for a client that has gone meanwhile", async () => {
  const client = new Client();
  let isReady = false;
  let starts = 0;
  const asked = new Promise<void>((resolve) =>
    carryCommand(client.channels, {
      isReady() {
        if (isReady) resolve();
        return isReady;
      },
      start() {
        starts++;
        return endedCommand([]);
      },
    }),
  );
  client.close();
  isReady = true;
  await asked;
  await new Promise((resolve) => setImmediate(resolve));
  expect(starts).toBe(0);
});

it("a remote command says why a command cannot start", async () => {
  const client = new Client();
  const start = (): never => {
    throw new Error("no Perl");
  };
  carryCommand(client.channels, { isReady: () => true, start });
  expect(await client.ended).toMatchObject({
    message: "Internal error occurred: error executing command in container: no Perl",
  });
});
