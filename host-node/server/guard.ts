/**
 * Decides who may talk to the server: a client that has the token, means this server, and is not a web page. Every
 * request is checked in this order. Host: a web page whose name was made to point at 127.0.0.1 has its own name there.
 * Origin: browsers send it with every request by which a page could change something, and kubectl never does. Some
 * clients send the server's own address there, with which a WebSocket begins; this server has no page that could.
 * Token: another user of this machine can reach the port, but has no token. Finds the user of a request, but not the
 * user's permissions: the cluster decides those.
 */
import { createHash, timingSafeEqual } from "node:crypto";
import type { IncomingHttpHeaders } from "node:http";
import type { ApiResponse } from "../../bindings/js/host.ts";
import { ADMINISTRATOR, ANONYMOUS } from "../../cluster/apiserver/access/users.ts";
import type { User } from "../../cluster/apiserver/contract/context.ts";

/** Paths that an API server serves without a token: its health and its version. */
const PUBLIC_PATHS = new Set(["/healthz", "/livez", "/readyz", "/version", "/version/"]);

/** The user of a token; undefined: the token is unknown. */
export type Authenticate = (token: string) => User | undefined;

/** Knows the administrator's token, and those that `others` knows. */
export function withAdministrator(token: string, others: Authenticate = () => undefined): Authenticate {
  const known = digest(token);
  // Digests have the same length, and comparing them takes the same time wherever they differ.
  return (shown) => (timingSafeEqual(digest(shown), known) ? ADMINISTRATOR : others(shown));
}

export class Guard {
  readonly #hosts: ReadonlySet<string>;
  /** Its own origins: it serves no pages. */
  readonly #origins: ReadonlySet<string>;
  readonly #authenticate: Authenticate;

  constructor(port: number, authenticate: Authenticate) {
    this.#hosts = new Set([`127.0.0.1:${port}`, `localhost:${port}`]);
    this.#origins = new Set([...this.#hosts, `[::1]:${port}`].map((host) => `https://${host}`));
    this.#authenticate = authenticate;
  }

  /** The refusal of a request, or undefined if it may pass. `path` may have a query. */
  check(path: string, headers: IncomingHttpHeaders): ApiResponse | undefined {
    const host = headers.host ?? "";
    if (!this.#hosts.has(host.toLowerCase()))
      return forbidden(`the Host header is ${JSON.stringify(host)}; allowed are ${[...this.#hosts].join(" and ")}`);
    if (headers.origin !== undefined && !this.#origins.has(headers.origin.toLowerCase()))
      return forbidden(
        `the request comes from the web page ${JSON.stringify(headers.origin)}; web pages are not served`,
      );
    if (PUBLIC_PATHS.has(path.split("?", 1)[0]!)) return undefined;
    return this.hasToken(headers) ? undefined : statusResponse(401, "Unauthorized", "Unauthorized");
  }

  hasToken(headers: IncomingHttpHeaders): boolean {
    return this.userOf(headers) !== ANONYMOUS;
  }

  /** The user of the token in the header; ANONYMOUS without a known one. */
  userOf({ authorization }: IncomingHttpHeaders): User {
    const token = /^Bearer +(\S+)$/i.exec(authorization ?? "")?.[1] ?? "";
    return this.#authenticate(token) ?? ANONYMOUS;
  }
}

/** A Status as the body of a response that did not come from the API. */
export function statusResponse(
  code: number,
  reason: string,
  message: string,
  details?: { readonly retryAfterSeconds: number },
): ApiResponse {
  const body = JSON.stringify({
    kind: "Status",
    apiVersion: "v1",
    metadata: {},
    status: "Failure",
    message,
    reason,
    details,
    code,
  });
  return {
    status: code,
    headers: { "content-type": "application/json", "cache-control": "no-cache, private" },
    body: `${body}\n`,
  };
}

export function badRequest(message: string): ApiResponse {
  return statusResponse(400, "BadRequest", message);
}

function forbidden(message: string): ApiResponse {
  return statusResponse(403, "Forbidden", message);
}

function digest(text: string): Buffer {
  return createHash("sha256").update(text).digest();
}
