/** Probes by gRPC: a server of HTTP/2 that answers as the health protocol has it, or otherwise. */
import { createServer, type Http2Server, type ServerHttp2Stream } from "node:http2";
import { type AddressInfo, connect, createServer as createPlainServer } from "node:net";
import { once } from "node:events";
import { expect, onTestFinished, test } from "vitest";
import type { ProbeResult } from "../../../cluster/kubelet/container-runtime.ts";
import type { GRPCAction } from "../../../cluster/values/kinds.ts";
import { probe } from "../../../host-node/runtime/probes.ts";

const POD_IP = "10.0.0.7";

type Answer = (stream: ServerHttp2Stream, question: { readonly path: string; readonly body: Buffer }) => void;

/** @returns its port */
async function serve(answer: Answer): Promise<number> {
  const server = createServer();
  server.on("stream", (stream, headers) => {
    const chunks: Buffer[] = [];
    stream.on("data", (chunk: Buffer) => chunks.push(chunk)).on("error", () => {});
    stream.once("end", () => answer(stream, { path: String(headers[":path"]), body: Buffer.concat(chunks) }));
  });
  return listening(server);
}

async function listening(server: Http2Server | ReturnType<typeof createPlainServer>): Promise<number> {
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  onTestFinished(() => void server.close());
  return (server.address() as AddressInfo).port;
}

/** Answers with these bytes behind the prefix, and then with a code. */
function say(stream: ServerHttp2Stream, message: readonly number[], code = 0, text = ""): void {
  stream.respond({ ":status": 200, "content-type": "application/grpc" }, { waitForTrailers: true });
  stream.once("wantTrailers", () => stream.sendTrailers({ "grpc-status": String(code), "grpc-message": text }));
  stream.end(Buffer.from(code === 0 ? [0, 0, 0, 0, message.length, ...message] : []));
}

function ask(port: number, service?: string, timeoutSeconds = 10): Promise<ProbeResult> {
  const dial = (_podUid: string, wanted: number) => {
    const socket = connect(wanted, "127.0.0.1");
    return once(socket, "connect").then(() => socket);
  };
  const streams = { connect: dial, isReady: () => true, start: () => expect.unreachable() };
  return probe(
    { grpc: { port, ...(service !== undefined && { service }) } as GRPCAction, timeoutSeconds },
    { streams, podUid: "uid", container: { name: "main" }, podIP: POD_IP },
  );
}

test("a server that serves is healthy, as a whole or by the name of a service", async () => {
  const asked: string[] = [];
  const port = await serve((stream, { path, body }) => {
    asked.push(`${path} ${body.toString("hex")}`);
    say(stream, [8, 1]);
  });
  expect(await ask(port)).toEqual({ result: "success", output: "" });
  expect(await ask(port, "web")).toEqual({ result: "success", output: "" });
  expect(asked).toEqual([
    "/grpc.health.v1.Health/Check 0000000000",
    "/grpc.health.v1.Health/Check 00000000050a03776562",
  ]);
});

test("another status is a failure, and so is none", async () => {
  const statuses: [bytes: number[], name: string][] = [
    [[], "UNKNOWN"],
    [[8, 2], "NOT_SERVING"],
    [[8, 3], "SERVICE_UNKNOWN"],
    [[8, 77], "77"],
  ];
  for (const [bytes, name] of statuses)
    expect(await ask(await serve((stream) => say(stream, bytes)))).toEqual({
      result: "failure",
      output: `service unhealthy (responded with "${name}")`,
    });
});

test("a server without the health protocol says so", async () => {
  const port = await serve((stream) => say(stream, [], 12, "unknown service grpc.health.v1.Health"));
  expect((await ask(port)).output).toBe(
    "error: this server does not implement the grpc health protocol (grpc.health.v1.Health): unknown service grpc.health.v1.Health",
  );
});

test("another gRPC error is reported with its code and message", async () => {
  const port = await serve((stream) => say(stream, [], 5, "unknown%20service"));
  expect(await ask(port)).toEqual({
    result: "failure",
    output: "error: health rpc probe failed: rpc error: code = NotFound desc = unknown service",
  });
});

test("a server of HTTP/2 without gRPC fails", async () => {
  const port = await serve((stream) => {
    stream.respond({ ":status": 500 });
    stream.end();
  });
  expect((await ask(port)).output).toMatch(
    "code = Unknown desc = unexpected HTTP status code received from server: 500",
  );
});

test("a server that does not answer in time fails", async () => {
  expect(await ask(await serve(() => {}), undefined, 1)).toEqual({
    result: "failure",
    output: "timeout: health rpc did not complete within 1s",
  });
});

test("a gRPC probe fails where no server listens, and where it does not speak HTTP/2", async () => {
  const silent = createPlainServer((socket) => socket.on("error", () => {}));
  expect((await ask(await listening(silent), undefined, 1)).output).toMatch(
    /^timeout: failed to connect service "10.0.0.7:\d+" within 1s: context deadline exceeded$/,
  );
  const closed = createPlainServer();
  const port = await listening(closed);
  await new Promise((resolve) => closed.close(resolve));
  expect(await ask(port)).toEqual({
    result: "failure",
    output: `error: failed to connect service at "10.0.0.7:${port}": dial tcp 10.0.0.7:${port}: connect: connection refused`,
  });
});
