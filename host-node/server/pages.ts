/**
 * The pages of a server for its operators: health, readiness and metrics, as Kubernetes and Prometheus expect them.
 * They only read.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import { answerEarly } from "./request-body.ts";

export const TEXT = "text/plain; charset=utf-8";

export interface Page {
  readonly status: number;
  readonly contentType: string;
  readonly body: string;
  /** Headers beyond those that every page has. */
  readonly headers?: Readonly<Record<string, string>>;
}

export interface OperatorPagesOptions {
  /** Undefined: ready; else why not, in words. */
  readonly readiness: () => string | undefined;
  readonly metrics: { readonly contentType: string; text(): Promise<string> };
}

/** `/healthz`, `/livez`, `/readyz` and `/metrics`; undefined for another path. */
export async function operatorPage(
  path: string,
  { readiness, metrics }: OperatorPagesOptions,
): Promise<Page | undefined> {
  switch (path) {
    case "/healthz":
    case "/livez":
      return { status: 200, contentType: TEXT, body: "ok" };
    case "/readyz": {
      const missing = readiness();
      return missing === undefined
        ? { status: 200, contentType: TEXT, body: "ok" }
        : { status: 503, contentType: TEXT, body: `not ready: ${missing}\n` };
    }
    case "/metrics":
      return metrics.text().then(
        (body) => ({ status: 200, contentType: metrics.contentType, body }),
        (error: Error) => ({ status: 503, contentType: TEXT, body: `the metrics cannot be read: ${error.message}\n` }),
      );
    default:
      return undefined;
  }
}

/**
 * Answers with a page; a HEAD gets only its headers. The rest of the request is read and dropped, unless the page
 * closes the connection.
 */
export function sendPage(
  request: IncomingMessage,
  response: ServerResponse,
  { status, contentType, body, headers }: Page,
): void {
  const bytes = Buffer.from(body);
  response.writeHead(status, {
    "content-type": contentType,
    "content-length": bytes.length,
    "cache-control": "no-store",
    "x-content-type-options": "nosniff",
    ...headers,
  });
  const sent = request.method === "HEAD" ? undefined : bytes;
  if (headers?.["connection"] === "close") response.end(sent);
  else answerEarly(request, response, sent);
}
