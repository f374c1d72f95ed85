/** Watches and logs over a WebSocket: the messages, refusals and ends that clients of a real API server see. */
import { once } from "node:events";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { type RawData, WebSocket } from "ws";
import type { ServerRequest, StreamBody } from "../../../../cluster/index.ts";
import { RealClock } from "../../../../host-node/clock.ts";
import { type RequestHandler, type RunningServer, startServer } from "../../../../host-node/server/https-server.ts";
import { withProtobuf } from "../../../../host-node/server/protobuf.ts";
import { DEFAULT_WATCHES, connectionLimitsFor } from "../../../../host-node/server/connection-limits.ts";
import { Harness } from "../../../cluster/apiserver/harness.ts";

const MAPS = "/api/v1/namespaces/default/configmaps";
const LOG = "/api/v1/namespaces/default/pods/p/log";
const TABLE = "application/json;as=Table;v=v1;g=meta.k8s.io";
const PROTOBUF = "application/vnd.kubernetes.protobuf";

let harness: Harness;
let server: RunningServer;
let handle: RequestHandler["handle"];
const errors: Error[] = [];

async function start(limits = connectionLimitsFor(DEFAULT_WATCHES)): Promise<void> {
  harness = new Harness();
  const cluster = withProtobuf(harness.cluster);
  handle = (request) => cluster.handle(request);
  server = await startServer({
    handler: { handle: (request: ServerRequest) => handle(request) },
    port: 0,
    token: "t",
    limits,
    clock: new RealClock(),
    onCrowded: () => {},
    onError: (error: Error) => void errors.push(error),
  });
}

beforeEach(() => start());
afterEach(async () => {
  await server.close();
  expect(errors.splice(0)).toEqual([]);
});

const write = (method: "POST" | "PUT" | "DELETE", path: string, body?: object): unknown =>
  harness.cluster.handle({
    method,
    path,
    headers: { "content-type": "application/json" },
    ...(body && { body: JSON.stringify(body) }),
  });

interface Asked {
  readonly protocols?: readonly string[];
  readonly headers?: Readonly<Record<string, string>>;
}

/** A client that keeps what it hears. */
class Client {
  readonly socket: WebSocket;
  readonly heard: (string | Buffer)[] = [];

  constructor(path: string, { protocols = [], headers = {} }: Asked = {}) {
    this.socket = new WebSocket(server.url.replace("https", "wss") + path, [...protocols], {
      ca: server.authority,
      headers: { authorization: "Bearer t", ...headers },
    });
    this.socket.on("error", () => {});
    this.socket.on("message", (data: RawData, isBinary) =>
      this.heard.push(isBinary ? (data as Buffer) : (data as Buffer).toString()),
    );
  }

  /** What it has heard once it has so many messages. */
  async messages(count: number): Promise<(string | Buffer)[]> {
    while (this.heard.length < count) await once(this.socket, "message");
    return this.heard;
  }

  /** The code with which the server ends the connection. */
  async end(): Promise<number> {
    return (await once(this.socket, "close"))[0] as number;
  }

  /** The refusal in HTTP. */
  async refusal(): Promise<{ status: number | undefined; body: string }> {
    const [, response] = (await once(this.socket, "unexpected-response")) as [
      unknown,
      import("node:http").IncomingMessage,
    ];
    let body = "";
    for await (const chunk of response) body += String(chunk);
    return { status: response.statusCode, body };
  }
}

interface Event {
  readonly type: string;
  readonly object: { readonly kind: string; readonly metadata: { readonly name: string } };
}

const events = (messages: readonly (string | Buffer)[]): string[] =>
  messages.map((message) => {
    const { type, object } = JSON.parse(message as string) as Event;
    return `${type} ${object.metadata.name ?? object.kind}`;
  });

describe("a watch", () => {
  it("is a text for each event, which ends in a newline", async () => {
    write("POST", MAPS, { metadata: { name: "a" } });
    const client = new Client(`${MAPS}?watch=true`);
    await client.messages(1);
    write("POST", MAPS, { metadata: { name: "b" } });
    write("DELETE", `${MAPS}/a`);
    const messages = await client.messages(3);
    expect(events(messages)).toEqual(["ADDED a", "ADDED b", "DELETED a"]);
    for (const message of messages) expect(message).toMatch(/^\{.*\}\n$/);
  });

  it.each(["1", "True", "t", ""])("is what watch=%s asks for", async (value) => {
    write("POST", MAPS, { metadata: { name: "a" } });
    expect(events(await new Client(`${MAPS}?watch=${value}`).messages(1))).toEqual(["ADDED a"]);
  });

  it("is bytes in protobuf, an event a message without a length before it", async () => {
    write("POST", MAPS, { metadata: { name: "a" } });
    const [message] = await new Client(`${MAPS}?watch=true`, { headers: { accept: PROTOBUF } }).messages(1);
    // Field 1 of a WatchEvent, its type.
    expect((message as Buffer).subarray(0, 7)).toEqual(Buffer.from("\n\x05ADDED"));
  });

  it("is of tables or of metadata where the client likes those", async () => {
    write("POST", MAPS, { metadata: { name: "a" } });
    const kindOf = async (accept: string): Promise<string> => {
      const [message] = await new Client(`${MAPS}?watch=true`, { headers: { accept } }).messages(1);
      return (JSON.parse(message as string) as Event).object.kind;
    };
    expect(await kindOf(TABLE)).toBe("Table");
    expect(await kindOf(TABLE.replace("Table", "PartialObjectMetadata"))).toBe("PartialObjectMetadata");
  });

  it("speaks the one protocol that the client offers, and refuses two", async () => {
    const one = new Client(`${MAPS}?watch=true`, { protocols: ["base64.binary.k8s.io"] });
    await once(one.socket, "open");
    expect(one.socket.protocol).toBe("base64.binary.k8s.io");
    const two = new Client(`${MAPS}?watch=true`, { protocols: ["binary.k8s.io", "base64.binary.k8s.io"] });
    expect((await two.refusal()).status).toBe(400);
  });

  it("ends with its time, normally", async () => {
    const client = new Client(`${MAPS}?watch=true&timeoutSeconds=1`);
    await once(client.socket, "open");
    harness.clock.advance(1_000);
    expect(await client.end()).toBe(1000);
  });

  it("says as an event why it cannot begin, and ends", async () => {
    const client = new Client(`${MAPS}?watch=true&resourceVersion=1&timeoutSeconds=-1`);
    expect(await client.end()).toBe(1000);
    expect(events(client.heard)).toEqual(["ERROR Status"]);
  });

  it("is refused in HTTP before it begins", async () => {
    const refused = async (path: string, asked: Asked = {}): Promise<string> => {
      const { status, body } = await new Client(path, asked).refusal();
      return `${status} ${(JSON.parse(body) as { reason?: string }).reason}`;
    };
    expect(await refused("/api/v1/nothings?watch=true")).toBe("404 NotFound");
    expect(await refused(`${MAPS}?watch=true`, { headers: { accept: "text/plain" } })).toBe("406 NotAcceptable");
    expect(await refused(`${MAPS}?watch=true`, { headers: { authorization: "Bearer x" } })).toBe("401 Unauthorized");
    expect(await refused(`${MAPS}?watch=true`, { headers: { origin: "https://example.com" } })).toBe("403 Forbidden");
  });

  it("that the client leaves is over", async () => {
    const streams: string[] = [];
    handle = () => ({
      status: 200,
      headers: { "content-type": "application/json" },
      subscribe: () => {
        streams.push("begun");
        return () => streams.push("over");
      },
    });
    const client = new Client(`${MAPS}?watch=true`);
    await once(client.socket, "open");
    client.socket.close();
    while (!streams.includes("over")) await new Promise((resolve) => setImmediate(resolve));
    expect(streams).toEqual(["begun", "over"]);
  });

  it("counts among the watches that the server allows", async () => {
    await server.close();
    await start({ ...connectionLimitsFor(DEFAULT_WATCHES), maxStreams: 1 });
    const first = new Client(`${MAPS}?watch=true`);
    await once(first.socket, "open");
    expect(await new Client(`${MAPS}?watch=true`).refusal()).toMatchObject({ status: 429 });
    first.socket.close();
    await first.end();
    let opened = false;
    while (!opened) {
      const next = new Client(`${MAPS}?watch=true`);
      opened = await Promise.race([
        once(next.socket, "open").then(() => true),
        next.refusal().then(({ status }) => (expect(status).toBe(429), false)),
      ]);
    }
  });

  it("waits for a client that does not read", async () => {
    let sink: StreamBody | undefined;
    handle = () => ({
      status: 200,
      headers: { "content-type": "application/json" },
      subscribe: (target: StreamBody) => {
        sink = target;
        return () => {};
      },
    });
    const client = new Client(`${MAPS}?watch=true`);
    await once(client.socket, "open");
    client.socket.pause();
    while (sink === undefined) await new Promise((resolve) => setImmediate(resolve));
    let sent = 0;
    let hasResumed = false;
    while (sink.hasRoom!(() => (hasResumed = true))) {
      sink.data(`${"x".repeat(64 * 1024)}\n`);
      sent++;
      await new Promise((resolve) => setImmediate(resolve));
    }
    expect(hasResumed).toBe(false);
    client.socket.resume();
    await client.messages(sent);
    while (!hasResumed) await new Promise((resolve) => setImmediate(resolve));
    expect(client.heard).toHaveLength(sent);
  });
});

it("answers what is no watch in HTTP, whatever protocol the client would speak", async () => {
  write("POST", MAPS, { metadata: { name: "a" } });
  for (const path of [MAPS, `${MAPS}?watch=false`, `${MAPS}?watch=0`, `${MAPS}/a?watch=true`]) {
    const { status, body } = await new Client(path).refusal();
    expect([status, (JSON.parse(body) as { kind: string }).kind]).toEqual([
      200,
      path.includes("/a?") ? "ConfigMap" : "ConfigMapList",
    ]);
  }
});

describe("a log", () => {
  const textHeaders = { "content-type": "text/plain" };

  it("is bytes after an empty message, and ends with the log", async () => {
    handle = () => ({ status: 200, headers: textHeaders, body: "one\ntwo\n" });
    const client = new Client(LOG);
    expect(await client.end()).toBe(1000);
    expect(client.heard).toEqual([Buffer.alloc(0), Buffer.from("one\ntwo\n")]);
  });

  it("is text in base64 where the client says so, also while it is written", async () => {
    let sink: StreamBody | undefined;
    handle = () => ({
      status: 200,
      headers: textHeaders,
      subscribe: (target: StreamBody) => {
        sink = target;
        return () => {};
      },
    });
    const client = new Client(`${LOG}?follow=true`, { protocols: ["base64.binary.k8s.io"] });
    await client.messages(1);
    sink!.data("one\n");
    sink!.data(Buffer.from("two\n"));
    sink!.end();
    expect(await client.end()).toBe(1000);
    expect(client.heard).toEqual(["", btoa("one\n"), btoa("two\n")]);
  });

  it("is refused in HTTP", async () => {
    expect((await new Client(LOG).refusal()).status).toBe(404);
  });
});
