/**
 * The webhook over HTTPS: `POST /validate` and `POST /mutate` take an AdmissionReview, each also with the name of a
 * profile behind it, and GET has health and metrics.
 *
 * Invariant: every request is answered before the API server stops waiting for it. The size, the memory and the time of
 * a client's request are limited. A request that cannot be reviewed gets an error status, and the API server does what
 * `failurePolicy` says. No part of an object goes into the log. Leaves out authentication: every client that reaches
 * the address may call.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { createServer, type Server } from "node:https";
import type { SecureContextOptions } from "node:tls";
import { MAX_REVIEW_BYTES } from "../../bindings/js/engine.ts";
import type { Clock } from "../../bindings/js/host.ts";
import { parseDuration } from "../words/duration.ts";
import type { Log } from "../log.ts";
import { statusResponse } from "../server/guard.ts";
import { type ConnectionLimits, Connections } from "../server/connections.ts";
import { closeAtOnce, CONNECTIONS_CHECKING_INTERVAL_MS, listen } from "../server/listen.ts";
import { operatorPage, type Page, sendPage, TEXT } from "../server/pages.ts";
import { readBody } from "../server/request-body.ts";
import { answerUnreadableRequests, type HeadLimits, refusalOfHead } from "../server/unreadable-requests.ts";
import { addressText, type ListenAddress } from "../settings/kinds.ts";
import type { CertificatePair } from "./certificate-files.ts";
import type { WebhookMetrics } from "./metrics.ts";
import type { Profile } from "./profile.ts";
import { type Outcome, type Phase, PHASES, type Reviewer } from "./reviewer.ts";

const HEAD_LIMITS: HeadLimits = { maxUrlBytes: 8 * 1024, maxHeaderBytes: 16 * 1024 };
/**
 * Limit for address and headers together, as Node counts them. Node refuses a larger head before there is a request.
 */
const MAX_HEAD_BYTES = 64 * 1024;
/** A connection is admitted when one of its reviews was answered. */
export const CONNECTION_LIMITS: ConnectionLimits = { maxStrangers: 128, maxAdmitted: 384 };
/** Limit for all bodies that are being received. A request beyond it is answered 503. */
export const MAX_BODY_BYTES_AT_ONCE = 64 * 1024 * 1024;
const HEADERS_TIMEOUT_MS = 5_000;
/** Time-out for requests that are not reviews. Reviews have their own time-out, with an answer. */
const BODY_TIMEOUT_MS = 60_000;
const HANDSHAKE_TIMEOUT_MS = 10_000;
/**
 * An API server closes an unused connection after 90 s. This is longer: if both sides closed at once, a request could
 * be lost.
 */
const KEEP_ALIVE_TIMEOUT_MS = 180_000;
/** The share of the API server's waiting time that a review may use. The rest is for the network. */
const SHARE_OF_TIMEOUT = 0.9;
const JSON_TYPE = /^application\/json *(;|$)/i;

/** Kubernetes' names for the status codes that are answered here. */
const REASONS: Readonly<Record<number, string>> = {
  400: "BadRequest",
  404: "NotFound",
  405: "MethodNotAllowed",
  408: "Timeout",
  413: "RequestEntityTooLarge",
  415: "UnsupportedMediaType",
  500: "InternalError",
  503: "ServiceUnavailable",
};
/** The log does not say why, because the reason could contain user data. */
const REFUSED = "a request was refused; its answer says why";
const PAGES = ["/metrics", "/healthz", "/readyz"];
/** The name of an unknown profile is cut at this length. */
const MAX_NAME_CHARACTERS = 63;

export interface WebhookServerOptions {
  readonly address: ListenAddress;
  readonly certificate: CertificatePair;
  readonly reviewer: Reviewer;
  /** The present ones, by name. */
  readonly profiles: () => ReadonlyMap<string, Profile>;
  readonly metrics: WebhookMetrics;
  /** Undefined: ready; else why not, in words. */
  readonly readiness: () => string | undefined;
  readonly requestTimeoutMs: number;
  readonly clock: Clock;
  readonly log: Log;
}

export class WebhookServer {
  readonly #options: WebhookServerOptions;
  readonly #server: Server;
  readonly #connections: Connections;
  #url = "";
  #bodyBytes = 0;
  #isEnding = false;

  private constructor(options: WebhookServerOptions) {
    this.#options = options;
    const { certificate, metrics, clock, log } = options;
    this.#server = createServer({
      ...tlsOptions(certificate),
      maxHeaderSize: MAX_HEAD_BYTES,
      connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS,
      handshakeTimeout: HANDSHAKE_TIMEOUT_MS,
      headersTimeout: HEADERS_TIMEOUT_MS,
      requestTimeout: BODY_TIMEOUT_MS,
      keepAliveTimeout: KEEP_ALIVE_TIMEOUT_MS,
    });
    this.#connections = new Connections(this.#server, {
      ...CONNECTION_LIMITS,
      clock,
      onClosed: () => metrics.connectionDropped(),
      tell: (closed, limits) => log.warn({ ...limits, closed }, "idle connections were closed to make room for others"),
    });
    answerUnreadableRequests(this.#server, this.#connections, HEAD_LIMITS);
    this.#server.on("request", (request, response) => this.#serve(request, response));
    this.#server.on("tlsClientError", (error: NodeJS.ErrnoException) => {
      metrics.handshakeFailed();
      log.debug({ code: error.code }, "a TLS handshake has failed");
    });
  }

  /** @throws UsageError when the address cannot be used */
  static async start(options: WebhookServerOptions): Promise<WebhookServer> {
    const webhook = new WebhookServer(options);
    const { address } = options;
    const port = await listen(webhook.#server, address, {
      what: addressText(address),
      remedy: "name another address with --listen or --port (port 0: any free one)",
    });
    webhook.#url = `https://${addressText({ ...address, port })}`;
    return webhook;
  }

  /** `https://127.0.0.1:8443`. */
  get url(): string {
    return this.#url;
  }

  /** Later connections get this certificate. */
  useCertificate(certificate: CertificatePair): void {
    this.#server.setSecureContext(tlsOptions(certificate));
  }

  /** Takes no new connection, waits for the requests under way at most this long, and then closes the rest. */
  async close(gracePeriodMs: number): Promise<void> {
    this.#isEnding = true;
    const closed = new Promise<void>((resolve) => this.#server.close(() => resolve()));
    const timer = this.#options.clock.setTimer(gracePeriodMs, () => {
      void closeAtOnce(this.#server);
      this.#connections.closeAll();
    });
    await closed;
    timer.cancel();
  }

  #serve(request: IncomingMessage, response: ServerResponse): void {
    const refusal = refusalOfHead(request, HEAD_LIMITS);
    if (refusal !== undefined) {
      this.#send(request, response, {
        status: refusal.status,
        contentType: "application/json",
        body: String(refusal.body),
      });
      return;
    }
    const [path = "/", query] = (request.url ?? "/").split("?", 2);
    const phase = PHASES.find((known) => path === `/${known}` || path.startsWith(`/${known}/`));
    if (phase !== undefined) {
      const name = path === `/${phase}` ? undefined : path.slice(phase.length + 2);
      this.#review(request, response, { phase, name, query });
    } else void this.#page(request, path).then((page) => this.#send(request, response, page));
  }

  #send(request: IncomingMessage, response: ServerResponse, page: Page): void {
    if (this.#isEnding) response.setHeader("connection", "close");
    sendPage(request, response, page);
  }

  async #page({ method }: IncomingMessage, path: string): Promise<Page> {
    if (method !== "GET" && method !== "HEAD")
      return textPage(405, "only GET is allowed here; reviews go to /validate and /mutate", { allow: "GET, HEAD" });
    if (path === "/") return { status: 200, contentType: TEXT, body: this.#index() };
    return (await operatorPage(path, this.#options)) ?? textPage(404, "there is no such page; / lists the pages");
  }

  #index(): string {
    const names = ["", ...[...this.#options.profiles().keys()].map((name) => `/${name}`)];
    const reviews = PHASES.flatMap((phase) => names.map((name) => `POST /${phase}${name}`));
    return `${["stint webhook", "", ...reviews, ...PAGES].join("\n")}\n`;
  }

  #review(request: IncomingMessage, response: ServerResponse, { phase, name, query }: ReviewAddress): void {
    const { clock, metrics, log, reviewer } = this.#options;
    const profiles = this.#options.profiles();
    const profile = name === undefined ? undefined : profiles.get(name);
    const beganMs = clock.now();
    const length = Number(request.headers["content-length"] ?? MAX_REVIEW_BYTES);
    let heldBytes = 0;
    let isOver = false;
    const release = (): void => {
      this.#bodyBytes -= heldBytes;
      heldBytes = 0;
    };
    const end = (page: Page): void => {
      if (isOver) return;
      isOver = true;
      timer.cancel();
      metrics.answered(phase, page.status, clock.now() - beganMs);
      this.#send(request, response, page);
    };
    const refuse = (status: number, sentence: string, headers: Readonly<Record<string, string>> = {}): void => {
      log.warn({ phase, status }, REFUSED);
      release();
      end(statusPage(status, sentence, headers));
    };
    const timeoutMs = Math.floor(Math.min(this.#options.requestTimeoutMs, SHARE_OF_TIMEOUT * timeoutOf(query)));
    const timer = clock.setTimer(timeoutMs, () => {
      log.warn({ phase, status: 408, timeoutMs }, "a request did not arrive in time");
      end(statusPage(408, `the request did not arrive within ${timeoutMs} ms`, { connection: "close" }));
    });
    response.once("close", () => {
      isOver = true;
      timer.cancel();
      release();
    });

    if (request.method !== "POST")
      return refuse(405, `the method is ${request.method}; allowed is POST, with an AdmissionReview`, {
        allow: "POST",
      });
    if (name !== undefined && profile === undefined) {
      const known = profiles.size === 0 ? "there is none" : `there are ${[...profiles.keys()].join(", ")}`;
      const shown = JSON.stringify(name.slice(0, MAX_NAME_CHARACTERS));
      return refuse(404, `no profile has the name ${shown}, which is in the path; ${known} (--profiles)`);
    }
    const contentType = request.headers["content-type"] ?? "";
    if (!JSON_TYPE.test(contentType))
      return refuse(415, `the content type is ${JSON.stringify(contentType)}; allowed is application/json`);
    const tooLong = `the request is longer than ${MAX_REVIEW_BYTES} bytes, which is the most that is read`;
    if (length > MAX_REVIEW_BYTES) return refuse(413, tooLong);
    if (this.#bodyBytes + length > MAX_BODY_BYTES_AT_ONCE)
      return refuse(
        503,
        `too much is under way: allowed are ${MAX_BODY_BYTES_AT_ONCE} bytes in all requests together`,
        { "retry-after": "1" },
      );

    heldBytes = length;
    this.#bodyBytes += heldBytes;
    readBody(request, MAX_REVIEW_BYTES, (body) => {
      if (body === undefined) return refuse(413, tooLong);
      if (isOver) return;
      void reviewer.review(phase, body, profile).then((outcome) => {
        this.#note(phase, profile?.name, outcome);
        // If the limit is reached, the connection stays a stranger.
        if (outcome.type === "answered") this.#connections.admit(request);
        end(pageOf(outcome));
      });
    });
  }

  #note(phase: Phase, profile: string | undefined, outcome: Outcome): void {
    const { metrics, log } = this.#options;
    if (outcome.type === "answered") {
      const { uid, allowed, kind, name, fields, warnings } = outcome.verdict;
      const asked = profile === undefined ? {} : { profile, rules: outcome.verdict.rules.map(({ rule }) => rule) };
      metrics.reviewed(phase, profile, outcome.verdict);
      if (allowed) log.debug({ phase, uid, warnings, ...asked }, "allowed");
      else log.info({ phase, uid, kind, name, fields, ...asked }, "denied");
    } else if (outcome.type === "unreadable") {
      log.warn({ phase, status: 400 }, REFUSED);
    } else {
      metrics.engineFailed();
      log.error({ phase, status: 500, problem: outcome.reason }, "the engine has failed on a request, and is replaced");
    }
  }
}

/** The review that a path names. */
interface ReviewAddress {
  readonly phase: Phase;
  /** The name of a profile in the path; undefined: there is none. */
  readonly name: string | undefined;
  readonly query: string | undefined;
}

function tlsOptions({ certificate, privateKey }: CertificatePair): SecureContextOptions {
  return { cert: certificate, key: privateKey, minVersion: "TLSv1.2" };
}

function pageOf(outcome: Outcome): Page {
  if (outcome.type === "answered") return { status: 200, contentType: "application/json", body: outcome.body };
  return outcome.type === "unreadable"
    ? statusPage(400, outcome.reason)
    : statusPage(500, `the request could not be reviewed: ${outcome.reason}`);
}

function textPage(status: number, sentence: string, headers: Readonly<Record<string, string>> = {}): Page {
  return { status, contentType: TEXT, body: `${sentence}\n`, headers };
}

/**
 * An API server shows the message of a Status to the sender of the object. It shows a plain text only with a status of
 * 500 and above.
 */
function statusPage(status: number, sentence: string, headers: Readonly<Record<string, string>> = {}): Page {
  return {
    status,
    contentType: "application/json",
    body: String(statusResponse(status, REASONS[status] ?? "", sentence).body),
    headers,
  };
}

/** How long the API server waits for the answer. Each call has it: `?timeout=10s`. Infinity: it does not. */
function timeoutOf(query: string | undefined): number {
  const timeout = new URLSearchParams(query).get("timeout");
  if (timeout === null) return Infinity;
  try {
    return parseDuration(timeout);
  } catch {
    return Infinity;
  }
}
