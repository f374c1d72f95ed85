/** The gate confines what a controller sees, passes everything else on as it is, and holds back what it is asked to. */
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer } from "node:https";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, afterEach, beforeAll, describe, expect, test } from "vitest";
import { createServerCertificate } from "../../host-node/server/certificates.ts";
import { type Gate, type GateOptions, startGate } from "./gate.ts";
import { startGateThread } from "./gate-thread.ts";

const folder = mkdtempSync(join(tmpdir(), "stint-gate-"));
const caFile = join(folder, "ca.pem");
let url: string;
let server: ReturnType<typeof createServer>;
/** What the API server behind the gate was asked: `METHOD path`. */
let asked: string[] = [];
let gate: Gate | undefined;

function answer(request: IncomingMessage, response: ServerResponse): void {
  asked.push(`${request.method} ${request.url}`);
  if (request.url!.includes("watch=1")) {
    // Continues until the other side has had enough.
    response.writeHead(200).write("first line\n");
    return;
  }
  response.writeHead(201, { "x-token": request.headers.authorization ?? "none" });
  request.pipe(response);
}

beforeAll(async () => {
  const { authority, certificate, privateKey } = createServerCertificate(Date.now());
  writeFileSync(caFile, authority);
  server = createServer({ cert: certificate, key: privateKey }, answer).listen(0, "127.0.0.1");
  await once(server, "listening");
  url = `https://127.0.0.1:${(server.address() as AddressInfo).port}`;
});
afterEach(async () => {
  asked = [];
  await gate?.stop();
});
afterAll(() => {
  server.closeAllConnections();
  server.close();
  rmSync(folder, { recursive: true });
});

describe.each([
  ["a gate", startGate],
  ["a gate in a separate thread", startGateThread],
])("%s", (_what, start) => {
  async function through(options: Partial<GateOptions>): Promise<string> {
    gate = await start({ url, caFile, token: "secret", ...options });
    return gate.url;
  }

  test("passes bodies, statuses and headers on, and adds the token", async () => {
    const response = await fetch(`${await through({})}/api/v1/namespaces/a/pods?x=%2F`, {
      method: "POST",
      body: "exactly this",
    });
    expect([response.status, response.headers.get("x-token"), await response.text()]).toEqual([
      201,
      "Bearer secret",
      "exactly this",
    ]);
    expect(asked).toEqual(["POST /api/v1/namespaces/a/pods?x=%2F"]);
  });

  test("confines the collections of all namespaces, and no others", async () => {
    const base = await through({ fieldSelector: "metadata.namespace!=b" });
    for (const path of [
      "/api/v1/pods",
      "/apis/batch/v1/jobs?fieldSelector=a%3Db",
      "/api/v1/namespaces/a/pods",
      "/api/v1/nodes",
    ])
      await fetch(base + path);
    expect(asked.map((line) => decodeURIComponent(line))).toEqual([
      "GET /api/v1/pods?fieldSelector=metadata.namespace!=b",
      "GET /apis/batch/v1/jobs?fieldSelector=a=b,metadata.namespace!=b",
      ...["GET /api/v1/namespaces/a/pods", "GET /api/v1/nodes"],
    ]);
  });

  test("passes a stream on as it comes", async () => {
    const response = await fetch(`${await through({})}/api/v1/pods?watch=1`);
    const reader = response.body!.getReader();
    expect(new TextDecoder().decode((await reader.read()).value)).toBe("first line\n");
    await reader.cancel();
  });

  test("holds writes after the first few, and lets everything else through", async () => {
    const base = await through({ hold: { requests: "^POST .*/pods", after: 1 } });
    const post = (path: string): Promise<unknown> =>
      fetch(base + path, { method: "POST" }).then(
        ({ status }) => status,
        () => "cut",
      );
    expect(await post("/pods/1")).toBe(201);
    const held = post("/pods/2");
    await gate!.held;
    expect(await post("/events")).toBe(201);
    expect((await fetch(`${base}/pods`)).status).toBe(201);
    await gate!.stop();
    gate = undefined;
    expect(await held).toBe("cut");
    expect(asked).toEqual(["POST /pods/1", "POST /events", "GET /pods"]);
  });

  test("holds from another write on", async () => {
    const base = await through({ hold: { requests: "^PUT", armedBy: "^PATCH" } });
    const send = (method: string): Promise<unknown> =>
      fetch(`${base}/x`, { method }).then(
        ({ status }) => status,
        () => "cut",
      );
    expect([await send("PUT"), await send("PATCH")]).toEqual([201, 201]);
    const held = send("PUT");
    await gate!.held;
    await gate!.stop();
    gate = undefined;
    expect(await held).toBe("cut");
    expect(asked).toEqual(["PUT /x", "PATCH /x"]);
  });
});
