/**
 * The controller's own HTTP server: metrics, health, and explanations of Jobs. It only reads, and takes nothing but GET.
 *
 * Invariant: no request is long or slow: what a client may send and how long it may take is bounded. Explanations name Jobs,
 * pods and messages of their failures; whoever may reach this address may read them.
 */
import { createServer, type IncomingMessage, type Server, type ServerResponse } from "node:http";
import type { Engine } from "../../bindings/js/engine.ts";
import { explain, explanationTarget } from "../server/explanations.ts";
import { statusResponse } from "../server/guard.ts";
import { UsageError } from "../usage-error.ts";
import type { ControllerMetrics } from "./metrics.ts";
import { addressText, type ListenAddress } from "./settings.ts";

const MAX_HEADER_BYTES = 16 * 1024;
const MAX_CONNECTIONS = 64;
const HEADERS_TIMEOUT_MS = 5_000;
const REQUEST_TIMEOUT_MS = 10_000;
const TEXT = "text/plain; charset=utf-8";

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
  readonly now: () => number;
}

export interface StatusServer {
  /** `http://127.0.0.1:8080`. */
  readonly url: string;
  close(): Promise<void>;
}

interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  readonly headers?: Readonly<Record<string, string>>;
}

/** @throws UsageError when the address cannot be used */
export async function startStatusServer(options: StatusServerOptions): Promise<StatusServer> {
  const server = createServer({ maxHeaderSize: MAX_HEADER_BYTES, headersTimeout: HEADERS_TIMEOUT_MS, requestTimeout: REQUEST_TIMEOUT_MS }, (request, response) => void serve(request, response, options));
  server.maxConnections = MAX_CONNECTIONS;
  const port = await listen(server, options.address);
  return {
    url: `http://${addressText({ ...options.address, port })}`,
    close: () =>
      new Promise((resolve) => {
        server.close(() => resolve());
        server.closeAllConnections();
      }),
  };
}

function listen(server: Server, address: ListenAddress): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) => {
      const problem = error.code === "EADDRINUSE" ? "is in use" : error.code === "EADDRNOTAVAIL" || error.code === "ENOTFOUND" ? "is no address of this machine" : error.code === "EACCES" ? "is not allowed to this user" : `cannot be used: ${error.message}`;
      reject(new UsageError(`${addressText(address)} ${problem}; name another address with --listen (port 0: any free one; off: none)`));
    });
    server.listen(address.port, address.host, () => resolve((server.address() as { port: number }).port));
  });
}

async function serve(request: IncomingMessage, response: ServerResponse, options: StatusServerOptions): Promise<void> {
  const page: Page = request.method === "GET" || request.method === "HEAD" ? await pageAt((request.url ?? "/").split("?", 1)[0]!, options) : { status: 405, contentType: TEXT, body: "only GET is allowed here\n", headers: { allow: "GET, HEAD" } };
  const body = Buffer.from(page.body);
  response.writeHead(page.status, { "content-type": page.contentType, "content-length": body.length, "cache-control": "no-store", "x-content-type-options": "nosniff", ...page.headers });
  response.end(request.method === "HEAD" ? undefined : body);
}

async function pageAt(path: string, { metrics, readiness, engine, leader, now }: StatusServerOptions): Promise<Page> {
  const target = explanationTarget(path);
  if (target !== undefined) {
    const current = engine();
    const { status, body } =
      current === undefined
        ? statusResponse(503, "ServiceUnavailable", `this replica does not lead, and knows no Jobs; ${leader() === undefined ? "none does, as far as it knows" : `${leader()} does`}`)
        : explain(current, target.namespace, target.job, now());
    return { status, contentType: "application/json", body: String(body) };
  }
  switch (path) {
    case "/":
      return { status: 200, contentType: TEXT, body: "stint controller\n\n/metrics\n/healthz\n/readyz\n/debug/jobs/NAMESPACE/NAME\n" };
    case "/healthz":
    case "/livez":
      return { status: 200, contentType: TEXT, body: "ok" };
    case "/readyz": {
      const missing = readiness();
      return missing === undefined ? { status: 200, contentType: TEXT, body: "ok" } : { status: 503, contentType: TEXT, body: `not ready: ${missing}\n` };
    }
    case "/metrics":
      return metrics.text().then(
        (body) => ({ status: 200, contentType: metrics.contentType, body }),
        (error: Error) => ({ status: 503, contentType: TEXT, body: `the metrics cannot be read: ${error.message}\n` }),
      );
    default:
      return { status: 404, contentType: TEXT, body: "there is nothing here; / lists what there is\n" };
  }
}
