/** The webhook over HTTPS: what is answered to whom, what is bounded, and what is counted and logged. */
import { X509Certificate } from "node:crypto";
import { connect, type Socket } from "node:net";
import { connect as connectTls } from "node:tls";
import { afterEach, beforeAll, beforeEach, describe, expect, it } from "vitest";
import { Engine, EngineError, MAX_REVIEW_BYTES } from "../../../bindings/js/engine.ts";
import { RealClock } from "../../../host-node/clock.ts";
import { type EngineModule, loadEngineModule } from "../../../host-node/engine-module.ts";
import { createLog } from "../../../host-node/log.ts";
import { createServerCertificate } from "../../../host-node/server/certificates.ts";
import type { ServerCertificate } from "../../../host-node/server/server-certificate.ts";
import type { CertificatePair } from "../../../host-node/webhook/certificate-files.ts";
import { type Profile, readProfile } from "../../../host-node/webhook/profile.ts";
import { WebhookMetrics } from "../../../host-node/webhook/metrics.ts";
import { Reviewer, type ReviewingEngine } from "../../../host-node/webhook/reviewer.ts";
import {
  MAX_BODY_BYTES_AT_ONCE,
  WebhookServer,
  type WebhookServerOptions,
} from "../../../host-node/webhook/webhook-server.ts";
import { silentConnectionIsCut } from "../server/silent-connection.ts";
import { type Answer, answerTo, ask, certificateAt, open, type RequestOptions } from "./https-client.ts";
import { job, responseIn, reviewOf } from "./reviews.ts";

const NOT_AFTER_MS = 2_000_000_000_000;

let module: EngineModule;
let certificate: ServerCertificate;
beforeAll(async () => {
  module = await loadEngineModule();
  certificate = createServerCertificate(Date.now());
});

const pair = ({ certificate, privateKey }: ServerCertificate): CertificatePair => ({
  certificate,
  privateKey,
  notAfterMs: NOT_AFTER_MS,
});

let clock: RealClock;
let lines: Record<string, unknown>[];
let server: WebhookServer;
let missing: string | undefined;
let profiles: ReadonlyMap<string, Profile>;
/** What the engine does beside reviewing. */
let onReview: (text: string) => void;

async function start(changes: Partial<WebhookServerOptions> = {}): Promise<void> {
  const reviewer = new Reviewer(async (): Promise<ReviewingEngine> => {
    const engine = await Engine.create(module.module);
    return {
      memoryBytes: 65_536,
      lint: (question, nowMs) => engine.lint(question, nowMs),
      forecast: (question, nowMs) => engine.forecast(question, nowMs),
      review: (input) => {
        onReview(new TextDecoder().decode(input));
        return engine.review(input);
      },
    };
  });
  server = await WebhookServer.start({
    clock,
    reviewer,
    address: { host: "127.0.0.1", port: 0 },
    certificate: pair(certificate),
    requestTimeoutMs: 20_000,
    readiness: () => missing,
    profiles: () => profiles,
    metrics: new WebhookMetrics({
      engineMemoryBytes: () => reviewer.memoryBytes,
      certificateNotAfterMs: () => NOT_AFTER_MS,
    }),
    log: createLog("debug", (line) => lines.push(JSON.parse(line) as Record<string, unknown>)),
    ...changes,
  });
}
beforeEach(async () => {
  clock = new RealClock();
  lines = [];
  missing = undefined;
  profiles = new Map();
  onReview = () => {};
  await start();
});
afterEach(async () => {
  await server.close(0);
  clock.stop();
});

const post = (path: string, body: string | Uint8Array, options: RequestOptions = {}): Promise<Answer> =>
  ask(server.url + path, certificate.authority, { body, ...options });
const get = (path: string, method = "GET"): Promise<Answer> =>
  ask(server.url + path, certificate.authority, { method });
async function sample(name: string): Promise<string[]> {
  return (await get("/metrics")).body.split("\n").filter((line) => line.startsWith(name));
}

const BAD = job({ spec: { completions: -1 } });

describe("reviews", () => {
  it("are answered, validating and mutating, with and without the API server's time-out in the path", async () => {
    for (const path of ["/validate", "/validate?timeout=10s", "/mutate?timeout=30s", "/mutate?other=1"]) {
      const { status, headers, body } = await post(path, reviewOf(job()));
      expect({ status, type: headers["content-type"], cache: headers["cache-control"] }).toEqual({
        status: 200,
        type: "application/json",
        cache: "no-store",
      });
      expect(responseIn(body)).toMatchObject({ uid: "the-review", allowed: true });
    }
  });

  it("come in several pieces, and without a length", async () => {
    const text = Buffer.from(reviewOf(BAD));
    const request = open(`${server.url}/validate`, certificate.authority, {
      headers: { "content-type": "application/json; charset=utf-8" },
    });
    const answer = answerTo(request);
    for (const byte of [text.subarray(0, 7), text.subarray(7, 8), text.subarray(8)])
      await new Promise((resolve) => request.write(byte, resolve));
    request.end();
    expect(responseIn((await answer).body)).toMatchObject({ allowed: false, status: { code: 422 } });
  });

  it("are under way at once, each with its own answer", async () => {
    const answers = await Promise.all(
      Array.from({ length: 50 }, (_, i) => post("/validate", reviewOf(i % 2 === 0 ? job() : BAD))),
    );
    expect(answers.map(({ body }) => responseIn(body).allowed)).toEqual(answers.map((_, i) => i % 2 === 0));
  });
});

describe("a profile in the path", () => {
  const withProfiles = (): void => {
    profiles = new Map(
      Object.entries({
        strict: "rule: [NoDeadline=deny, NoTimeToLive=off]\nmaxPods: 5",
        advise: "forecast: warning",
      }).map(([name, text]) => [name, readProfile(name, `${name}.yaml`, text)]),
    );
  };

  it("is applied, with the API server's time-out behind it", async () => {
    withProfiles();
    const { body } = await post("/validate/strict?timeout=10s", reviewOf(job()));
    expect(responseIn(body)).toMatchObject({ allowed: false, status: { reason: "Invalid", code: 422 } });
    expect(responseIn((await post("/validate/advise", reviewOf(job()))).body).warnings).toHaveLength(3);
    expect(responseIn((await post("/validate", reviewOf(job()))).body)).toEqual({ uid: "the-review", allowed: true });
  });

  it("is counted by its rules, and logged without anything of the object but kind, name and fields", async () => {
    withProfiles();
    for (const path of ["/validate/strict", "/validate/advise", "/mutate/strict"]) await post(path, reviewOf(job()));
    await post("/validate/strict", reviewOf(BAD));
    expect((await sample("stint_webhook_findings_total")).toSorted()).toEqual([
      'stint_webhook_findings_total{profile="advise",rule="NoDeadline",action="warn"} 1',
      'stint_webhook_findings_total{profile="advise",rule="NoTimeToLive",action="warn"} 1',
      'stint_webhook_findings_total{profile="strict",rule="NoDeadline",action="deny"} 1',
      'stint_webhook_findings_total{profile="strict",rule="Refused",action="deny"} 1',
      'stint_webhook_findings_total{profile="strict",rule="maxPods",action="deny"} 1',
    ]);
    expect(lines.filter(({ msg }) => msg === "denied")).toEqual([
      expect.objectContaining({
        level: "info",
        phase: "validate",
        profile: "strict",
        uid: "the-review",
        kind: "Job",
        name: "pi",
        fields: ["spec.activeDeadlineSeconds", "spec.backoffLimit"],
        rules: ["NoDeadline", "maxPods"],
      }),
      expect.objectContaining({ profile: "strict", fields: ["spec.completions"], rules: ["Refused"] }),
    ]);
    expect(JSON.stringify(lines)).not.toMatch(/SECRET|example\.com/);
  });

  it("is an error where there are no profiles", async () => {
    const { status, body } = await post("/validate/strict", reviewOf(job()));
    expect([status, (JSON.parse(body) as { message: string }).message]).toEqual([
      404,
      'no profile has the name "strict", which is in the path; there is none (--profiles)',
    ]);
  });
});

describe("a request that is refused says why", () => {
  it.each<[string, number, string, RequestOptions]>([
    ["/validate", 405, "the method is GET; allowed is POST, with an AdmissionReview", { method: "GET" }],
    ["/mutate", 405, "the method is PUT; allowed is POST, with an AdmissionReview", { method: "PUT" }],
    [
      "/validate",
      415,
      'the content type is "text/plain"; allowed is application/json',
      { headers: { "content-type": "text/plain" } },
    ],
    [
      "/validate",
      415,
      'the content type is "application/jsonx"; allowed is application/json',
      { headers: { "content-type": "application/jsonx" } },
    ],
    ["/validate", 400, "the review cannot be read: ", { body: "{" }],
  ])("%s: %i %s", async (path, status, sentence, options) => {
    const answer = await post(path, "", options);
    expect(answer).toMatchObject({
      status,
      headers: { "content-type": "application/json", ...(status === 405 && { allow: "POST" }) },
    });
    expect(JSON.parse(answer.body)).toMatchObject({
      kind: "Status",
      apiVersion: "v1",
      status: "Failure",
      code: status,
      reason: expect.stringMatching(/^[A-Z]/),
      message: expect.stringContaining(sentence),
    });
  });

  it("also one that is too long, announced or not, and continues", async () => {
    const body = expect.stringContaining(
      '"message":"the request is longer than 8388608 bytes, which is the most that is read"',
    ) as string;
    const long = Buffer.alloc(MAX_REVIEW_BYTES + 1, " ");
    expect(await post("/validate", long, { headers: { "content-length": long.length } })).toMatchObject({
      status: 413,
      body,
    });
    expect(await post("/validate", long, { headers: { "transfer-encoding": "chunked" } })).toMatchObject({
      status: 413,
      body,
    });
    expect(await post("/validate", reviewOf(job()).padEnd(MAX_REVIEW_BYTES))).toMatchObject({ status: 200 });
    expect(await post("/validate", "{}", { headers: { x: "y".repeat(100 * 1024) } })).toMatchObject({
      status: 431,
      body: expect.stringContaining("allowed are 16384 bytes of headers"),
    });
    expect(await post(`/validate?${"y".repeat(9 * 1024)}`, "{}")).toMatchObject({
      status: 414,
      body: expect.stringContaining("allowed are 8192"),
    });
  });

  it("also one that would be too much at once, until others are through", async () => {
    const length = MAX_REVIEW_BYTES;
    const waiting = Array.from({ length: MAX_BODY_BYTES_AT_ONCE / length }, () =>
      open(`${server.url}/validate`, certificate.authority, { headers: { "content-length": length } }),
    );
    for (const request of waiting) request.on("error", () => {}).flushHeaders();
    await expect
      .poll(() => post("/validate", reviewOf(job())))
      .toMatchObject({
        status: 503,
        headers: { "retry-after": "1" },
        body: expect.stringContaining("too much is under way: allowed are 67108864 bytes in all requests together"),
      });
    for (const request of waiting) request.destroy();
    await expect.poll(() => post("/validate", reviewOf(job()))).toMatchObject({ status: 200 });
  });

  it("also one that does not arrive in time: within nine tenths of what the API server waits", async () => {
    const request = open(`${server.url}/validate?timeout=100ms`, certificate.authority, {
      headers: { "content-length": 10 },
    });
    const answer = answerTo(request);
    request.write("{");
    expect(await answer).toMatchObject({
      status: 408,
      headers: { connection: "close" },
      body: expect.stringContaining("the request did not arrive within 90 ms"),
    });
    expect(await sample("stint_webhook_requests_total")).toEqual([
      'stint_webhook_requests_total{phase="validate",code="408"} 1',
    ]);
  });

  it("or within the time-out of the settings, if that is less", async () => {
    await server.close(0);
    await start({ requestTimeoutMs: 40 });
    const request = open(`${server.url}/mutate?timeout=10s`, certificate.authority, {
      headers: { "content-length": 10 },
    });
    const answer = answerTo(request);
    request.flushHeaders();
    expect(await answer).toMatchObject({
      status: 408,
      body: expect.stringContaining("the request did not arrive within 40 ms"),
    });
  });
});

describe("connections", () => {
  const port = (): number => Number(new URL(server.url).port);

  it("that are idle are closed after the idle timeout", () =>
    silentConnectionIsCut(
      () => get("/healthz"),
      () => connectTls({ port: port(), host: "127.0.0.1", rejectUnauthorized: false }),
    ));

  it("that are idle are closed when the limit is reached, counted and logged", async () => {
    const silent = Array.from({ length: 600 }, (): Socket => connect(port(), "127.0.0.1").on("error", () => {}));
    await Promise.all(silent.map((socket) => new Promise((resolve) => socket.once("connect", resolve))));
    expect(await post("/validate", reviewOf(job()))).toMatchObject({ status: 200 });
    expect(await sample("stint_dropped_connections_total")).toEqual([expect.stringMatching(/ [1-9]\d*$/)]);
    expect(lines.filter(({ level }) => level === "warn")).toEqual([
      expect.objectContaining({
        maxStrangers: 128,
        maxAdmitted: 384,
        closed: 1,
        msg: "idle connections were closed to make room for others",
      }),
    ]);
    for (const socket of silent) socket.destroy();
  });
});

describe("an engine that traps", () => {
  it("fails that request with 500 and no other", async () => {
    onReview = (text) => {
      if (text.includes("trap"))
        throw new EngineError(-1, "the engine stopped: unreachable; discard it and list again");
    };
    const answers = await Promise.all(
      ["pi", "trap", "pi"].map((name) => post("/validate", reviewOf(job({ metadata: { name } })))),
    );
    expect(answers.map(({ status }) => status)).toEqual([200, 500, 200]);
    expect(JSON.parse(answers[1]!.body)).toMatchObject({
      kind: "Status",
      reason: "InternalError",
      message: "the request could not be reviewed: the engine stopped: unreachable; discard it and list again",
    });
    expect(await sample("stint_webhook_engine_failures_total")).toEqual(["stint_webhook_engine_failures_total 1"]);
    expect(lines.filter(({ level }) => level === "error")).toEqual([
      expect.objectContaining({
        phase: "validate",
        status: 500,
        msg: "the engine has failed on a request, and is replaced",
      }),
    ]);
  });
});

describe("pages", () => {
  it.each([
    ["/", 200, "stint webhook\n\nPOST /validate\nPOST /mutate\n/metrics\n/healthz\n/readyz\n"],
    ["/healthz", 200, "ok"],
    ["/livez?verbose", 200, "ok"],
    ["/readyz", 200, "ok"],
    ["/nothing", 404, "there is no such page; / lists the pages\n"],
  ])("GET %s", async (path, status, body) => {
    expect(await get(path)).toMatchObject({ status, body });
    expect(await get(path, "HEAD")).toMatchObject({
      status,
      body: "",
      headers: { "content-length": String(body.length) },
    });
  });

  it("are read, and nothing else", async () => {
    for (const path of ["/validates", "/healthz", "/"]) {
      expect(await post(path, "x")).toMatchObject({
        status: 405,
        headers: { allow: "GET, HEAD" },
        body: "only GET is allowed here; reviews go to /validate and /mutate\n",
      });
    }
  });

  it("say what is missing", async () => {
    missing = "it is ending";
    expect(await get("/readyz")).toMatchObject({ status: 503, body: "not ready: it is ending\n" });
    expect(await get("/healthz")).toMatchObject({ status: 200 });
  });
});

describe("metrics", () => {
  it("count requests, reviews and warnings", async () => {
    await post("/validate", reviewOf(job({ metadata: { name: "a.b" } })));
    await post("/validate", reviewOf(BAD));
    await post("/mutate", reviewOf(job()));
    await post("/mutate", "{");
    expect(await sample("stint_webhook_requests_total")).toEqual([
      'stint_webhook_requests_total{phase="validate",code="200"} 2',
      'stint_webhook_requests_total{phase="mutate",code="200"} 1',
      'stint_webhook_requests_total{phase="mutate",code="400"} 1',
    ]);
    expect(await sample("stint_webhook_reviews_total")).toEqual([
      'stint_webhook_reviews_total{phase="validate",verdict="allowed"} 1',
      'stint_webhook_reviews_total{phase="validate",verdict="denied"} 1',
      'stint_webhook_reviews_total{phase="mutate",verdict="allowed"} 1',
    ]);
    expect(await sample("stint_webhook_warnings_total")).toEqual(["stint_webhook_warnings_total 1"]);
    expect(await sample("stint_webhook_request_duration_seconds_count")).toEqual([
      'stint_webhook_request_duration_seconds_count{phase="validate"} 2',
      'stint_webhook_request_duration_seconds_count{phase="mutate"} 2',
    ]);
    expect(await sample("stint_engine_memory_bytes")).toEqual(["stint_engine_memory_bytes 65536"]);
    expect(await sample("stint_webhook_certificate_not_after_timestamp_seconds")).toEqual([
      "stint_webhook_certificate_not_after_timestamp_seconds 2000000000",
    ]);
    expect(await sample("process_resident_memory_bytes")).toHaveLength(1);
  });

  it("count clients that do not trust the certificate", async () => {
    const { authority } = createServerCertificate(Date.now());
    await expect(ask(`${server.url}/readyz`, authority)).rejects.toThrow("certificate");
    await expect
      .poll(() => sample("stint_webhook_tls_handshake_errors_total"))
      .toEqual(["stint_webhook_tls_handshake_errors_total 1"]);
  });
});

describe("the log", () => {
  it("says what was decided, and nothing that is in an object or a request", async () => {
    const labelled = job({ metadata: { labels: { "SECRET/SECRET": "SECRET SECRET" } }, spec: { completions: -1 } });
    await post("/validate", reviewOf(labelled));
    await post("/validate", reviewOf(job()));
    await post("/validate", '{"SECRET":');
    await post("/validate", "", { headers: { "content-type": "SECRET" } });
    expect(lines.map(({ time: _, ...line }) => line)).toEqual([
      {
        level: "info",
        phase: "validate",
        uid: "the-review",
        kind: "Job",
        name: "pi",
        fields: expect.arrayContaining(["spec.completions"]),
        msg: "denied",
      },
      { level: "debug", phase: "validate", uid: "the-review", warnings: 0, msg: "allowed" },
      { level: "warn", phase: "validate", status: 400, msg: "a request was refused; its answer says why" },
      { level: "warn", phase: "validate", status: 415, msg: "a request was refused; its answer says why" },
    ]);
    expect(JSON.stringify(lines)).not.toContain("SECRET");
  });
});

describe("the certificate", () => {
  it("changes for new connections without a restart", async () => {
    const next = createServerCertificate(Date.now());
    const before = await certificateAt(server.url);
    expect(before.fingerprint256).toBe(new X509Certificate(certificate.certificate).fingerprint256);
    server.useCertificate(pair(next));
    expect((await certificateAt(server.url)).fingerprint256).toBe(new X509Certificate(next.certificate).fingerprint256);
    expect(await ask(`${server.url}/readyz`, next.authority, { method: "GET" })).toMatchObject({ status: 200 });
  });
});

describe("the end", () => {
  it("answers what is under way, and closes its connection", async () => {
    const text = reviewOf(job());
    const request = open(`${server.url}/validate`, certificate.authority, {
      headers: { "content-length": Buffer.byteLength(text), expect: "100-continue" },
    });
    const answer = answerTo(request);
    // The server has the headers when it asks for the body.
    await new Promise<void>((resolve) => request.once("continue", resolve).flushHeaders());
    const closed = server.close(20_000);
    request.end(text);
    expect(await answer).toMatchObject({ status: 200, headers: { connection: "close" } });
    await closed;
    await expect(get("/readyz")).rejects.toThrow("ECONNREFUSED");
  });

  it("waits no longer than its grace period", async () => {
    const request = open(`${server.url}/validate`, certificate.authority, {
      headers: { "content-length": 10, expect: "100-continue" },
    });
    const failure = new Promise((resolve) => request.once("error", resolve));
    await new Promise<void>((resolve) => request.once("continue", resolve).flushHeaders());
    await server.close(10);
    expect(await failure).toMatchObject({ code: "ECONNRESET" });
  });
});

describe("the address", () => {
  it("says that it is in use, and what to do", async () => {
    const { port } = new URL(server.url);
    const address = { host: "127.0.0.1", port: Number(port) };
    const reviewer = new Reviewer(() => Engine.create(module.module));
    const metrics = new WebhookMetrics({ engineMemoryBytes: () => 0, certificateNotAfterMs: () => 0 });
    const second = WebhookServer.start({
      address,
      reviewer,
      metrics,
      clock,
      certificate: pair(certificate),
      requestTimeoutMs: 1,
      readiness: () => undefined,
      profiles: () => new Map(),
      log: createLog("silent", () => {}),
    });
    await expect(second).rejects.toThrow(
      expect.objectContaining({
        name: "UsageError",
        message: `127.0.0.1:${port} is in use; name another address with --listen or --port (port 0: any free one)`,
      }),
    );
  });
});
