/**
 * Proxies on loopback between a client and a server of a test: of HTTP and of SOCKS. They note what reached
 * them. What is connected is cut when a proxy stops.
 */
import { createServer as createHttpServer } from "node:http";
import { type AddressInfo, connect, createServer, type Server, type Socket } from "node:net";

/** Makes the server of a proxy, not yet listening. @param reached gets the destination of each connection */
export type ProxyKind = (reached: string[]) => Server;

export class ProxyStandIn {
  /** Where connections were to lead, in order, as the kind of proxy was asked. */
  readonly reached: readonly string[];
  readonly port: number;
  readonly #server: Server;
  readonly #clients: readonly Socket[];

  private constructor(server: Server, reached: readonly string[], clients: readonly Socket[]) {
    this.#server = server;
    this.reached = reached;
    this.#clients = clients;
    this.port = (server.address() as AddressInfo).port;
  }

  static async start(kind: ProxyKind): Promise<ProxyStandIn> {
    const reached: string[] = [];
    const clients: Socket[] = [];
    const server = kind(reached).on("connection", (client: Socket) => clients.push(client));
    await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
    return new ProxyStandIn(server, reached, clients);
  }

  stop(): Promise<unknown> {
    for (const client of this.#clients) client.destroy();
    return new Promise((resolve) => this.#server.close(resolve));
  }
}

/** Notes target and credentials of each CONNECT. */
export const httpProxy: ProxyKind = (reached) =>
  createHttpServer().on(
    "connect",
    ({ url, headers }: { url: string; headers: Record<string, string> }, client: Socket) => {
      reached.push(`${url} ${headers["proxy-authorization"]}`);
      tunnel(client, Number(url.split(":")[1]), () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    },
  );

/** Leads to this port, wherever a client wants to go. Notes the target of each CONNECT. */
export const httpProxyTo =
  (port: number): ProxyKind =>
  (reached) =>
    createHttpServer().on("connect", ({ url }: { url: string }, client: Socket) => {
      reached.push(url);
      tunnel(client, port, () => client.write("HTTP/1.1 200 OK\r\n\r\n"));
    });

export const refusingProxy: ProxyKind = () =>
  createHttpServer().on("connect", (_request, client: Socket) =>
    client.end("HTTP/1.1 407 Proxy Authentication Required\r\n\r\n"),
  );

/** Takes connections and answers nothing. */
export const silentProxy: ProxyKind = () => createServer((client) => void client.on("error", () => {}));

/** SOCKS 5 without authentication. Notes the port of each target. */
export const socksProxy: ProxyKind = (reached) =>
  createServer((client) => {
    client.on("error", () => {});
    client.once("data", () => {
      client.write(Uint8Array.of(5, 0)); // No authentication.
      client.once("data", (request: Buffer) => {
        const port = request.readUInt16BE(request.length - 2);
        reached.push(String(port));
        tunnel(client, port, () => client.write(Uint8Array.of(5, 0, 0, 1, 127, 0, 0, 1, 0, 0)));
      });
    });
  });

function tunnel(client: Socket, port: number, opened: () => void): void {
  const onward = connect(port, "127.0.0.1", () => {
    opened();
    client.pipe(onward).pipe(client);
  });
  for (const [socket, other] of [
    [client, onward],
    [onward, client],
  ] as const)
    socket.on("error", () => {}).on("close", () => other.destroy());
}
