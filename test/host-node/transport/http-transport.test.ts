/**
 * The way to an API server, against an HTTPS server that misbehaves: every request gets one answer in its time, nothing
 * is sent twice, and streams end. Deadlines run on virtual time; the network is real.
 */
import { X509Certificate } from "node:crypto";
import { createServer as createHttpServer, type ServerResponse } from "node:http";
import { type AddressInfo, createServer as createTcpServer, type Socket } from "node:net";
import { constants, gzipSync } from "node:zlib";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { ApiRequest, ApiResponse, Method } from "../../../bindings/js/host.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import { Credentials } from "../../../host-node/transport/credentials.ts";
import {
  HttpTransport,
  type HttpTransportOptions,
  MAX_ANSWER_BYTES,
} from "../../../host-node/transport/http-transport.ts";
import { BUSY_PIECES, PAUSE_MS } from "../../../host-node/transport/paced-reader.ts";
import { ApiStandIn } from "./api-stand-in.ts";
import {
  httpProxy,
  httpProxyTo,
  type ProxyKind,
  ProxyStandIn,
  refusingProxy,
  silentProxy,
  socksProxy,
} from "./proxy-stand-in.ts";

const REQUEST_TIMEOUT_MS = 10_000;
/** Longer than credentials are used without looking again. */
const LATER_MS = 60_000;
const LOST: ApiResponse = { status: 0, headers: {}, body: "" };

/** Timers stand still until the test moves them; what is deferred runs soon, as the network does. */
class NetworkClock extends VirtualClock {
  override defer(callback: () => void): void {
    setImmediate(callback);
  }
}

let clock: NetworkClock;
let server: ApiStandIn;
let transports: HttpTransport[];
let problems: string[];
let counted: string[];

beforeEach(async () => {
  clock = new NetworkClock(0);
  server = await ApiStandIn.start();
  transports = [];
  problems = [];
  counted = [];
});
afterEach(async () => {
  await Promise.all(transports.map((transport) => transport.close()));
  await server.stop();
});

const credentialsOf = (kubeconfig: string): Credentials =>
  Credentials.load({ kubeconfig, context: undefined, environment: {} });

function transportTo(kubeconfig = server.kubeconfig(), options: Partial<HttpTransportOptions> = {}): HttpTransport {
  const transport = new HttpTransport({
    credentials: options.credentials ?? credentialsOf(kubeconfig),
    clock,
    maxConnections: 4,
    requestTimeoutMs: REQUEST_TIMEOUT_MS,
    idleTimeoutMs: 60_000,
    onProblem: (problem: string) => problems.push(problem),
    onAnswer: (method: Method, status: number) => counted.push(`${method} ${status}`),
    ...options,
  });
  transports.push(transport);
  return transport;
}

const get = (path: string): ApiRequest => ({ method: "GET", path, headers: { accept: "application/json" } });

/** Also: `done` never runs inside `send`, and runs once. */
function send(transport: HttpTransport, request: ApiRequest | string): Promise<ApiResponse> {
  return new Promise((resolve, reject) => {
    let hasReturned = false;
    let answers = 0;
    transport.send(typeof request === "string" ? get(request) : request, (response) => {
      if (!hasReturned) reject(new Error("answered inside send"));
      if (++answers > 1) throw new Error("answered twice");
      resolve(response);
    });
    hasReturned = true;
  });
}

const text = ({ body }: ApiResponse): string => Buffer.from(body as Uint8Array).toString();
const paths = (): string[] => server.asked.map(({ path }) => path);

describe("a request", () => {
  it("reaches the server as it is, with the credentials, and its answer comes back byte for byte", async () => {
    const bytes = Uint8Array.of(0x7b, 0, 0xff, 0x7d);
    server.answer = (_request, response) =>
      response.writeHead(409, { "content-type": "application/json", "retry-after": "3" }).end(bytes);
    const response = await send(transportTo(), {
      method: "PATCH",
      path: "/apis/batch/v1/namespaces/a/jobs/b?fieldManager=x%2Fy",
      headers: { "content-type": "application/merge-patch+json", "user-agent": "stint/1" },
      body: bytes,
    });
    expect(server.asked).toHaveLength(1);
    expect(server.asked[0]).toMatchObject({
      method: "PATCH",
      path: "/apis/batch/v1/namespaces/a/jobs/b?fieldManager=x%2Fy",
      body: Buffer.from(bytes),
    });
    expect(server.asked[0]!.headers).toMatchObject({
      authorization: "Bearer t1",
      "content-type": "application/merge-patch+json",
      "user-agent": "stint/1",
      "content-length": "4",
    });
    expect(response).toMatchObject({ status: 409, headers: { "retry-after": "3" } });
    expect([...(response.body as Uint8Array)]).toEqual([...bytes]);
    expect(counted).toEqual(["PATCH 409"]);
    expect(problems).toEqual([]);
  });

  it("prefixes paths with that of a server behind a gateway", async () => {
    await send(
      transportTo(server.kubeconfig({ token: "t1" }, { server: `https://127.0.0.1:${server.port}/k8s/clusters/c-1` })),
      "/api/v1/pods?limit=1",
    );
    expect(paths()).toEqual(["/k8s/clusters/c-1/api/v1/pods?limit=1"]);
  });

  it("takes a connection that is there", async () => {
    const transport = transportTo();
    for (let i = 0; i < 20; i++) expect((await send(transport, `/${i}`)).status).toBe(200);
    // One is not free yet in the moment in which it has brought an answer; then the other is.
    expect(server.sockets.length).toBeLessThanOrEqual(2);
  });

  it("waits while as many as are allowed are under way", async () => {
    const held: ServerResponse[] = [];
    server.answer = (_request, response) => held.push(response);
    const transport = transportTo(undefined, { maxConnections: 3 });
    const answers = Array.from({ length: 12 }, (_, i) => send(transport, `/${i}`));
    for (let done = 0; done < 12; done++) {
      await server.hasBeenAsked(Math.min(12, done + 3));
      held[done]!.end("{}");
    }
    expect((await Promise.all(answers)).map(({ status }) => status)).toEqual(Array(12).fill(200));
    expect(server.mostOpen).toBe(3);
    expect(server.sockets).toHaveLength(3);
  });

  it("ends when its time is over, which runs from when it was handed over, also while it waits for a connection", async () => {
    server.answer = ({ path }, response) => {
      if (path === "/3") response.end("{}");
    };
    const transport = transportTo(undefined, { maxConnections: 1 });
    const first = send(transport, "/1");
    await server.hasBeenAsked(1);
    clock.advance(REQUEST_TIMEOUT_MS - 1);
    const second = send(transport, "/2");
    let isOver = false;
    void first.then(() => (isOver = true));
    await new Promise((resolve) => setImmediate(resolve));
    expect(isOver).toBe(false);
    clock.advance(1);
    expect(await first).toEqual(LOST);
    await server.hasBeenAsked(2); // The connection is free for the second one now.
    clock.advance(REQUEST_TIMEOUT_MS - 1);
    expect(await second).toEqual(LOST);
    expect((await send(transport, "/3")).status).toBe(200);
    expect(paths()).toEqual(["/1", "/2", "/3"]);
    expect(problems).toEqual(["GET /1: no answer within 10 s", "GET /2: no answer within 10 s"]);
    expect(counted).toEqual(["GET 0", "GET 0", "GET 200"]);
  });

  it("that was given up while it waited is never sent, and takes no connection from later ones", async () => {
    server.answer = ({ path }, response) => {
      if (path === "/3") response.end("{}");
    };
    const transport = transportTo(undefined, { maxConnections: 1 });
    const all = ["/1", "/2", "/2"].map((path) => send(transport, path));
    await server.hasBeenAsked(1);
    clock.advance(REQUEST_TIMEOUT_MS);
    expect(await Promise.all(all)).toEqual([LOST, LOST, LOST]);
    await send(transport, "/3");
    expect(paths()).toEqual(["/1", "/3"]);
    expect(server.connections).toBe(2);
  });

  it("ends when only a part of its answer came in its time", async () => {
    server.answer = (_request, response) => response.writeHead(200, { "content-length": 10 }).write("{");
    const answer = send(transportTo(), "/1");
    await server.hasBeenAsked(1);
    clock.advance(REQUEST_TIMEOUT_MS);
    expect(await answer).toEqual(LOST);
  });

  it.each<readonly [string, (response: ServerResponse) => void]>([
    ["before the answer", (response) => response.socket!.destroy()],
    [
      "in the middle of the answer",
      (response) => response.writeHead(200, { "content-length": 10 }).write("{", () => response.socket!.destroy()),
    ],
    [
      "in the middle of a chunked answer",
      (response) => response.writeHead(201).write("{", () => response.socket!.destroy()),
    ],
  ])("is answered with status 0 and not sent again when the connection is cut %s", async (_when, cut) => {
    server.answer = ({ path }, response) => (path === "/cut" ? cut(response) : void response.end("{}"));
    const transport = transportTo();
    expect(await send(transport, { ...get("/cut"), method: "POST", body: "{}" })).toEqual(LOST);
    expect((await send(transport, "/next")).status).toBe(200);
    expect(paths()).toEqual(["/cut", "/next"]);
    expect(problems).toHaveLength(1);
    expect(problems[0]).toMatch(/^POST \/cut: /);
  });
});

describe("a request", () => {
  it("is sent once at most when the server closes a connection that was idle", async () => {
    server.answer = (_request, response) => response.end("{}", () => response.socket!.destroy());
    const transport = transportTo(undefined, { maxConnections: 1 });
    for (let i = 0; i < 20; i++) await send(transport, { ...get(`/${i}`), method: "POST", body: "{}" });
    expect(new Set(paths()).size).toBe(paths().length);
  });

  it("with a header that cannot be sent takes no connection from later ones", async () => {
    server.write("token", "t1\u0000");
    const transport = transportTo(server.kubeconfig({ tokenFile: "token" }), { maxConnections: 1 });
    for (const path of ["/1", "/2"]) expect(await send(transport, path)).toEqual(LOST);
    server.write("token", "t1");
    clock.advance(LATER_MS);
    expect((await send(transport, "/3")).status).toBe(200);
    expect(paths()).toEqual(["/3"]);
  });

  it("that deletes something with a body leaves the connection to the next one", async () => {
    const transport = transportTo(undefined, { maxConnections: 1 });
    for (const path of ["/1", "/2"]) await send(transport, { ...get(path), method: "DELETE", body: "{}" });
    expect(server.sockets).toHaveLength(1);
  });

  it("reports an exception of the caller's callback to the process, not to the connection", async () => {
    const others = process.listeners("uncaughtException");
    process.removeAllListeners("uncaughtException");
    const thrown = new Promise((resolve) => process.once("uncaughtException", resolve));
    const transport = transportTo(undefined, { maxConnections: 1 });
    transport.send(get("/1"), () => {
      throw new Error("by the caller");
    });
    expect(await thrown).toMatchObject({ message: "by the caller" });
    for (const other of others) process.on("uncaughtException", other);
    expect((await send(transport, "/2")).status).toBe(200);
    expect(problems).toEqual([]);
  });

  it("whose connection is still being opened ends with it when the transport is closed", async () => {
    const silent = createTcpServer();
    await new Promise<void>((resolve) => silent.listen(0, "127.0.0.1", resolve));
    const { port } = silent.address() as AddressInfo;
    const transport = transportTo(server.kubeconfig({ token: "t1" }, { server: `https://127.0.0.1:${port}` }));
    const opened = new Promise<Socket>((resolve) => silent.once("connection", resolve));
    const answer = send(transport, "/1");
    const socket = (await opened).on("error", () => {}).resume();
    const gone = new Promise((resolve) => socket.once("close", resolve));
    await transport.close();
    expect(await answer).toEqual(LOST);
    await gone;
    await new Promise((resolve) => silent.close(resolve));
  });

  it("with an answer that is too long is given up", async () => {
    const chunk = Buffer.alloc(1024 * 1024);
    let isCut = false;
    server.answer = (_request, response) => {
      response.on("close", () => (isCut = true));
      const more = (): void => {
        while (!isCut && response.write(chunk));
        if (!isCut) response.once("drain", more);
      };
      more();
    };
    const transport = transportTo();
    expect(await send(transport, "/long?limit=500")).toEqual(LOST);
    expect(problems).toEqual([`GET /long: the answer is longer than ${MAX_ANSWER_BYTES} bytes`]);
  });

  it("to a server that is not there ends with status 0, and so do those behind it", async () => {
    const kubeconfig = server.kubeconfig({ token: "t1" }, { server: "https://127.0.0.1:1" });
    const transport = transportTo(kubeconfig, { maxConnections: 1 });
    expect(await Promise.all([send(transport, "/1"), send(transport, "/2")])).toEqual([LOST, LOST]);
    expect(problems).toEqual(["GET /1: connect ECONNREFUSED 127.0.0.1:1", "GET /2: connect ECONNREFUSED 127.0.0.1:1"]);
  });

  it("to a server that is not the one of the kubeconfig ends with status 0, and tells no token", async () => {
    const other = createServerCertificate(Date.now());
    for (const trusted of [other.authority, other.certificate]) {
      const transport = transportTo(
        server.kubeconfig({ token: "t1" }, { "certificate-authority-data": Buffer.from(trusted).toString("base64") }),
      );
      expect(await send(transport, "/1")).toEqual(LOST);
      expect(server.asked).toEqual([]);
      expect(problems.join()).toMatch(/certificate/);
    }
  });

  it("trusts the certificate of the server itself in the place of an authority, as Go's clients do", async () => {
    const itself = { "certificate-authority-data": Buffer.from(server.certificate).toString("base64") };
    const transport = transportTo(server.kubeconfig({ token: "t1" }, itself));
    expect(await send(transport, "/1")).toMatchObject({ status: 200 });
    expect(problems).toEqual([]);
  });

  it("with credentials that cannot be read or used ends with status 0", async () => {
    server.write("token", "t1");
    const transport = transportTo(server.kubeconfig({ tokenFile: "token" }));
    server.write("token", "t1\u0000hunter2");
    expect(await send(transport, "/1")).toEqual(LOST);
    const garbled = transportTo(
      server.kubeconfig({ "client-certificate-data": "aHVudGVyMg==", "client-key-data": "aHVudGVyMg==" }),
    );
    expect(await send(garbled, "/2")).toEqual(LOST);
    const missing = transportTo(
      server.kubeconfig({ "client-certificate": "missing.crt", "client-key": "missing.key" }),
    );
    expect(await send(missing, "/3")).toEqual(LOST);
    expect(problems).toHaveLength(3);
    expect(problems[2]).toMatch(/^GET \/3: the credentials cannot be read: .*missing\.crt/);
    expect(problems.join()).not.toContain("hunter2");
    expect(server.asked).toEqual([]);
  });

  it("is answered with status 0 when the transport is closed meanwhile, or was before", async () => {
    server.answer = () => {};
    const transport = transportTo();
    const answer = send(transport, "/1");
    await server.hasBeenAsked(1);
    await transport.close();
    expect(await answer).toEqual(LOST);
    expect(await send(transport, "/2")).toEqual(LOST);
    expect(paths()).toEqual(["/1"]);
  });
});

describe("credentials that rotate", () => {
  it("a client certificate that was changed on disk leads to new connections, and the old ones end", async () => {
    const [first, second] = [createServerCertificate(Date.now()), createServerCertificate(Date.now())];
    const put = ({ certificate, privateKey }: typeof first): void => {
      server.write("tls.crt", certificate);
      server.write("tls.key", privateKey);
    };
    put(first);
    const transport = transportTo(server.kubeconfig({ "client-certificate": "tls.crt", "client-key": "tls.key" }));
    await send(transport, "/1");
    put(second);
    await send(transport, "/2"); // Not looked at yet.
    clock.advance(LATER_MS);
    const oldEnd = Promise.all(server.sockets.map((socket) => new Promise((resolve) => socket.once("close", resolve))));
    await send(transport, "/3");
    await send(transport, "/4");
    const fingerprints = [first, second].map(({ certificate }) => new X509Certificate(certificate).fingerprint256);
    expect(server.asked.map(({ fingerprint }) => fingerprints.indexOf(fingerprint!))).toEqual([0, 0, 1, 1]);
    await oldEnd;
  });

  it("a token is read again after a 401, by every transport of the same credentials", async () => {
    const isCurrent = (authorization: string | undefined): boolean => authorization === "Bearer t2";
    server.answer = ({ headers }, response) => response.writeHead(isCurrent(headers.authorization) ? 200 : 401).end();
    server.write("token", "t1\n");
    const credentials = credentialsOf(server.kubeconfig({ tokenFile: "token" }));
    const [one, other] = [transportTo("", { credentials }), transportTo("", { credentials })];
    expect((await send(one, "/1")).status).toBe(401);
    server.write("token", "t2\n");
    expect((await send(other, "/2")).status).toBe(200);
    expect((await send(one, "/3")).status).toBe(200);
  });

  it("what is asked for at once is read once", async () => {
    const transport = transportTo();
    await Promise.all(["/1", "/2", "/3"].map((path) => send(transport, path)));
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer t1", "Bearer t1", "Bearer t1"]);
  });
});

/** A stream's life as a list, and when it has a certain length. */
class Heard {
  readonly events: string[] = [];
  #waiting: { readonly count: number; readonly resolve: () => void }[] = [];
  readonly sink = {
    open: ({ status }: Omit<ApiResponse, "body">): void => this.#hear(`open ${status}`),
    data: (chunk: Uint8Array | string): void => this.#hear(`data ${Buffer.from(chunk as Uint8Array).toString()}`),
    end: (error?: ApiResponse): void =>
      this.#hear(
        error === undefined ? "end" : `end ${error.status} ${Buffer.from(error.body as Uint8Array).toString()}`,
      ),
  };

  has(count: number): Promise<void> {
    return new Promise((resolve) => {
      if (this.events.length >= count) resolve();
      else this.#waiting.push({ count, resolve });
    });
  }

  #hear(event: string): void {
    this.events.push(event);
    for (const { count, resolve } of this.#waiting) if (this.events.length >= count) resolve();
  }
}

function open(transport: HttpTransport, path = "/watch"): { heard: Heard; close: () => void } {
  const heard = new Heard();
  return { heard, close: transport.stream(get(path), heard.sink) };
}

/** A stream that is busy, so that it is read in large pieces from now on. Everything else is answered at once. */
async function openBusy(
  transport: HttpTransport,
  gotData: (text: string, close: () => void) => void = () => {},
): Promise<{ watch: ServerResponse; heard: Heard; close: () => void }> {
  let watch!: ServerResponse;
  server.answer = ({ path }, response) => {
    if (path !== "/watch") return void response.end("{}");
    watch = response;
    response.flushHeaders();
  };
  const heard = new Heard();
  const data = (bytes: Uint8Array | string): void => {
    heard.sink.data(bytes);
    gotData(Buffer.from(bytes as Uint8Array).toString(), close);
  };
  const close = transport.stream(get("/watch"), { ...heard.sink, data });
  await heard.has(1);
  for (let i = 1; i <= BUSY_PIECES; i++) {
    watch.write("busy\n");
    await heard.has(1 + i);
  }
  return { watch, heard, close };
}

async function rests(count: number): Promise<void> {
  for (let i = 0; i < count; i++) {
    clock.advance(PAUSE_MS);
    await new Promise((resolve) => setImmediate(resolve));
  }
}

describe("a stream", () => {
  it("soon hands on what comes, for as long as it likes, and its end", async () => {
    let watch!: ServerResponse;
    server.answer = (_request, response) => {
      watch = response;
      response.flushHeaders();
    };
    const { heard } = open(transportTo(undefined, { idleTimeoutMs: 101 * REQUEST_TIMEOUT_MS }));
    await heard.has(1);
    clock.advance(100 * REQUEST_TIMEOUT_MS); // The time-out of a request is for the headers alone.
    watch.write('{"type":');
    await heard.has(2);
    watch.write('"ADDED"}\n');
    await heard.has(3);
    watch.end("{}\n");
    await heard.has(5);
    expect(heard.events).toEqual(["open 200", 'data {"type":', 'data "ADDED"}\n', "data {}\n", "end"]);
    expect(problems).toEqual([]);
  });

  it("is read in large pieces while it is busy", async () => {
    const { watch, heard } = await openBusy(transportTo());
    const lines = Array.from({ length: 40 }, (_, i) => `${i}\n`);
    for (const line of lines) await new Promise((resolve) => watch.write(line, resolve));
    await send(transportTo(), "/after"); // The lines have arrived by now.
    expect(heard.events).toHaveLength(1 + BUSY_PIECES);
    watch.end();
    while (heard.events.at(-1) !== "end") await rests(1);
    const pieces = heard.events.slice(1 + BUSY_PIECES, -1);
    expect(pieces.map((piece) => piece.slice("data ".length)).join("")).toBe(lines.join(""));
    expect(pieces.length).toBeLessThan(10);
  });

  it("is counted once, when its status is known, with the time until then", async () => {
    let watch!: ServerResponse;
    server.answer = (_request, response) => void (watch = response);
    const answers: unknown[] = [];
    const { heard } = open(transportTo(undefined, { onAnswer: (...answer) => answers.push(answer) }));
    await server.hasBeenAsked(1);
    clock.advance(7);
    expect(answers).toEqual([]);
    watch.flushHeaders();
    await heard.has(1);
    expect(answers).toEqual([["GET", 200, 7]]);
    clock.advance(1_000);
    watch.end("{}\n");
    await heard.has(3);
    expect(answers).toHaveLength(1);
  });

  it("is counted with status 0 when it gets no answer, and not at all when it is closed before", async () => {
    server.answer = (_request, response) => response.socket!.destroy();
    const transport = transportTo();
    const { heard } = open(transport);
    await heard.has(1);
    expect(counted).toEqual(["GET 0"]);
    server.answer = () => {};
    const { close } = open(transport);
    await server.hasBeenAsked(2);
    close();
    await transport.close();
    expect(counted).toEqual(["GET 0"]);
  });

  it("takes none of the connections of requests", async () => {
    server.answer = ({ path }, response) => (path === "/watch" ? response.flushHeaders() : void response.end("{}"));
    const transport = transportTo(undefined, { maxConnections: 1 });
    const streams = [open(transport), open(transport), open(transport)];
    await Promise.all(streams.map(({ heard }) => heard.has(1)));
    expect((await send(transport, "/1")).status).toBe(200);
    for (const { close } of streams) close();
  });
});

describe("a stream", () => {
  it.each([401, 410, 422, 500])("that is refused with %i ends with the whole answer", async (status) => {
    server.answer = (_request, response) =>
      response.writeHead(status).write('{"kind":', () => response.end('"Status"}'));
    const { heard } = open(transportTo());
    await heard.has(1);
    expect(heard.events).toEqual([`end ${status} {"kind":"Status"}`]);
    expect(counted).toEqual([`GET ${status}`]);
    expect(problems).toEqual([]);
  });

  it("that is refused at great length ends with status 0", async () => {
    server.answer = (_request, response) => response.writeHead(500).end(Buffer.alloc(2 * 1024 * 1024));
    const { heard } = open(transportTo());
    await heard.has(1);
    expect(heard.events).toEqual(["end 0 "]);
    expect(problems).toEqual(["GET /watch: status 500 with more than 1048576 bytes"]);
  });

  it("that is refused with 401 leads to credentials that are read again", async () => {
    server.answer = ({ headers }, response) =>
      response.writeHead(headers.authorization === "Bearer t2" ? 200 : 401).end();
    const transport = transportTo(server.kubeconfig({ token: "t1" }));
    server.kubeconfig({ token: "t2" });
    const { heard } = open(transport);
    await heard.has(1);
    expect(heard.events).toEqual(["end 401 "]);
    expect((await send(transport, "/1")).status).toBe(200);
  });

  it("that never begins ends with status 0 when the time of a request is over", async () => {
    server.answer = () => {};
    const { heard } = open(transportTo());
    await server.hasBeenAsked(1);
    clock.advance(REQUEST_TIMEOUT_MS);
    await heard.has(1);
    expect(heard.events).toEqual(["end 0 "]);
    expect(problems).toEqual(["GET /watch: no answer within 10 s"]);
  });

  it("that is cut ends with status 0", async () => {
    server.answer = (_request, response) => response.write("{}\n", () => response.socket!.destroy());
    const { heard } = open(transportTo());
    await heard.has(3);
    expect(heard.events).toEqual(["open 200", "data {}\n", "end 0 "]);
    expect(problems).toHaveLength(1);
  });

  it("that falls silent ends with status 0", async () => {
    let watch!: ServerResponse;
    server.answer = (_request, response) => {
      watch = response;
      response.write("{}\n");
    };
    const { heard } = open(transportTo(undefined, { idleTimeoutMs: 60_000 }));
    await heard.has(2);
    clock.advance(59_999);
    watch.write("{}\n");
    await heard.has(3);
    clock.advance(59_999);
    expect(heard.events).toEqual(["open 200", "data {}\n", "data {}\n"]);
    clock.advance(1);
    expect(heard.events.slice(3)).toEqual(["end 0 "]);
    expect(problems).toEqual(["GET /watch: nothing was heard for 60 s"]);
  });

  it("that is closed is heard of no more, and its connection goes", async () => {
    const transport = transportTo();
    const { watch, heard, close } = await openBusy(transport);
    const gone = new Promise((resolve) => watch.once("close", resolve));
    watch.write("late\n");
    await send(transportTo(), "/after"); // It has arrived by now, and waits.
    close();
    await gone;
    await rests(4);
    expect(heard.events.slice(1 + BUSY_PIECES)).toEqual([]);
    expect(problems).toEqual([]);
  });

  it.each<[string, (watch: ServerResponse, transport: HttpTransport) => unknown]>([
    ["ends", (watch) => watch.end()],
    ["is cut", (watch) => watch.socket!.destroySoon()],
    ["loses its transport", (_watch, transport) => transport.close()],
  ])("that %s while it rests hands on what had come before", async (what, end) => {
    const transport = transportTo();
    const { watch, heard } = await openBusy(transport);
    watch.write("late\n");
    await send(transportTo(), "/after"); // It has arrived by now, and waits.
    await end(watch, transport);
    while (!heard.events.at(-1)!.startsWith("end")) await rests(1);
    expect(heard.events.slice(1 + BUSY_PIECES)).toEqual(["data late\n", what === "ends" ? "end" : "end 0 "]);
  });

  it("that the reader of its last bytes closes has no end", async () => {
    const transport = transportTo();
    const { watch, heard } = await openBusy(transport, (text, close) => {
      if (text === "late\n") close();
    });
    watch.write("late\n");
    await send(transportTo(), "/after"); // It has arrived by now, and waits.
    await transport.close();
    await rests(2);
    expect(heard.events.slice(1 + BUSY_PIECES)).toEqual(["data late\n"]);
  });

  it("that is closed before it began is never opened", async () => {
    const transport = transportTo();
    const { heard, close } = open(transport);
    close();
    await send(transport, "/1");
    clock.advance(REQUEST_TIMEOUT_MS);
    expect(paths()).toEqual(["/1"]);
    expect(heard.events).toEqual([]);
  });

  it("ends with status 0 when the transport is closed, also on connections of earlier credentials", async () => {
    const [first, second] = [createServerCertificate(Date.now()), createServerCertificate(Date.now())];
    server.write("tls.crt", first.certificate);
    server.write("tls.key", first.privateKey);
    server.answer = ({ path }, response) => (path === "/watch" ? response.flushHeaders() : void response.end("{}"));
    const kubeconfig = server.kubeconfig({ "client-certificate": "tls.crt", "client-key": "tls.key" });
    const transport = transportTo(kubeconfig, { idleTimeoutMs: 2 * LATER_MS });
    const { heard } = open(transport);
    await heard.has(1);
    server.write("tls.crt", second.certificate);
    server.write("tls.key", second.privateKey);
    clock.advance(LATER_MS);
    await send(transport, "/1");
    expect(heard.events).toEqual(["open 200"]); // It continues.
    await transport.close();
    await heard.has(2);
    expect(heard.events).toEqual(["open 200", "end 0 "]);
  });
});

describe("a connection", () => {
  let proxy: ProxyStandIn;
  afterEach(() => proxy.stop());
  const through = async (kind: ProxyKind): Promise<number> => (proxy = await ProxyStandIn.start(kind)).port;
  const kindOf = (protocol: string): ProxyKind => (protocol === "http" ? httpProxy : socksProxy);

  it("may lead through a proxy", async () => {
    const port = await through(httpProxy);
    const transport = transportTo(
      server.kubeconfig({ token: "t1" }, { "proxy-url": `http://me:pw@127.0.0.1:${port}` }),
    );
    expect(text(await send(transport, "/1"))).toBe("{}");
    expect((await send(transport, "/2")).status).toBe(200);
    expect(new Set(proxy.reached)).toEqual(
      new Set([`127.0.0.1:${server.port} Basic ${Buffer.from("me:pw").toString("base64")}`]),
    );
    expect(server.asked.map(({ headers }) => headers.authorization)).toEqual(["Bearer t1", "Bearer t1"]);
  });

  it("may lead through a proxy to an address of IPv6", async () => {
    const port = await through(httpProxyTo(server.port));
    const cluster = { server: "https://[::1]:6443", "tls-server-name": "localhost" };
    const transport = transportTo(
      server.kubeconfig({ token: "t1" }, { ...cluster, "proxy-url": `http://127.0.0.1:${port}` }),
    );
    expect(text(await send(transport, "/1"))).toBe("{}");
    expect(proxy.reached).toEqual(["[::1]:6443"]);
  });

  it("is lost at a proxy that refuses, or is not there, with the reason", async () => {
    const port = await through(refusingProxy);
    const transport = transportTo(server.kubeconfig({ token: "t1" }, { "proxy-url": `http://127.0.0.1:${port}` }));
    expect(await send(transport, "/1")).toEqual(LOST);
    expect(
      await send(transportTo(server.kubeconfig({ token: "t1" }, { "proxy-url": "http://127.0.0.1:1" })), "/2"),
    ).toEqual(LOST);
    expect(problems).toHaveLength(2);
    expect(problems[0]).toContain("407");
    expect(problems[1]).toContain("ECONNREFUSED");
  });

  it.each(["socks5", "socks5h"])("may lead through a proxy of %s", async (protocol) => {
    const port = await through(socksProxy);
    const transport = transportTo(
      server.kubeconfig({ token: "t1" }, { "proxy-url": `${protocol}://127.0.0.1:${port}` }),
    );
    expect(text(await send(transport, "/1"))).toBe("{}");
    expect(proxy.reached).toEqual([String(server.port)]);
  });

  it.each(["127.0.0.1", "localhost"])(
    "is not made to a server at another address than its certificate has, also behind a proxy at %s",
    async (host) => {
      const port = await through(socksProxy);
      // The certificate of the server is for 127.0.0.1 and localhost.
      const cluster = { server: `https://127.0.0.2:${server.port}`, "proxy-url": `socks5://${host}:${port}` };
      expect(await send(transportTo(server.kubeconfig({ token: "t1" }, cluster)), "/1")).toEqual(LOST);
      expect(server.asked).toEqual([]);
      const named = { ...cluster, "tls-server-name": "localhost" };
      expect(text(await send(transportTo(server.kubeconfig({ token: "t1" }, named)), "/2"))).toBe("{}");
    },
  );

  it.each(["http", "socks5"])(
    "through a proxy of %s is kept while a stream is silent for longer than a connection may take",
    async (protocol) => {
      const port = await through(kindOf(protocol));
      let watch!: ServerResponse;
      server.answer = (_request, response) => {
        watch = response;
        response.flushHeaders();
      };
      const kubeconfig = server.kubeconfig({ token: "t1" }, { "proxy-url": `${protocol}://127.0.0.1:${port}` });
      const heard = new Heard();
      // Libraries have this limit as real time.
      transportTo(kubeconfig, { requestTimeoutMs: 200 }).stream(get("/watch"), heard.sink);
      await heard.has(1);
      await new Promise((resolve) => setTimeout(resolve, 400));
      watch.end("{}\n");
      await heard.has(3);
      expect(heard.events).toEqual(["open 200", "data {}\n", "end"]);
    },
  );

  it.each(["http", "socks5"])("through a proxy of %s that says nothing is given up in time", async (protocol) => {
    const port = await through(silentProxy);
    const kubeconfig = server.kubeconfig({ token: "t1" }, { "proxy-url": `${protocol}://127.0.0.1:${port}` });
    // The clock stands still: what ends this is the limit for a connection.
    expect(await send(transportTo(kubeconfig, { requestTimeoutMs: 100 }), "/1")).toEqual(LOST);
    expect(problems).toHaveLength(1);
  });

  it("may be without TLS, where the kubeconfig says so", async () => {
    const port = await through((reached) =>
      createHttpServer((request, response) => {
        reached.push(`${request.url} ${request.headers.authorization}`);
        response.end("{}");
      }),
    );
    const transport = transportTo(
      server.kubeconfig(
        { token: "t1" },
        {
          server: `http://127.0.0.1:${port}`,
          "insecure-skip-tls-verify": true,
          "certificate-authority-data": undefined,
        },
      ),
    );
    expect(text(await send(transport, "/1"))).toBe("{}");
    expect(proxy.reached).toEqual(["/1 Bearer t1"]);
  });
});

describe("a compressed answer", () => {
  const GZIP = { "content-type": "application/json", "content-encoding": "gzip" };
  const compressed = (body: string | Buffer): void => {
    server.answer = (_request, response) => void response.writeHead(200, GZIP).end(body);
  };

  it("is asked for by reads alone, unless the kubeconfig forbids it", async () => {
    const transport = transportTo();
    await send(transport, "/read");
    const { heard } = open(transport);
    await heard.has(1);
    await send(transport, { method: "POST", path: "/write", headers: {}, body: "{}" });
    await send(transportTo(server.kubeconfig({ token: "t1" }, { "disable-compression": true })), "/plain");
    expect(server.asked.map(({ path, headers }) => [path, headers["accept-encoding"]])).toEqual([
      ["/read", "gzip"],
      ["/watch", "gzip"],
      ["/write", undefined],
      ["/plain", undefined],
    ]);
  });

  it("comes as it was before, without a word of its compression", async () => {
    const list = JSON.stringify({ items: Array(1_000).fill("a pod") });
    const bytes = gzipSync(list);
    server.answer = (_request, response) =>
      void response.writeHead(200, { ...GZIP, "content-length": bytes.length, "retry-after": "3" }).end(bytes);
    const answer = await send(transportTo(), "/list");
    expect(text(answer)).toBe(list);
    expect(answer.headers).toMatchObject({ "content-type": "application/json", "retry-after": "3" });
    expect(Object.keys(answer.headers)).not.toContain("content-encoding");
    expect(Object.keys(answer.headers)).not.toContain("content-length");
    expect(problems).toEqual([]);
  });

  it("may be empty", async () => {
    compressed("");
    expect(await send(transportTo(), "/list")).toMatchObject({ status: 200, body: Buffer.alloc(0) });
  });

  it.each<[string, string | Buffer, string]>([
    [
      "is cut",
      gzipSync("x".repeat(100)).subarray(0, 20),
      "the compressed answer cannot be read: unexpected end of file",
    ],
    ["is not compressed", "{}", "the compressed answer cannot be read: incorrect header check"],
    [
      "would be too long",
      gzipSync(Buffer.alloc(MAX_ANSWER_BYTES + 1)),
      `the answer is longer than ${MAX_ANSWER_BYTES} bytes`,
    ],
  ])("that %s counts as lost, and leaves the connection to the next request", async (_what, body, problem) => {
    compressed(body);
    const transport = transportTo();
    expect(await send(transport, "/list")).toEqual(LOST);
    expect(problems).toEqual([`GET /list: ${problem}`]);
    compressed(gzipSync("{}"));
    expect(text(await send(transport, "/list"))).toBe("{}");
  });

  it("that comes when its time is over is not given twice", async () => {
    compressed(gzipSync(Buffer.alloc(MAX_ANSWER_BYTES)));
    const answer = send(transportTo(), "/list");
    await server.hasBeenAsked(1);
    clock.advance(REQUEST_TIMEOUT_MS);
    expect(await answer).toEqual(LOST);
  });
});

describe("a compressed stream", () => {
  const event = (name: string): string => `{"type":"ADDED","object":{"metadata":{"name":"${name}"}}}\n`;
  const said = ({ events }: Heard): string =>
    events
      .filter((line) => line.startsWith("data "))
      .map((line) => line.slice("data ".length))
      .join("");

  /** It may be silent while the virtual time of rests passes. */
  async function begun(): Promise<{ watch: ServerResponse; heard: Heard }> {
    const transport = transportTo(undefined, { idleTimeoutMs: 1_000_000 * PAUSE_MS });
    let watch!: ServerResponse;
    server.answer = ({ path }, response) => {
      if (path !== "/watch") return void response.end("{}");
      watch = response;
      response.writeHead(200, { "content-encoding": "gzip" }).flushHeaders();
    };
    const { heard } = open(transport);
    await heard.has(1);
    return { watch, heard };
  }

  async function ended({ events }: Heard): Promise<void> {
    while (!events.at(-1)!.startsWith("end")) await rests(1);
  }

  it("is handed on event by event, each in its own member", async () => {
    const { watch, heard } = await begun();
    for (const [index, name] of ["a", "b", "c"].entries()) {
      watch.write(gzipSync(event(name)));
      await heard.has(2 + index);
    }
    watch.end();
    await heard.has(5);
    expect(heard.events).toEqual(["open 200", ...["a", "b", "c"].map((name) => `data ${event(name)}`), "end"]);
    expect(problems).toEqual([]);
  });

  it("may be one member, which is flushed after each event", async () => {
    const { watch, heard } = await begun();
    const flushed = gzipSync(event("a"), { finishFlush: constants.Z_SYNC_FLUSH });
    watch.write(flushed);
    await heard.has(2);
    expect(said(heard)).toBe(event("a"));
    watch.write(gzipSync(event("a") + event("b")).subarray(flushed.length));
    await heard.has(2);
  });

  it("is the same wherever its chunks are cut, with any number of events in each", async () => {
    const names = Array.from({ length: 12 }, (_, index) => `pod-${index}`);
    const members = Buffer.concat([
      gzipSync(names.slice(0, 3).map(event).join("")),
      ...names.slice(3).map((name) => gzipSync(event(name))),
    ]);
    for (const size of [1, 7, 18, 64, members.length]) {
      const { watch, heard } = await begun();
      for (let at = 0; at < members.length; at += size)
        await new Promise((resolve) => watch.write(members.subarray(at, at + size), resolve));
      watch.end();
      await ended(heard);
      expect(said(heard)).toBe(names.map(event).join(""));
    }
    expect(problems).toEqual([]);
  });

  it("that ends before its first event has a clean end", async () => {
    const { watch, heard } = await begun();
    watch.end();
    await heard.has(2);
    expect(heard.events).toEqual(["open 200", "end"]);
  });

  it.each<[string, Buffer, string]>([
    ["ends within a member", gzipSync(event("b")).subarray(0, 30), "unexpected end of file"],
    ["continues with something else", Buffer.from("plain text\n"), "incorrect header check"],
    ["has a fault", gzipSync(event("b")).fill(0xff, 12, 40), "invalid "],
  ])("that %s hands on what came before, and counts as lost", async (_what, bytes, problem) => {
    const { watch, heard } = await begun();
    watch.write(gzipSync(event("a")));
    await heard.has(2);
    watch.end(bytes);
    await ended(heard);
    expect(heard.events.slice(0, 2)).toEqual(["open 200", `data ${event("a")}`]);
    expect(heard.events.at(-1)).toBe("end 0 ");
    expect(problems).toEqual([expect.stringContaining(`GET /watch: the compressed answer cannot be read: ${problem}`)]);
  });

  it("that continues after zeros counts as lost", async () => {
    const { watch, heard } = await begun();
    watch.write(Buffer.concat([gzipSync(event("a")), Buffer.alloc(3)]));
    await heard.has(3);
    expect(heard.events).toEqual(["open 200", `data ${event("a")}`, "end 0 "]);
    expect(problems).toEqual(["GET /watch: the compressed answer continues after its end"]);
  });

  it("that is cut hands on what came before", async () => {
    const { watch, heard } = await begun();
    watch.write(gzipSync(event("a")), () => watch.socket!.destroySoon());
    await heard.has(3);
    expect(heard.events).toEqual(["open 200", `data ${event("a")}`, "end 0 "]);
    expect(problems).toHaveLength(1);
  });

  it("is read in pieces, and no further than its reader likes", async () => {
    const limit = 1024 * 1024;
    let taken = 0;
    let longest = 0;
    server.answer = (_request, response) =>
      void response.writeHead(200, { "content-encoding": "gzip" }).end(gzipSync(Buffer.alloc(256 * limit)));
    await new Promise<void>((resolve) => {
      const close = transportTo().stream(get("/watch"), {
        open: () => {},
        data: (bytes) => {
          taken += bytes.length;
          longest = Math.max(longest, bytes.length);
          if (taken < limit) return;
          close();
          resolve();
        },
        end: () => {},
      });
    });
    await send(transportTo(), "/after");
    expect(taken).toBe(limit);
    expect(longest).toBeLessThanOrEqual(64 * 1024);
  });

  it("is decoded to the end when its reader is slower than the network", async () => {
    const events = Array.from({ length: 40_000 }, (_, index) => event(`pod-${index}`));
    const { watch, heard } = await begun();
    for (let at = 0; at < events.length; at += 100) watch.write(gzipSync(events.slice(at, at + 100).join("")));
    watch.end();
    await ended(heard);
    expect(said(heard)).toBe(events.join(""));
    expect(problems).toEqual([]);
  });

  it("that is refused is read whole", async () => {
    server.answer = (_request, response) =>
      void response.writeHead(410, { "content-encoding": "gzip" }).end(gzipSync("too old"));
    const { heard } = open(transportTo());
    await heard.has(1);
    expect(heard.events).toEqual(["end 410 too old"]);
  });
});
