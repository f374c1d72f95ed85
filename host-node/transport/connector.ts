/**
 * Makes connections to one server, straight to it or through a proxy.
 *
 * Invariant: the certificate is that of the server that the kubeconfig names, whatever way leads there. What speaks to
 * a proxy is loaded only where a kubeconfig names one, because it costs memory. Leaves out which proxies are allowed
 * (kubeconfig-context.ts), and which connections are used again (http-transport.ts).
 */
import { isIPv6, type Socket } from "node:net";
import { type ConnectionOptions, createSecureContext } from "node:tls";
import { urlToHttpOptions } from "node:url";
import type { buildConnector } from "undici";
import newConnector from "undici/lib/core/connect.js";

/** Whom we trust, and the client certificate. */
export interface Tls extends Pick<ConnectionOptions, "ca" | "cert" | "key"> {
  /** The name in the server's certificate, where it is not that of the address. */
  readonly servername?: string;
  /** False: any certificate will do. */
  readonly rejectUnauthorized?: boolean;
}

export interface Way {
  /** `https://10.0.0.1:6443`. */
  readonly origin: string;
  /** URL of a proxy. */
  readonly proxy: string | undefined;
}

/** Opens connections to one server, for undici. */
export interface Connector {
  /**
   * Opens one within the time-out; through a proxy that is the limit for the way to the proxy's answer, and again for
   * TLS.
   */
  readonly connect: buildConnector.connector;
  /** Gives up what is being opened. */
  readonly close: () => void;
}

/** @throws Error when a certificate or a key cannot be used */
export type NewConnector = (timeoutMs: number) => Connector;

export async function connectorsFor({ origin, proxy }: Way, tls: Tls): Promise<NewConnector> {
  const newTunnel = proxy === undefined ? undefined : await tunnelsThrough(proxy, origin);
  return (timeoutMs) => {
    const { ca, cert, key, ...rest } = tls;
    const secureContext = createSecureContext({ ca, cert, key });
    const connect = newConnector({ ...rest, secureContext, timeout: timeoutMs, allowH2: false });
    const opening = new Set<Socket>();
    let isClosed = false;
    const open: buildConnector.connector = ({ servername: _ofAHeader, ...options }, callback) => {
      // Undici returns the socket. Its types do not say so.
      const socket = connect(options, (...outcome) => {
        opening.delete(socket);
        callback(...outcome);
      }) as unknown as Socket;
      opening.add(socket);
    };
    const closed = (): Error => new Error("the connections are closed");
    return {
      connect: newTunnel === undefined ? open : through(newTunnel(timeoutMs), open, () => isClosed, closed),
      close: () => {
        isClosed = true;
        for (const socket of opening) socket.destroy(closed());
      },
    };
  };
}

/** Opens a connection through a proxy, without TLS of its own. */
type Tunnel = (opened: (outcome: Socket | Error) => void) => void;

function through(
  openTunnel: Tunnel,
  secure: buildConnector.connector,
  isClosed: () => boolean,
  closed: () => Error,
): buildConnector.connector {
  return (options, callback) =>
    openTunnel((outcome) => {
      if (outcome instanceof Error) return callback(outcome, null);
      if (isClosed()) {
        outcome.destroy();
        return callback(closed(), null);
      }
      if (options.protocol !== "https:") return callback(null, outcome);
      try {
        secure({ ...options, httpSocket: outcome }, callback);
      } catch (error) {
        outcome.destroy();
        callback(error as Error, null);
      }
    });
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
      // The library forgets the brackets around an address of IPv6.
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
    // The proxy looks the name of the server up.
    SocksClient.createConnection({ proxy, destination, command: "connect", timeout }).then(
      ({ socket }) => opened(socket),
      opened,
    );
  };
}
