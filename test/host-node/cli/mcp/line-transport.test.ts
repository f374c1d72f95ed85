/** Lines that come in pieces, are too long or are no message, and the end of the input. */
import { PassThrough } from "node:stream";
import { setImmediate as turn } from "node:timers/promises";
import { expect, it } from "vitest";
import { VirtualClock } from "../../../../cluster/time/clock.ts";
import { LineTransport, MAX_LINE_BYTES } from "../../../../host-node/cli/mcp/line-transport.ts";

class Connection {
  readonly input = new PassThrough();
  readonly clock = new VirtualClock(0);
  readonly read: unknown[] = [];
  written = "";
  isClosed = false;
  readonly transport: LineTransport;

  constructor() {
    this.transport = new LineTransport(this.input, (text) => (this.written += text), this.clock);
    this.transport.onmessage = (message) => this.read.push(message);
    void this.transport.closed.then(() => (this.isClosed = true));
    void this.transport.start();
  }

  async write(...texts: readonly string[]): Promise<void> {
    for (const text of texts) this.input.write(text);
    await turn();
  }

  get refusals(): readonly object[] {
    return this.written
      .trim()
      .split("\n")
      .map((line) => JSON.parse(line) as object);
  }
}

const ping = (id: number): object => ({ jsonrpc: "2.0", id, method: "ping" });

it("reads a message a line, however the lines arrive", async () => {
  const connection = new Connection();
  const [one, two] = [JSON.stringify(ping(1)), JSON.stringify(ping(2))];
  await connection.write(one.slice(0, 5), `${one.slice(5)}\n\n  \r\n${two}\r`, "\n");
  expect(connection.read).toEqual([ping(1), ping(2)]);
  expect(connection.written).toBe("");
});

it("answers what is no message, and reads on", async () => {
  const connection = new Connection();
  await connection.write("{nope\n", "[]\n", '{"jsonrpc":"2.0","id":7,"method":5}\n', "null\n", '"a"\n');
  await connection.write(`${JSON.stringify(ping(1))}\n`);
  expect(connection.refusals).toMatchObject([
    { jsonrpc: "2.0", id: null, error: { code: -32_700, message: expect.stringMatching(/^a line is no JSON: /) } },
    { id: null, error: { code: -32_600 } },
    { id: 7, error: { code: -32_600 } },
    { id: null, error: { code: -32_600 } },
    { id: null, error: { code: -32_600 } },
  ]);
  expect(connection.read).toEqual([ping(1)]);
});

it("drops a line that is too long, and reads on", async () => {
  const connection = new Connection();
  const padded = (length: number): string => JSON.stringify(ping(1)).padEnd(length);
  await connection.write(padded(MAX_LINE_BYTES), "\n");
  expect(connection.read).toEqual([ping(1)]);
  await connection.write(padded(MAX_LINE_BYTES), " \n", `${JSON.stringify(ping(2))}\n`);
  expect(connection.read).toEqual([ping(1), ping(2)]);
  expect(connection.refusals).toEqual([
    {
      jsonrpc: "2.0",
      id: null,
      error: { code: -32_600, message: "a message has 8388609 bytes; allowed are at most 8388608 (8 MiB)" },
    },
  ]);
});

it("closes when the input ends and every request has its answer", async () => {
  const connection = new Connection();
  await connection.write(`${JSON.stringify(ping(1))}\n${JSON.stringify(ping(2))}\n${JSON.stringify(ping(3))}`);
  connection.input.end();
  await turn();
  expect(connection.read).toEqual([ping(1), ping(2), ping(3)]);
  await connection.transport.send({ jsonrpc: "2.0", id: 1, result: {} });
  await connection.transport.send({ jsonrpc: "2.0", id: 2, error: { code: 1, message: "no" } });
  await turn();
  expect(connection.isClosed).toBe(false);
  await connection.transport.send({ jsonrpc: "2.0", id: 3, result: {} });
  await turn();
  expect(connection.isClosed).toBe(true);
  await connection.transport.send({ jsonrpc: "2.0", id: 3, result: {} });
  expect(connection.refusals).toHaveLength(3);
});

it("waits for no answer to a request that was cancelled", async () => {
  const connection = new Connection();
  const cancelled = { jsonrpc: "2.0", method: "notifications/cancelled", params: { requestId: 1 } };
  await connection.write(`${JSON.stringify(ping(1))}\n${JSON.stringify(cancelled)}\n`);
  connection.input.end();
  await turn();
  expect(connection.isClosed).toBe(true);
});

it("waits for answers only for a while", async () => {
  const connection = new Connection();
  await connection.write(`${JSON.stringify(ping(1))}\n`);
  connection.input.end();
  await turn();
  connection.clock.advance(9_999);
  await turn();
  expect(connection.isClosed).toBe(false);
  connection.clock.advance(1);
  await turn();
  expect(connection.isClosed).toBe(true);
});
