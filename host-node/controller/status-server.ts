/**
 * The controller's own HTTP server: metrics, health, and explanations of Jobs. It only reads, and takes nothing but GET.
 *
 * Invariant: no request is long or slow: what a client may send and how long it may take is bounded. Explanations name Jobs,
 * pods and messages of their failures; whoever may reach this address may read them.
 */
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { Engine } from "../../bindings/js/engine.ts";
import type { Clock } from "../../bindings/js/host.ts";
import type { Log } from "../log.ts";
import { noteDroppedConnections } from "../server/dropped-connections.ts";
import { explain, explanationTarget } from "../server/explanations.ts";
import { statusResponse } from "../server/guard.ts";
import { closeAtOnce, CONNECTIONS_CHECKING_INTERVAL_MS, listen } from "../server/listen.ts";
import { operatorPage, type Page, sendPage, TEXT } from "../server/pages.ts";
import { addressText, type ListenAddress } from "../settings/kinds.ts";
import type { ControllerMetrics } from "./metrics.ts";

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 64;
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;

export interface StatusServerOptions {
  readonly address: ListenAddress;
  readonly metrics: ControllerMetrics;
  /** Undefined: ready; else what is missing, in words. */
  readonly readiness: () => string | undefined;
  /** Undefined while this replica does not lead. */
  readonly engine: () => Engine | undefined;
  /** Identity of the replica that leads, as far as it is known. */
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
  const limits = { maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS, connectionsCheckingInterval: CONNECTIONS_CHECKING_INTERVAL_MS };
  const server = createServer(limits, (request, response) => void serve(request, response, options));
  server.maxConnections = MAX_CONNECTIONS;
  noteDroppedConnections(server, { ...options, count: () => options.metrics.connectionDropped() });
  const port = await listen(server, options.address, { what: addressText(options.address), remedy: "name another address with --listen (port 0: any free one; off: none)" });
  return { url: `http://${addressText({ ...options.address, port })}`, close: () => closeAtOnce(server) };
}

async function serve(request: IncomingMessage, response: ServerResponse, options: StatusServerOptions): Promise<void> {
  const page: Page = request.method === "GET" || request.method === "HEAD" ? await pageAt((request.url ?? "/").split("?", 1)[0]!, options) : { status: 405, contentType: TEXT, body: "only GET is allowed here\n", headers: { allow: "GET, HEAD" } };
  sendPage(request, response, page);
}

async function pageAt(path: string, options: StatusServerOptions): Promise<Page> {
  const { engine, leader, clock } = options;
  const target = explanationTarget(path);
  if (target !== undefined) {
    const current = engine();
    const { status, body } =
      current === undefined
        ? statusResponse(503, "ServiceUnavailable", `this replica does not lead, and knows no Jobs; ${leader() === undefined ? "none does, as far as it knows" : `${leader()} does`}`)
        : explain(current, target.namespace, target.job, clock.now());
    return { status, contentType: "application/json", body: String(body) };
  }
  if (path === "/") return { status: 200, contentType: TEXT, body: "stint controller\n\n/metrics\n/healthz\n/readyz\n/debug/jobs/NAMESPACE/NAME\n" };
  return (await operatorPage(path, options)) ?? { status: 404, contentType: TEXT, body: "there is nothing here; / lists what there is\n" };
}
