/**
 * The controller's own HTTP server: metrics, health, and explanations of Jobs. It only reads, and accepts nothing but
 * GET.
 *
 * Invariant: size and duration of a request are limited. Explanations show names of Jobs and pods, and messages of
 * their failures. Every client that reaches this address may read them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Engine } from "../../bindings/js/engine.ts";
import type { Clock } from "../../bindings/js/host.ts";
import type { Log } from "../log.ts";
import { type ConnectionLimits, Connections } from "../server/connections.ts";
import { explain, explanationTarget } from "../server/explanations.ts";
import { statusResponse } from "../server/guard.ts";
import { closeAtOnce, CONNECTIONS_CHECKING_INTERVAL_MS, listen } from "../server/listen.ts";
import { operatorPage, type OperatorPagesOptions, type Page, sendPage, TEXT } from "../server/pages.ts";
import { answerUnreadableRequests, type HeadLimits, refusalOfHead } from "../server/unreadable-requests.ts";
import type { LastFailures } from "../words/last-failures.ts";
import { addressText, type ListenAddress } from "../settings/kinds.ts";

const HEAD_LIMITS: HeadLimits = { maxUrlBytes: 8 * 1024, maxHeaderBytes: 16 * 1024 };
/**
 * Limit for address and headers together, as Node counts them. Node refuses a larger head before there is a request.
 */
const MAX_HEAD_BYTES = 64 * 1024;
/**
 * Clients of this server never become admitted, and each answer is short. At the limit, the connection that was silent
 * longest is closed.
 */
const CONNECTION_LIMITS: ConnectionLimits = { maxStrangers: 64, maxAdmitted: 0 };
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;

export interface StatusServerOptions extends OperatorPagesOptions {
  readonly address: ListenAddress;
  /** What `/readyz?verbose` shows beside readiness: a line, or several. */
  readonly details?: () => string;
  readonly metrics: OperatorPagesOptions["metrics"] & {
    /** A connection was closed to make room. */
    connectionDropped(): void;
  };
  /** Pages of a process that is no controller, instead of explanations. */
  readonly ownPages?: {
    /** Their paths, for the index page. */
    readonly paths: readonly string[];
    /** Undefined: there is no such page. */
    readonly page: (path: string) => Page | undefined;
  };
  /** Undefined while this replica does not lead. */
  readonly engine: () => Engine | undefined;
  /** What is known of pods that are gone; undefined while this replica does not lead. */
  readonly failures?: () => LastFailures | undefined;
  /** Identity of the leading replica, if it is known. */
  readonly leader: () => string | undefined;
  /** The engine's clock. */
  readonly clock: Clock;
  readonly log: Log;
}

export interface StatusServer {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  close(): Promise<void>;
}

/** @throws UsageError when the address cannot be used */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const server = createServer({
    maxHeaderSize: MAX_HEAD_BYTES,
    headersTimeout: HEADERS_TIMEOUT_MS,
    requestTimeout: REQUEST_TIMEOUT_MS,
    connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS,
  });
  const { metrics, clock, log } = options;
  const connections = new Connections(server, {
    ...CONNECTION_LIMITS,
    clock,
    onClosed: () => metrics.connectionDropped(),
    tell: (closed, { maxStrangers }) =>
      log.warn({ allowed: maxStrangers, closed }, "idle connections were closed to make room for others"),
  });
  answerUnreadableRequests(server, connections, HEAD_LIMITS);
  server.on("request", (request, response) => void serve(request, response, options));
  const port = await listen(server, options.address, {
    what: addressText(options.address),
    remedy: "name another address with --listen (port 0: any free one; off: none)",
  });
  return { url: `http://${addressText({ ...options.address, port })}`, close: () => closeAtOnce(server) };
}

async function serve(request: IncomingMessage, response: ServerResponse, options: StatusServerOptions): Promise<void> {
  sendPage(request, response, await answerTo(request, options));
}

async function answerTo(request: IncomingMessage, options: StatusServerOptions): Promise<Page> {
  const refusal = refusalOfHead(request, HEAD_LIMITS);
  if (refusal !== undefined)
    return { status: refusal.status, contentType: "application/json", body: String(refusal.body) };
  if (request.method !== "GET" && request.method !== "HEAD")
    return { status: 405, contentType: TEXT, body: "only GET is allowed here\n", headers: { allow: "GET, HEAD" } };
  const [path = "/", query = ""] = (request.url ?? "/").split("?", 2);
  const page = await pageAt(path, options);
  return options.details !== undefined && path === "/readyz" && new URLSearchParams(query).has("verbose")
    ? { ...page, body: `${page.body.trimEnd()}\n${options.details()}\n` }
    : page;
}

async function pageAt(path: string, options: StatusServerOptions): Promise<Page> {
  const { engine, failures, leader, clock, ownPages } = options;
  const target = explanationTarget(path);
  if (target !== undefined && ownPages === undefined) {
    const current = engine();
    const { status, body } =
      current === undefined
        ? statusResponse(
            503,
            "ServiceUnavailable",
            `this replica does not lead, so it knows no Jobs; ${leader() === undefined ? "it knows of no leader" : `${leader()} leads`}`,
          )
        : explain(current, target.namespace, target.job, clock.now(), failures?.());
    return { status, contentType: "application/json", body: String(body) };
  }
  if (path === "/")
    return {
      status: 200,
      contentType: TEXT,
      body: `stint controller\n\n/metrics\n/healthz\n/readyz\n${(ownPages?.paths ?? ["/debug/jobs/NAMESPACE/NAME"]).join("\n")}\n`,
    };
  return (
    ownPages?.page(path) ??
    (await operatorPage(path, options)) ?? {
      status: 404,
      contentType: TEXT,
      body: "there is no such page; / lists the pages\n",
    }
  );
}
