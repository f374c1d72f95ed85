/**
 * A way for the API server to pods that are processes of this machine: their addresses are made up, and it reaches them
 * through an HTTP CONNECT proxy on a Unix socket (its egress selector). Without it the server refuses to proxy to
 * loopback.
 */
import { createServer, type Server } from "node:http";
import { connect, type Socket } from "node:net";

export interface PodNetwork {
  /** Path of the Unix socket, for {@link ControlPlaneOptions.podNetworkSocket}. */
  readonly socket: string;
  /** From now on `address`, as `10.0.0.1:8080`, is this port of loopback. What has no route is answered 502. */
  route(address: string, port: number): void;
  close(): void;
}

/** @param socket a path that does not exist yet, in a folder that exists */
export async function startPodNetwork(socket: string): Promise<PodNetwork> {
  const routes = new Map<string, number>();
  const connections = new Set<Socket>();
  const keep = (connection: Socket, failed: () => void): void => {
    connections.add(connection);
    connection.on("error", failed).on("close", () => connections.delete(connection));
  };
  const server: Server = createServer().on("connect", ({ url }, fromServer: Socket) => {
    const port = routes.get(url ?? "");
    if (port === undefined) {
      keep(fromServer, () => fromServer.destroy());
      fromServer.end("HTTP/1.1 502 Bad Gateway\r\n\r\n");
      return;
    }
    const toPod = connect(port, "127.0.0.1", () => fromServer.write("HTTP/1.1 200 OK\r\n\r\n"));
    keep(fromServer, () => toPod.destroy());
    keep(toPod, () => fromServer.destroy());
    fromServer.pipe(toPod).pipe(fromServer);
  });
  await new Promise<void>((resolve, reject) => server.once("error", reject).listen(socket, resolve));
  return {
    socket,
    route: (address, port) => void routes.set(address, port),
    close: () => {
      server.close();
      for (const connection of connections) connection.destroy();
    },
  };
}
