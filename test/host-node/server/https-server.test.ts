/** The HTTPS server in front of a handler: who may talk to it, what it bounds, and that streams are flushed at once. */
import { X509Certificate } from "node:crypto";
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { ServerResponse } from "node:http";
import { Agent, request as httpsRequest } from "node:https";
import { connect as connectTcp, type Socket } from "node:net";
import { connect } from "node:tls";
import { afterAll, beforeAll, beforeEach, describe, expect, it } from "vitest";
import type { ApiRequest, ApiResponse } from "../../../bindings/js/host.ts";
import type { StreamBody } from "../../../cluster/index.ts";
import {
  MAX_BODY_BYTES,
  type RequestHandler,
  type RunningServer,
  startServer,
} from "../../../host-node/server/https-server.ts";
import { MAX_WAITING } from "../../../host-node/server/connection-queue.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { UsageError } from "../../../host-node/usage-error.ts";
import { silentConnectionIsCut } from "./silent-connection.ts";

const TOKEN = "the-token";

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

let server: RunningServer;
let requests: ApiRequest[] = [];
const errors: Error[] = [];
let told: string[] = [];
let answer: RequestHandler["handle"];

beforeAll(async () => {
  const handler: RequestHandler = {
    handle: (request) => {
      requests.push(request);
      return answer(request);
    },
  };
  server = await startServer({
    handler,
    port: 0,
    token: TOKEN,
    clock: new RealClock(),
    onCrowded: (sentence) => told.push(sentence),
    onError: (error) => errors.push(error),
  });
});
afterAll(() => server.close());
beforeEach(() => {
  requests = [];
  told = [];
  answer = (): ApiResponse => ({ status: 200, headers: { "content-type": "application/json" }, body: "{}" });
});

/** Waits until a number no longer changes. */
async function silence(number: () => number): Promise<void> {
  for (let before = -1, unchanged = 0; unchanged < 10; before = number()) {
    unchanged = number() === before ? unchanged + 1 : 0;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

interface Options {
  readonly method?: string;
  readonly path?: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: Uint8Array | string;
  readonly agent?: Agent;
}

function open({ method = "GET", path = "/api", headers = {}, agent }: Options): ReturnType<typeof httpsRequest> {
  return httpsRequest({
    host: "127.0.0.1",
    port: server.port,
    ca: server.authority,
    method,
    path,
    agent: agent ?? false,
    servername: "localhost",
    headers: { authorization: `Bearer ${TOKEN}`, ...headers },
  });
}

function ask(options: Options = {}): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = open(options);
    request.on("error", reject).on("response", (response) => {
      let body = "";
      response.on("data", (chunk: Buffer) => (body += chunk.toString()));
      response.on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body }));
    });
    request.end(options.body);
  });
}

describe("the way to the handler", () => {
  it("carries method, path with query, headers and the very bytes of the body", async () => {
    const body = Uint8Array.of(0x6b, 0x38, 0x73, 0, 255);
    await ask({
      method: "PATCH",
      path: "/apis/batch/v1/namespaces/a/jobs/b?fieldManager=x%2Fy",
      headers: { "content-type": "application/merge-patch+json", accept: "application/json;as=Table" },
      body,
    });
    expect(requests).toHaveLength(1);
    expect(requests[0]).toMatchObject({
      method: "PATCH",
      path: "/apis/batch/v1/namespaces/a/jobs/b?fieldManager=x%2Fy",
    });
    expect(requests[0]!.headers).toMatchObject({
      "content-type": "application/merge-patch+json",
      accept: "application/json;as=Table",
    });
    expect([...(requests[0]!.body as Uint8Array)]).toEqual([...body]);
  });

  it("carries status, headers and body back, several values of a header too", async () => {
    answer = () => ({
      status: 409,
      headers: { "content-type": "application/json", warning: ['299 - "a"', '299 - "b"'] },
      body: '{"reason":"Conflict","message":"ü"}',
    });
    const response = await ask();
    expect(response.status).toBe(409);
    expect(response.headers["warning"]).toBe('299 - "a", 299 - "b"');
    expect(JSON.parse(response.body)).toEqual({ reason: "Conflict", message: "ü" });
  });

  it("carries headers as UTF-8, for warnings name fields as the client wrote them", async () => {
    const warning = '299 - "unknown field \\"spec.ü€😀\\""';
    answer = () => ({ status: 200, headers: { warning: [warning] }, body: "{}" });
    const response = await ask();
    expect(response.status).toBe(200);
    expect(Buffer.from(String(response.headers["warning"]), "latin1").toString()).toBe(warning);
  });

  it("answers 500 after a bug of the handler and continues", async () => {
    answer = () => {
      throw new Error("a bug");
    };
    const response = await ask();
    expect(response.status).toBe(500);
    expect(JSON.parse(response.body)).toMatchObject({ kind: "Status", reason: "InternalError", code: 500 });
    expect(errors.pop()?.message).toBe("a bug");
    answer = () => ({ status: 200, headers: {}, body: "ok" });
    expect((await ask()).status).toBe(200);
  });
});

describe("who may talk to it", () => {
  it.each([
    ["no token", { authorization: "" }],
    ["a wrong token", { authorization: "Bearer the-token-" }],
    ["another scheme", { authorization: `Basic ${TOKEN}` }],
  ])("refuses %s with 401", async (_name, headers) => {
    const response = await ask({ headers });
    expect(response.status).toBe(401);
    expect(JSON.parse(response.body)).toEqual({
      kind: "Status",
      apiVersion: "v1",
      metadata: {},
      status: "Failure",
      message: "Unauthorized",
      reason: "Unauthorized",
      code: 401,
    });
    expect(requests).toEqual([]);
  });

  it("serves its version and health without a token", async () => {
    for (const path of ["/version?timeout=5s", "/version/", "/healthz", "/livez", "/readyz"])
      expect((await ask({ path, headers: { authorization: "" } })).status).toBe(200);
    expect((await ask({ path: "/version/x", headers: { authorization: "" } })).status).toBe(401);
  });

  it.each(["evil.example", "127.0.0.1", "127.0.0.1:1", "0.0.0.0:443"])("refuses the Host %s", async (host) => {
    const response = await ask({ headers: { host } });
    expect(response.status).toBe(403);
    expect(JSON.parse(response.body).message).toContain("the Host header is");
    expect(requests).toEqual([]);
  });

  it("knows itself as localhost too", async () => {
    expect((await ask({ headers: { host: `LOCALHOST:${server.port}` } })).status).toBe(200);
  });

  it("refuses web pages, whatever they know", async () => {
    const foreign = ["https://evil.example", "null", "https://localhost", `http://127.0.0.1:${server.port}`];
    for (const origin of [...foreign, `${server.url}.evil.example`, `${server.url}0`])
      expect((await ask({ method: "POST", headers: { origin }, body: "{}" })).status).toBe(403);
    expect(requests).toEqual([]);
  });

  it("takes its own address for no web page, as Java clients send it", async () => {
    for (const host of ["127.0.0.1", "localhost", "LOCALHOST", "[::1]"]) {
      const origin = `https://${host}:${server.port}`;
      expect((await ask({ method: "POST", headers: { origin }, body: "{}" })).status).toBe(200);
    }
    const origin = server.url;
    expect((await ask({ headers: { origin, host: `evil.example:${server.port}` } })).status).toBe(403);
  });

  it("shows a certificate of a new authority, for loopback names only", async () => {
    const certificate = await new Promise<X509Certificate>((resolve, reject) => {
      const socket = connect(
        { host: "127.0.0.1", port: server.port, ca: server.authority, servername: "localhost" },
        () => {
          resolve(socket.getPeerX509Certificate()!);
          socket.destroy();
        },
      ).once("error", reject);
    });
    const authority = new X509Certificate(server.authority);
    expect(certificate.verify(authority.publicKey)).toBe(true);
    expect(certificate.subjectAltName).toBe("IP Address:127.0.0.1, DNS:localhost");
    expect(certificate.ca).toBe(false);
    expect(authority.ca).toBe(true);
  });
});

describe("limits", () => {
  it("takes a body of 3 MiB and refuses a longer one with 413, announced or not", async () => {
    const whole = new Uint8Array(MAX_BODY_BYTES);
    expect((await ask({ method: "POST", body: whole })).status).toBe(200);
    expect((requests[0]!.body as Uint8Array).length).toBe(MAX_BODY_BYTES);

    const announced = await ask({ method: "POST", body: new Uint8Array(50 * 1024 * 1024) });
    expect(announced.status).toBe(413);
    expect(JSON.parse(announced.body)).toMatchObject({
      reason: "RequestEntityTooLarge",
      message: "Request entity too large: limit is 3145728",
    });

    const chunked = await new Promise<number>((resolve, reject) => {
      const request = open({ method: "POST", headers: { "transfer-encoding": "chunked" } });
      request.on("error", reject).on("response", (response) => resolve(response.resume().statusCode!));
      request.write(new Uint8Array(MAX_BODY_BYTES));
      request.end(new Uint8Array(1));
    });
    expect(chunked).toBe(413);
    expect(requests).toHaveLength(1);
  });

  it("answers 413 to a body of 100 MB at once, and lets its sender continue", async () => {
    const answered = await ask({ method: "POST", body: new Uint8Array(100_000_000) });
    expect(answered.status).toBe(413);
    // Nothing of the body but its announcement has been sent.
    const waiting = open({ method: "POST", headers: { "content-length": "100000000" } });
    expect(
      await new Promise((resolve) => waiting.on("response", (response) => resolve(response.statusCode)).flushHeaders()),
    ).toBe(413);
    waiting.on("error", () => {}).destroy();
  });

  it("does not close the connection under a client that is still sending, though it will be closed", async () => {
    // A client that reads nothing before it has sent everything, as some do.
    const text = await new Promise<string>((resolve, reject) => {
      let all = "";
      const socket = connect(
        { host: "127.0.0.1", port: server.port, ca: server.authority, servername: "localhost" },
        async () => {
          socket.write(
            `POST /api HTTP/1.1\r\nhost: localhost:${server.port}\r\nauthorization: Bearer ${TOKEN}\r\nconnection: close\r\ncontent-length: 8000000\r\n\r\n`,
          );
          for (let sent = 0; sent < 80; sent++) await new Promise((done) => socket.write(Buffer.alloc(100_000), done));
          socket.on("data", (chunk: Buffer) => (all += chunk.toString()));
        },
      );
      socket.on("error", reject).on("end", () => resolve(all));
    });
    expect(text).toMatch(/^HTTP\/1\.1 413 /);
  });

  it.each([
    ["a header of 65 kB", { headers: { x: "y".repeat(66_000) } }, 431, "allowed are 65536"],
    ["a header of 100 kB", { headers: { x: "y".repeat(100_000) } }, 431, "allowed are 65536"],
    ["a header of a megabyte", { headers: { x: "y".repeat(1_000_000) } }, 431, "allowed are 65536"],
    ["an address of 20 kB", { path: `/api?${"y".repeat(20_000)}` }, 414, "has 20005 bytes; allowed are 16384"],
    ["an address of 200 kB", { path: `/api?${"y".repeat(200_000)}` }, 414, "allowed are 16384"],
    [
      "an address of 20 kB without a token",
      { path: `/api?${"y".repeat(20_000)}`, headers: { authorization: "" } },
      414,
      "allowed are 16384",
    ],
    ["an address of a megabyte", { path: `/api?${"y".repeat(1_000_000)}` }, 431, "allowed are 65536"],
  ] as const)("refuses %s with a Status", async (_name, options, code, message) => {
    expect(JSON.parse((await ask(options)).body)).toMatchObject({
      kind: "Status",
      apiVersion: "v1",
      code,
      message: expect.stringContaining(message),
    });
    expect(requests).toEqual([]);
  });
});

describe("limits for clients that are slow or speak no HTTP", () => {
  it("answers what is no HTTP, while more of it comes", async () => {
    const text = await new Promise<string>((resolve, reject) => {
      const socket = connect(
        { host: "127.0.0.1", port: server.port, ca: server.authority, servername: "localhost" },
        () => void socket.write("x".repeat(1_000_000)),
      );
      let all = "";
      socket
        .on("error", reject)
        .on("data", (chunk: Buffer) => (all += chunk.toString()))
        .on("end", () => resolve(all));
    });
    expect(text).toMatch(/^HTTP\/1\.1 400 Bad Request\r\n/);
    expect(JSON.parse(text.split("\r\n\r\n")[1]!)).toMatchObject({ kind: "Status", code: 400 });
  });

  it(
    "cuts a connection on which nothing is said when its time is over",
    () =>
      silentConnectionIsCut(
        () => ask({ path: "/version" }),
        () => connect({ port: server.port, host: "127.0.0.1", rejectUnauthorized: false }),
      ),
    20_000,
  );

  it("tells a stream when its client's buffer is full, and when it has drained", async () => {
    const count = 512;
    let sent = 0;
    answer = () => ({
      status: 200,
      headers: {},
      subscribe: (sink: StreamBody) => {
        const send = (): void => {
          while (sent < count && sink.hasRoom!(send)) sink.data(`${String(sent++).padStart(64 * 1024 - 1, ".")}\n`);
          if (sent === count) sink.end();
        };
        send();
        return () => {};
      },
    });
    const response = await new Promise<import("node:http").IncomingMessage>((resolve) =>
      open({}).on("response", resolve).end(),
    );
    response.pause();
    await silence(() => sent);
    // 32 MiB do not fit into what a connection keeps, so most of it was not made yet.
    expect(sent).toBeLessThan(count / 2);
    let text = "";
    for await (const chunk of response) text += chunk;
    expect(text.match(/\d+\n/g)!.map(Number)).toEqual(Array.from({ length: count }, (_, index) => index));
  });

  it("ends the connection of a client that does not read its stream", async () => {
    let unsubscribed = 0;
    let sink!: StreamBody;
    answer = () => ({
      status: 200,
      headers: {},
      subscribe: (target: StreamBody) => {
        sink = target;
        return () => unsubscribed++;
      },
    });
    const request = open({});
    const response = await new Promise<import("node:http").IncomingMessage>((resolve) =>
      request.on("response", resolve).end(),
    );
    response.pause();
    const closed = new Promise<void>((resolve) => response.on("error", () => {}).on("close", resolve));
    for (let i = 0; i < 64 && unsubscribed === 0; i++) {
      sink.data("x".repeat(1024 * 1024));
      await new Promise((resolve) => setImmediate(resolve));
    }
    response.resume();
    await closed;
    expect(unsubscribed).toBe(1);
  });
});

describe("requests that are sent at once on one connection", () => {
  const send = (count: number): Socket =>
    connect(
      { host: "127.0.0.1", port: server.port, ca: server.authority, servername: "localhost" },
      function (this: Socket) {
        this.write(
          Array.from(
            { length: count },
            (_, n) => `GET /${n} HTTP/1.1\r\nhost: localhost:${server.port}\r\nauthorization: Bearer ${TOKEN}\r\n\r\n`,
          ).join(""),
        );
      },
    ).on("error", () => {});

  it("are answered in their order, one in a turn of the event loop", async () => {
    let inThisTurn = 0;
    let most = 0;
    answer = ({ path }) => {
      if (inThisTurn++ === 0) setImmediate(() => (inThisTurn = 0));
      most = Math.max(most, inThisTurn);
      return { status: 200, headers: {}, body: `<${path}>` };
    };
    const socket = send(MAX_WAITING + 1);
    let text = "";
    await new Promise<void>((resolve) =>
      socket.on("data", (chunk: Buffer) => (text += chunk.toString()).includes(`</${MAX_WAITING}>`) && resolve()),
    );
    expect(text.match(/<\/\d+>/g)).toEqual(Array.from({ length: MAX_WAITING + 1 }, (_, n) => `</${n}>`));
    expect(most).toBe(1);
    socket.destroy();
  });

  it("are no more than a server can keep", async () => {
    const socket = send(500);
    await new Promise((resolve) => socket.on("close", resolve).resume());
    expect(requests.length).toBeLessThanOrEqual(MAX_WAITING + 1);
    expect((await ask()).status).toBe(200);
  });
});

describe("room", () => {
  const silent = (): Socket => connectTcp(server.port, "127.0.0.1").on("error", () => {});
  const connected = (socket: Socket): Promise<unknown> => new Promise((resolve) => socket.once("connect", resolve));
  const neverEnding = (): StreamingAnswer => ({ status: 200, headers: {}, subscribe: () => () => {} });
  type StreamingAnswer = Exclude<ReturnType<RequestHandler["handle"]>, ApiResponse>;

  it("is kept for those who show a token, however many others say nothing", async () => {
    const strangers = Array.from({ length: 600 }, silent);
    await Promise.all(strangers.map(connected));
    for (let n = 0; n < 20; n++) {
      expect((await ask()).status).toBe(200);
      await connected(silent());
    }
    expect(told).toEqual([
      expect.stringMatching(
        /^idle connections were closed to make room for others: \d+; allowed are 128 that have shown no token, and 640 that have$/,
      ),
    ]);
    for (const socket of strangers) socket.destroy();
  });

  /** The tests that follow talk to a server with little room. */
  const inSmallServer = async (test: () => Promise<void>): Promise<void> => {
    const large = server;
    server = await startServer({
      handler: { handle: (asked) => answer(asked) },
      port: 0,
      token: TOKEN,
      clock: new RealClock(),
      limits: { maxConnections: 12, maxStrangers: 8, maxStreams: 6 },
      onCrowded: (sentence) => told.push(sentence),
      onError: (error) => errors.push(error),
    });
    await test().finally(async () => {
      await server.close();
      server = large;
    });
  };

  it("is refused to a watch beyond the limit with 429, and the refusal is logged once", () =>
    inSmallServer(async () => {
      answer = neverEnding;
      const watches = Array.from({ length: 6 }, () => open({ path: "/api/v1/pods?watch=true" }));
      await Promise.all(
        watches.map(
          (watch) => new Promise((resolve, reject) => watch.on("error", reject).on("response", resolve).end()),
        ),
      );
      for (let n = 0; n < 3; n++) {
        const refused = await ask({ path: "/api/v1/pods?watch=true" });
        expect(refused).toMatchObject({ status: 429, headers: { "retry-after": "1" } });
        expect(JSON.parse(refused.body)).toMatchObject({
          kind: "Status",
          reason: "TooManyRequests",
          details: { retryAfterSeconds: 1 },
          code: 429,
          message: "6 watches and followed logs are open, which is the limit of this server; end one and try again",
        });
      }
      expect(told).toEqual(["watches were answered 429, for 6 watches and followed logs are open: 1"]);
      answer = () => ({ status: 200, headers: {}, body: "{}" });
      expect((await ask()).status).toBe(200);
      for (const watch of watches) watch.on("error", () => {}).destroy();
      answer = neverEnding;
      await expect
        .poll(async () => {
          const watch = open({ path: "/api/v1/pods?watch=true" });
          const status = await new Promise((resolve) =>
            watch.on("response", (response) => resolve(response.statusCode)).end(),
          );
          watch.on("error", () => {}).destroy();
          return status;
        })
        .toBe(200);
    }));

  it("is refused with 429 where every connection has a request under way", () =>
    inSmallServer(async () => {
      const waiting = Array.from({ length: 12 }, () =>
        open({ method: "POST", headers: { "content-length": "10" } }).on("error", () => {}),
      );
      // The server has heard of them all when it refuses one.
      for (const request of waiting) request.flushHeaders();
      await expect.poll(async () => (await ask().catch(() => ({ status: 0 }))).status).toBe(429);
      expect(told).toContain("requests were answered 429, for each of 12 connections has one under way: 1");
      for (const request of waiting) request.destroy();
      await expect.poll(async () => (await ask()).status).toBe(200);
    }));
});

describe("streams", () => {
  it("flushes the headers before the first event, each event as it comes, and ends when either side does", async () => {
    let sink: StreamBody | undefined;
    let unsubscribed = 0;
    answer = () => ({
      status: 200,
      headers: { "content-type": "application/json" },
      subscribe: (target: StreamBody) => {
        sink = target;
        return () => unsubscribed++;
      },
    });
    const request = open({ path: "/api/v1/pods?watch=true" });
    const response = await new Promise<import("node:http").IncomingMessage>((resolve) =>
      request.on("response", resolve).end(),
    );
    expect(response.headers["content-type"]).toBe("application/json");

    const next = (): Promise<string> =>
      new Promise((resolve) => response.once("data", (chunk: Buffer) => resolve(chunk.toString())));
    for (const line of ['{"type":"ADDED"}\n', '{"type":"MODIFIED"}\n']) {
      const arrived = next();
      sink!.data(line);
      expect(await arrived).toBe(line);
    }
    const ended = new Promise<void>((resolve) => response.once("end", resolve));
    sink!.end();
    await ended;

    const second = open({ path: "/api/v1/pods?watch=true" });
    await new Promise((resolve) =>
      second
        .on("response", resolve)
        .on("error", () => {})
        .end(),
    );
    const before = unsubscribed;
    second.destroy();
    while (unsubscribed === before) await new Promise((resolve) => setImmediate(resolve));
    expect(unsubscribed).toBe(before + 1);
  });

  it("are the last answer on their connection, and other answers are not", async () => {
    const agent = new Agent({ keepAlive: true });
    const stream = (target: StreamBody): (() => void) => {
      target.data("an event\n");
      target.end();
      return () => {};
    };
    const whole: ApiResponse = { status: 200, headers: {}, body: "{}" };
    answer = ({ path }) => (path.endsWith("?watch=true") ? { status: 200, headers: {}, subscribe: stream } : whole);
    expect((await ask({ agent })).headers["connection"]).toBe("keep-alive");
    const streamed = await ask({ path: "/api/v1/pods?watch=true", agent });
    expect(streamed.body).toBe("an event\n");
    expect(streamed.headers["connection"]).toBe("close");
    agent.destroy();
  });
});

/** The server's side of the next request. */
function nextResponse(): Promise<ServerResponse> {
  return new Promise((resolve) => {
    const hear = (message: unknown): void => {
      unsubscribe("http.server.request.start", hear);
      resolve((message as { response: ServerResponse }).response);
    };
    subscribe("http.server.request.start", hear);
  });
}

it("the server sends the events of a write before the answer to it", async () => {
  let sink: StreamBody | undefined;
  const corked: number[] = [];
  const stream = (target: StreamBody): (() => void) => {
    sink = target;
    return () => {};
  };
  answer = () => ({ status: 200, headers: {}, subscribe: stream });
  const started = nextResponse();
  const watch = open({ path: "/api/v1/pods?watch=true" });
  const watching = new Promise((resolve) => watch.on("error", () => {}).on("response", resolve));
  watch.end();
  await watching;
  const { socket } = await started;
  answer = () => {
    sink!.data('{"type":"ADDED"}\n');
    corked.push(socket!.writableCorked);
    return {
      status: 201,
      headers: {},
      get body() {
        corked.push(socket!.writableCorked);
        return "{}";
      },
    };
  };
  expect((await ask({ method: "POST", body: "{}" })).status).toBe(201);
  // Node keeps the event back to the end of the turn; when the answer is about to go, it is on its way.
  expect(corked[0]).toBe(1);
  expect(corked.at(-1)).toBe(0);
  expect(corked.length).toBeGreaterThan(1);
  watch.destroy();
});

describe("the port", () => {
  it("says that it is in use, and what to do", async () => {
    const failure = await startServer({
      handler: { handle: answer },
      port: server.port,
      token: TOKEN,
      clock: new RealClock(),
      onCrowded: () => {},
      onError: () => {},
    }).catch((error: Error) => error);
    expect(failure).toBeInstanceOf(UsageError);
    expect((failure as Error).message).toBe(
      `port ${server.port} of 127.0.0.1 is in use; name another one with --port (0: any free one)`,
    );
  });
});
