/**
 * Makes connections to one server, straight to it or through a proxy.
 *
 * Invariant: the certificate is that of the server that the kubeconfig names, with and without a proxy. The code for
 * proxies is loaded only if a kubeconfig names one, because it costs memory. Leaves out which proxies are allowed
 * (kubeconfig-context.ts), and which connections are used again (http-transport.ts).
 */
import { isIPv6, type Socket } from "node:net";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import { urlToHttpOptions } from "node:url";
import type { buildConnector } from "undici";
import newConnector from "undici/lib/core/connect.js";
import { trusting } from "./trust.ts";

/** The trusted certificates, and the client certificate. */
export interface Tls extends Pick<ConnectionOptions, "ca" | "cert" | "key"> {
  /** The name in the server's certificate, if it differs from the address. */
  readonly servername?: string;
  /** False: any certificate is accepted. */
  readonly rejectUnauthorized?: boolean;
}

export interface Way {
  /** `https://10.0.0.1:6443`. */
  readonly origin: string;
  /** URL of a proxy. */
  readonly proxy: string | undefined;
}

/** The problem of a request whose connection was closed. */
export const CONNECTIONS_CLOSED = "the connections are closed";

/** @throws Error when a certificate or a key cannot be used */
export type NewConnector = (timeoutMs: number) => Connector;

export async function connectorsFor({ origin, proxy }: Way, tls: Tls): Promise<NewConnector> {
  const newTunnel = proxy === undefined ? undefined : await tunnelsThrough(proxy, origin);
  return (timeoutMs) => {
    const { ca, cert, key, ...rest } = tls;
    const secureContext = createSecureContext({ ...trusting(ca), cert, key });
    const open = newConnector({ ...rest, secureContext, timeout: timeoutMs, allowH2: false });
    return new Connector(open, newTunnel?.(timeoutMs));
  };
}

/** Opens a connection through a proxy, without adding TLS. */
type Tunnel = (opened: (outcome: Socket | Error) => void) => void;

/** Opens connections to one server, for undici. */
export class Connector {
  readonly #open: buildConnector.connector;
  readonly #tunnel: Tunnel | undefined;
  readonly #opening = new Set<Socket>();
  #isClosed = false;

  constructor(open: buildConnector.connector, tunnel: Tunnel | undefined) {
    this.#open = open;
    this.#tunnel = tunnel;
  }

  /**
   * Opens a connection within the time-out; through a proxy the limit applies to the proxy's answer, and again to TLS.
   */
  readonly connect: buildConnector.connector = (options, callback) => {
    if (this.#tunnel === undefined) return this.#openNow(options, callback);
    this.#tunnel((outcome) => {
      if (outcome instanceof Error) return callback(outcome, null);
      if (this.#isClosed) {
        outcome.destroy();
        return callback(new Error(CONNECTIONS_CLOSED), null);
      }
      if (options.protocol !== "https:") return callback(null, outcome);
      try {
        this.#openNow({ ...options, httpSocket: outcome }, callback);
      } catch (error) {
        outcome.destroy();
        callback(error as Error, null);
      }
    });
  };

  /** Cancels the connections that are being opened. */
  close(): void {
    this.#isClosed = true;
    for (const socket of this.#opening) socket.destroy(new Error(CONNECTIONS_CLOSED));
  }

  /** The name in the certificate is never that of a `host` header, which undici gives as `servername`. */
  #openNow({ servername: _, ...options }: buildConnector.Options, callback: buildConnector.Callback): void {
    // Undici returns the socket. Its types do not say so.
    const socket = this.#open(options, (...outcome) => {
      this.#opening.delete(socket);
      callback(...outcome);
    }) as unknown as Socket;
    this.#opening.add(socket);
  }
}

async function tunnelsThrough(proxy: string, origin: string): Promise<(timeoutMs: number) => Tunnel> {
  const { protocol, hostname, port: givenPort } = urlToHttpOptions(new URL(origin));
  const host = hostname!;
  const port = Number(givenPort ?? (protocol === "https:" ? 443 : 80));
  if (proxy.startsWith("socks")) return socksTunnels(new URL(proxy), { host, port });
  const { HttpProxyAgent } = await import("hpagent");
  return (timeoutMs) => {
    const agent = new HttpProxyAgent({ proxy, keepAlive: true });
    return (opened) => {
      // The library drops the brackets around an IPv6 address.
      const target = { host: isIPv6(host) ? `[${host}]` : host, port, timeout: timeoutMs };
      agent.createConnection(target, (error, socket) => opened(error ?? (socket as Socket)));
    };
  };
}

const SOCKS_PORT = 1080;

async function socksTunnels(
  { hostname, port, username, password }: URL,
  destination: { readonly host: string; readonly port: number },
): Promise<(timeoutMs: number) => Tunnel> {
  const { SocksClient } = await import("socks");
  const user = username === "" ? {} : { userId: decodeURIComponent(username), password: decodeURIComponent(password) };
  const proxy = { host: hostname.replace(/^\[|\]$/g, ""), port: Number(port || SOCKS_PORT), type: 5 as const, ...user };
  return (timeout) => (opened) => {
    // The proxy resolves the name of the server.
    SocksClient.createConnection({ proxy, destination, command: "connect", timeout }).then(
      ({ socket }) => opened(socket),
      opened,
    );
  };
}
