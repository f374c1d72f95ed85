/** The controller's own pages: what each answers to whom, and what it refuses. */
import { request as httpRequest } from "node:http";
import { type AddressInfo, connect, createServer, type Socket } from "node:net";
import { afterEach, describe, expect, it } from "vitest";
import { type Engine, EngineError } from "../../../bindings/js/engine.ts";
import { VirtualClock } from "../../../cluster/time/clock.ts";
import type { FlightRecorder } from "../../../host-node/flight-recorder/flight-recorder.ts";
import { ControllerMetrics } from "../../../host-node/controller/metrics.ts";
import {
  startStatusServer,
  type StatusServer,
  type StatusServerOptions,
} from "../../../host-node/controller/status-server.ts";
import { createLog } from "../../../host-node/log.ts";
import { UsageError } from "../../../host-node/usage-error.ts";
import { silentConnectionIsCut } from "../server/silent-connection.ts";

const engine = {
  memoryBytes: 131_072,
  explain: (namespace: string, job: string, nowMs?: number) => ({
    namespace,
    job,
    found: job === "pi",
    state: "Running",
    sentence: "s",
    nextMs: nowMs ?? null,
    decisions: [],
  }),
  metrics: () => ({
    jobs: 3,
    pods: 7,
    waitingPods: 1,
    requestsUnderWay: 2,
    eventsDropped: 5,
    families: [
      { name: "job_controller_a_total", type: "counter", help: "A", labels: [], samples: [{ labels: [], value: 1 }] },
    ],
  }),
} as unknown as Engine;

let server: StatusServer | undefined;
let lines: Record<string, unknown>[];
afterEach(() => server?.close());

async function start(
  options: Partial<StatusServerOptions> & { readonly leads?: boolean; readonly recorder?: FlightRecorder } = {},
): Promise<void> {
  const { leads = true, recorder } = options;
  lines = [];
  const now = (): Engine | undefined => (leads ? engine : undefined);
  const metrics = new ControllerMetrics({
    engine: options.engine ?? now,
    engineFailures: () => 4,
    maxInFlight: 32,
    isLeading: () => leads,
    leaseName: "stint",
    host: "10.0.0.1:6443",
    recorder,
  });
  metrics.answered("GET", 200, 30);
  metrics.answered("PATCH", 0, 10_000);
  server = await startStatusServer({
    address: { host: "127.0.0.1", port: 0 },
    metrics,
    readiness: () => undefined,
    details: () => "the server keeps managedBy",
    engine: now,
    leader: () => undefined,
    clock: new VirtualClock(7_000),
    log: createLog("info", (line) => lines.push(JSON.parse(line))),
    ...options,
  });
}

interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  readonly body: string;
}

function ask(
  path: string,
  { method = "GET", headers = {}, body }: { method?: string; headers?: Record<string, string>; body?: string } = {},
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const request = httpRequest(`${server!.url}${path}`, { method, headers, agent: false }, (response) => {
      let text = "";
      response
        .on("data", (chunk: Buffer) => (text += chunk.toString()))
        .on("end", () => resolve({ status: response.statusCode!, headers: response.headers, body: text }));
    });
    request.on("error", reject).end(body);
  });
}

describe("pages", () => {
  it("/ lists them", async () => {
    await start();
    expect(await ask("/")).toMatchObject({
      status: 200,
      body: "stint controller\n\n/metrics\n/healthz\n/readyz\n/debug/jobs/NAMESPACE/NAME\n",
    });
  });

  it.each(["/healthz", "/livez", "/healthz?verbose"])("%s answers ok", async (path) => {
    await start({ readiness: () => "anything" });
    expect(await ask(path)).toMatchObject({ status: 200, body: "ok" });
  });

  it("/readyz answers ok, or 503 and what is missing", async () => {
    let missing: string | undefined = "not everything has been listed yet";
    await start({ readiness: () => missing });
    expect(await ask("/readyz")).toMatchObject({
      status: 503,
      body: "not ready: not everything has been listed yet\n",
    });
    missing = undefined;
    expect(await ask("/readyz")).toMatchObject({ status: 200, body: "ok" });
  });

  it("/readyz?verbose adds what is known of the API server", async () => {
    let missing: string | undefined = "it is ending";
    await start({ readiness: () => missing });
    const details = "the server keeps managedBy\n";
    expect(await ask("/readyz?verbose")).toMatchObject({ status: 503, body: `not ready: it is ending\n${details}` });
    missing = undefined;
    expect(await ask("/readyz?verbose=")).toMatchObject({ status: 200, body: `ok\n${details}` });
    expect(await ask("/readyz?terse")).toMatchObject({ status: 200, body: "ok" });
  });

  it("/metrics answers those of the engine, the requests, the election and the process", async () => {
    await start();
    const { status, headers, body } = await ask("/metrics");
    expect({ status, type: headers["content-type"] }).toEqual({
      status: 200,
      type: "text/plain; version=0.0.4; charset=utf-8",
    });
    for (const line of [
      "job_controller_a_total 1",
      'leader_election_master_status{name="stint"} 1',
      "stint_engine_memory_bytes 131072",
      "stint_jobs 3",
      "stint_pods 7",
      "stint_pods_without_job 1",
      "stint_requests_under_way 2",
      "stint_requests_under_way_limit 32",
      "stint_events_dropped_total 5",
      "stint_engine_failures_total 4",
      "# TYPE rest_client_requests_total counter",
      "# TYPE rest_client_request_duration_seconds histogram",
    ]) {
      expect(body).toContain(`\n${line}\n`);
    }
    const requests = [
      '{code="200",method="GET",host="10.0.0.1:6443"} 1',
      '{code="<error>",method="PATCH",host="10.0.0.1:6443"} 1',
    ].map((sample) => `rest_client_requests_total${sample}`);
    for (const line of [
      ...requests,
      'rest_client_request_duration_seconds_bucket{verb="GET",host="10.0.0.1:6443",le="0.1"} 1',
      'rest_client_request_duration_seconds_sum{verb="PATCH",host="10.0.0.1:6443"} 10',
    ]) {
      expect(body).toContain(`\n${line}\n`);
    }
    expect(body).toMatch(/^process_cpu_seconds_total \d/m);
  });

  it("/metrics has the flight recorder, also while this replica does not lead; without one it has nothing of it", async () => {
    const recorder = { isRecording: false, bytes: 1234, lost: 5 } as FlightRecorder;
    await start({ leads: false, recorder });
    const { body } = await ask("/metrics");
    for (const line of [
      ...["stint_recording_active 0", "stint_recording_bytes 1234", "stint_recording_dropped_total 5"],
    ])
      expect(body).toContain(`\n${line}\n`);
    await server?.close();
    await start();
    expect((await ask("/metrics")).body).not.toContain("stint_recording");
  });

  it("/metrics answers without the engine's while this replica does not lead", async () => {
    await start({ leads: false });
    const { status, body } = await ask("/metrics");
    expect(status).toBe(200);
    expect(body).not.toContain("job_controller_a_total");
    expect(body).not.toContain("stint_jobs");
    expect(body).toContain('\nleader_election_master_status{name="stint"} 0\n');
    expect(body).toContain("\nstint_engine_memory_bytes 0\n");
  });

  it("/metrics answers 503 while the engine cannot", async () => {
    await start({
      engine: () =>
        ({
          ...engine,
          metrics: () => {
            throw new EngineError(-1, "the engine stopped");
          },
        }) as unknown as Engine,
    });
    expect(await ask("/metrics")).toMatchObject({
      status: 503,
      body: "the metrics cannot be read: the engine stopped\n",
    });
  });
});

describe("pages about one Job", () => {
  it("/debug/jobs answers with the explanation of a Job, and 404 for one that is not known", async () => {
    await start();
    const known = await ask("/debug/jobs/team/pi");
    expect(known).toMatchObject({ status: 200, headers: { "content-type": "application/json" } });
    expect(JSON.parse(known.body)).toMatchObject({ namespace: "team", job: "pi", found: true, nextMs: 7_000 });
    expect(await ask("/debug/jobs/team/e?x=y")).toMatchObject({ status: 404 });
  });

  it("/debug/jobs answers 503 while this replica does not lead, and says who does", async () => {
    await start({ leads: false, leader: () => "stint-5d4_0a1b" });
    const named = await ask("/debug/jobs/team/pi");
    expect(named.status).toBe(503);
    expect(JSON.parse(named.body)).toMatchObject({
      kind: "Status",
      reason: "ServiceUnavailable",
      message: "this replica does not lead, so it knows no Jobs; stint-5d4_0a1b leads",
    });
    await server!.close();
    await start({ leads: false });
    expect(JSON.parse((await ask("/debug/jobs/team/pi")).body).message).toBe(
      "this replica does not lead, so it knows no Jobs; it knows of no leader",
    );
  });

  it("there is nothing else", async () => {
    await start();
    for (const path of [
      "/debug",
      "/debug/jobs/team",
      "/debug/jobs/team/pi/x",
      "/debug/jobs/team/p%69",
      "/metrics/",
      "//metrics",
    ]) {
      expect(await ask(path), path).toMatchObject({
        status: 404,
        body: "there is no such page; / lists the pages\n",
      });
    }
  });
});

describe("requests", () => {
  it("may only read", async () => {
    await start();
    for (const method of ["POST", "PUT", "PATCH", "DELETE", "OPTIONS"]) {
      expect(await ask("/healthz", { method }), method).toMatchObject({
        status: 405,
        headers: { allow: "GET, HEAD" },
        body: "only GET is allowed here\n",
      });
    }
    expect((await ask("/debug/jobs/team/pi", { method: "POST", body: "{}" })).status).toBe(405);
  });

  it("may ask for the head alone", async () => {
    await start();
    expect(await ask("/healthz", { method: "HEAD" })).toMatchObject({
      status: 200,
      headers: { "content-length": "2" },
      body: "",
    });
  });

  it("may have 16 KiB of headers, and be HTTP", async () => {
    await start();
    expect((await ask("/healthz", { headers: { x: "y".repeat(15 * 1024) } })).status).toBe(200);
    expect((await ask("/healthz", { headers: { x: "y".repeat(17 * 1024) } })).status).toBe(431);
    expect(JSON.parse((await ask("/healthz", { headers: { x: "y".repeat(100 * 1024) } })).body)).toMatchObject({
      kind: "Status",
      code: 431,
      message: expect.stringContaining("allowed are 16384 bytes of headers"),
    });
    expect(JSON.parse((await ask(`/healthz?${"y".repeat(9 * 1024)}`)).body)).toMatchObject({
      code: 414,
      message: expect.stringContaining("allowed are 8192"),
    });
    const answer = await new Promise<string>((resolve, reject) => {
      const socket = connect(Number(new URL(server!.url).port), "127.0.0.1", () => socket.end("no HTTP\r\n\r\n"));
      let text = "";
      socket
        .on("error", reject)
        .on("data", (chunk: Buffer) => (text += chunk.toString()))
        .on("close", () => resolve(text));
    });
    expect(answer).toMatch(/^HTTP\/1\.1 400 /);
    expect((await ask("/healthz")).status).toBe(200);
  });

  it("are never answered from a cache, nor taken for a page", async () => {
    await start();
    expect((await ask("/metrics")).headers).toMatchObject({
      "cache-control": "no-store",
      "x-content-type-options": "nosniff",
    });
  });
});

describe("connections", () => {
  const silent = (): Socket => connect(Number(new URL(server!.url).port), "127.0.0.1").on("error", () => {});

  it("that are idle are closed after the idle timeout", async () => {
    await start();
    await silentConnectionIsCut(() => ask("/healthz"), silent);
  });

  it("that are idle are closed when the limit is reached, counted and logged", async () => {
    await start();
    const open = Array.from({ length: 100 }, silent);
    await Promise.all(open.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    expect((await ask("/healthz")).status).toBe(200);
    expect((await ask("/metrics")).body).toMatch(/^stint_dropped_connections_total [1-9]/m);
    expect(lines).toEqual([
      expect.objectContaining({
        level: "warn",
        allowed: 64,
        closed: 1,
        msg: "idle connections were closed to make room for others",
      }),
    ]);
    for (const socket of open) socket.destroy();
  });
});

describe("the address", () => {
  const WHAT_TO_DO = "name another address with --listen (port 0: any free one; off: none)";

  it("that is in use is refused", async () => {
    const other = createServer();
    await new Promise<void>((resolve) => other.listen(0, "127.0.0.1", resolve));
    const { port } = other.address() as AddressInfo;
    await expect(start({ address: { host: "127.0.0.1", port } })).rejects.toThrow(
      new UsageError(`127.0.0.1:${port} is in use; ${WHAT_TO_DO}`),
    );
    await new Promise((resolve) => other.close(resolve));
  });

  it("that is none of this machine is refused", async () => {
    await expect(start({ address: { host: "192.0.2.1", port: 0 } })).rejects.toThrow(
      new UsageError(`192.0.2.1:0 is not an address of this machine; ${WHAT_TO_DO}`),
    );
    await expect(start({ address: { host: "2001:db8::1", port: 0 } })).rejects.toThrow(/^\[2001:db8::1\]:0 /);
  });

  it("is free again after the end, which cuts what is open", async () => {
    await start();
    const { url } = server!;
    const socket = connect(Number(new URL(url).port), "127.0.0.1");
    await new Promise((resolve) => socket.once("connect", resolve));
    const cut = new Promise((resolve) => socket.once("close", resolve).resume());
    await server!.close();
    await cut;
    await start({ address: { host: "127.0.0.1", port: Number(new URL(url).port) } });
    expect((await ask("/healthz")).status).toBe(200);
  });
});
