/** SPDY/3.1: header blocks, streams, and bytes that no client of Kubernetes sends. */
import { Duplex } from "node:stream";
import { text } from "node:stream/consumers";
import { deflateSync } from "node:zlib";
import { expect, test } from "vitest";
import { DICTIONARY, HeaderReader, HeaderWriter } from "../../../../host-node/server/streams/spdy/header-block.ts";
import {
  MAX_FRAME_BYTES,
  MAX_STREAMS,
  MAX_UNREAD_CONTROL_BYTES,
  SpdySession,
  type SpdyStream,
} from "../../../../host-node/server/streams/spdy/session.ts";

test("the dictionary is the one of the specification", () => {
  expect(DICTIONARY).toHaveLength(1423);
  // zlib writes the check sum of the dictionary, which SPDY/3 fixes, behind its two bytes.
  expect(deflateSync("", { dictionary: DICTIONARY }).subarray(2, 6).toString("hex")).toBe("e3c6a7c2");
});

test("header blocks are read in their order, with what they have in common", () => {
  const [writer, reader] = [new HeaderWriter(), new HeaderReader()];
  const blocks = [
    new Map([
      ["streamtype", "data"],
      ["port", "8080"],
    ]),
    new Map(),
    new Map([
      ["streamtype", "error"],
      ["requestid", "ü"],
    ]),
  ];
  for (const headers of blocks)
    expect([...reader.read(writer.write(headers))].map(([name]) => name)).toEqual([...headers.keys()]);
});

test("a header block that becomes too long is refused", () => {
  const bomb = new HeaderWriter().write(new Map([["a", "x".repeat(1_000_000)]]));
  expect(bomb.length).toBeLessThan(10_000);
  expect(() => new HeaderReader().read(bomb)).toThrow();
  expect(() => new HeaderReader().read(Buffer.from("no zlib at all"))).toThrow();
});

/** A client's end of a connection, and the session at the other end. */
class Client {
  readonly streams: SpdyStream[] = [];
  readonly socket: Duplex;
  readonly #writer = new HeaderWriter();
  received = Buffer.alloc(0);

  constructor(heartbeatMs?: number) {
    this.socket = new Duplex({
      read() {},
      write: (chunk: Buffer, _encoding, done) => {
        this.received = Buffer.concat([this.received, chunk]);
        done();
      },
    });
    new SpdySession(this.socket, (stream) => this.streams.push(stream), heartbeatMs);
  }

  /** Hands bytes over a few at a time, so that frames come in pieces. */
  send(...parts: readonly Buffer[]): this {
    const bytes = Buffer.concat(parts);
    for (let at = 0; at < bytes.length; at += 7) this.socket.push(bytes.subarray(at, at + 7));
    return this;
  }

  open(id: number, headers: Record<string, string>): this {
    return this.send(
      control(1, Buffer.concat([words(id, 0), Buffer.alloc(2), this.#writer.write(new Map(Object.entries(headers)))])),
    );
  }

  async settled(): Promise<this> {
    await new Promise((resolve) => setImmediate(resolve));
    return this;
  }
}

const words = (...values: number[]): Buffer => {
  const bytes = Buffer.alloc(4 * values.length);
  values.forEach((value, i) => bytes.writeUInt32BE(value, 4 * i));
  return bytes;
};
const control = (type: number, body: Buffer): Buffer => Buffer.concat([words(0x80030000 + type, body.length), body]);
const data = (id: number, content: string, isLast = false): Buffer =>
  Buffer.concat([words(id, (isLast ? 0x01000000 : 0) + content.length), Buffer.from(content)]);

test("a client opens streams, and both ends send and half-close", async () => {
  const client = await new Client().open(1, { StreamType: "stdin" }).open(3, { streamtype: "stdout" }).settled();
  const [stdin, stdout] = client.streams;
  expect([stdin!.headers.get("streamtype"), stdout!.headers.get("streamtype")]).toEqual(["stdin", "stdout"]);
  client.send(data(1, "hel"), data(3, "", true), data(1, "lo", true));
  expect([await text(stdin!), await text(stdout!)]).toEqual(["hello", ""]);
  client.received = Buffer.alloc(0);
  stdout!.end("answer");
  await client.settled();
  expect(client.received).toEqual(Buffer.concat([data(3, "answer"), data(3, "", true)]));
});

test("a ping comes back, and settings and window updates ask for nothing", async () => {
  const client = await new Client().send(control(4, words(0)), control(9, words(1, 5)), control(6, words(9))).settled();
  expect(client.received).toEqual(control(6, words(9)));
});

test("the server pings, so that it notices when a client is gone, and leaves the answer alone", async () => {
  const client = new Client(1);
  const first = control(6, words(2));
  while (client.received.length < first.length) await new Promise((resolve) => setTimeout(resolve, 1));
  expect(client.received.subarray(0, first.length)).toEqual(first);
  client.socket.destroy();
  const quiet = new Client();
  expect((await quiet.send(first).settled()).received).toHaveLength(0);
});

test("nothing more is read while a stream has enough", async () => {
  const client = await new Client().open(1, { streamtype: "stdin" }).settled();
  client.send(data(1, "x".repeat(100_000)));
  await client.settled();
  expect(client.socket.isPaused()).toBe(true);
  client.streams[0]!.resume();
  await client.settled();
  expect(client.socket.isPaused()).toBe(false);
});

test("data after the end, or for a stream that is not there, does no harm", async () => {
  const client = await new Client().open(1, { streamtype: "stdin" }).settled();
  client.streams[0]!.resume();
  client.send(data(1, "a", true), data(1, "b", true), data(99, "c"), control(3, words(99, 5)));
  await client.settled();
  expect((await client.open(3, { streamtype: "error" }).settled()).streams).toHaveLength(2);
});

test.each([
  ["a frame that is too long", words(1, MAX_FRAME_BYTES + 1)],
  ["another version", Buffer.concat([words(0x80020001, 4), words(1)])],
  ["a stream without its headers", control(1, words(1))],
  ["headers that are no zlib", control(1, Buffer.concat([words(1, 0), Buffer.from("0123456789abcdef")]))],
  ["a ping that is cut short", control(3, Buffer.alloc(2))],
])("%s ends the connection", async (_what, bytes) => {
  const client = await new Client().open(1, { streamtype: "error" }).settled();
  client.send(bytes);
  await client.settled();
  expect(client.socket.destroyed).toBe(true);
  expect(client.streams[0]!.destroyed).toBe(true);
});

test("one stream too many ends the connection", async () => {
  const client = new Client();
  for (let i = 0; i < MAX_STREAMS; i++) client.open(2 * i + 1, { streamtype: "data" });
  expect((await client.settled()).socket.destroyed).toBe(false);
  client.open(2 * MAX_STREAMS + 1, { streamtype: "data" });
  expect((await client.settled()).socket.destroyed).toBe(true);
});

test("a client that pings and does not read the answers is cut off", async () => {
  const unread = new Duplex({ read() {}, write() {} });
  new SpdySession(unread, () => {});
  const ping = control(6, words(1));
  const pings = (bytes: number): Buffer => Buffer.concat(Array(Math.ceil(bytes / ping.length)).fill(ping));
  unread.push(pings(MAX_UNREAD_CONTROL_BYTES / 2));
  await new Promise((resolve) => setImmediate(resolve));
  expect(unread.destroyed).toBe(false);
  unread.push(pings(MAX_UNREAD_CONTROL_BYTES));
  await new Promise((resolve) => setImmediate(resolve));
  expect(unread.destroyed).toBe(true);
});
