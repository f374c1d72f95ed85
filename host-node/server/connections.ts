/**
 * The connections of a server. It reserves places for admitted clients, however many others connect.
 *
 * Invariant: a silent client keeps no other client out. A connection is a stranger until `admit` is called for one of
 * its requests. If there is one stranger too many, the stranger that was silent longest is closed. Admitted connections
 * have separate places; one without a request under way gives its place up to another. Leaves out when a connection is
 * admitted: the server decides that.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../bindings/js/host.ts";
import { rateLimited } from "./rate-limited.ts";

export interface ConnectionLimits {
  readonly maxStrangers: number;
  /** The most admitted connections. */
  readonly maxAdmitted: number;
}

export interface ConnectionsOptions extends ConnectionLimits {
  readonly clock: Clock;
  /** Called for each connection that was closed because of the limit. */
  readonly onClosed?: () => void;
  /** Called at most once a minute, with the number of connections that were closed since the last call. */
  readonly tell: (closed: number, limits: ConnectionLimits) => void;
}

/** The counter in the metrics of servers that have a metrics page. */
export const DROPPED_CONNECTIONS = {
  name: "stint_dropped_connections_total",
  help: "Number of idle connections that were closed to make room for others.",
};

interface Connection {
  readonly socket: Socket;
  /**
   * Requests on this connection without a complete answer; more than one only if the client does not wait for answers.
   */
  requests: number;
}

/** Counts the connections of one server and closes those beyond the limit. */
export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #noteClosed: () => void;
  /** The one that was silent longest comes first. A connection has the same name before and after TLS. */
  readonly #strangers = new Map<string, Connection>();
  readonly #admitted = new Map<string, Connection>();

  /** Create it before the server gets a listener for requests. */
  constructor(server: Server, { clock, onClosed, tell, ...limits }: ConnectionsOptions) {
    this.#limits = limits;
    const tellRateLimited = rateLimited(clock, (closed) => tell(closed, limits));
    this.#noteClosed = () => {
      onClosed?.();
      tellRateLimited();
    };
    server.on("connection", (socket: Socket) => this.#add(socket));
    server.on("request", (request: IncomingMessage, response: ServerResponse) => this.#hear(request.socket, response));
  }

  /**
   * Gives the connection of a request a place among the admitted. @returns false when all of those have requests under
   * way
   */
  admit({ socket }: IncomingMessage): boolean {
    const name = nameOf(socket);
    const connection = this.#strangers.get(name);
    // It was admitted before, or is closed.
    if (connection === undefined) return true;
    if (
      this.#admitted.size >= this.#limits.maxAdmitted &&
      !this.#closeFirst(this.#admitted, ({ requests }) => requests === 0)
    )
      return false;
    this.#strangers.delete(name);
    this.#admitted.set(name, connection);
    return true;
  }

  /** From now on the connection counts as busy to its end: it speaks another protocol. */
  hold({ socket }: IncomingMessage): void {
    const connection = this.#admitted.get(nameOf(socket));
    if (connection !== undefined) connection.requests++;
  }

  /** Whether an answer is being sent. Any other text in between would spoil it. */
  isAnswering(socket: Socket): boolean {
    const name = nameOf(socket);
    return ((this.#strangers.get(name) ?? this.#admitted.get(name))?.requests ?? 0) > 0;
  }

  /** Closes all connections, also those in the middle of a handshake. */
  closeAll(): void {
    for (const { socket } of [...this.#strangers.values(), ...this.#admitted.values()]) socket.destroy();
  }

  #add(socket: Socket): void {
    const name = nameOf(socket);
    if (this.#strangers.size >= this.#limits.maxStrangers) this.#closeFirst(this.#strangers, () => true);
    const connection = { socket, requests: 0 };
    this.#strangers.set(name, connection);
    socket.once("close", () => {
      // By now another connection may have the name.
      for (const map of [this.#strangers, this.#admitted]) if (map.get(name) === connection) map.delete(name);
    });
  }

  #hear(socket: Socket, response: ServerResponse): void {
    const name = nameOf(socket);
    for (const map of [this.#strangers, this.#admitted]) {
      const connection = map.get(name);
      if (connection === undefined) continue;
      map.delete(name);
      map.set(name, connection);
      connection.requests++;
      response.once("close", () => connection.requests--);
    }
  }

  #closeFirst(connections: Map<string, Connection>, mayGo: (connection: Connection) => boolean): boolean {
    for (const [name, connection] of connections) {
      if (!mayGo(connection)) continue;
      connections.delete(name);
      connection.socket.destroy();
      this.#noteClosed();
      return true;
    }
    return false;
  }
}

function nameOf({ remoteAddress, remotePort }: Socket): string {
  return `${remoteAddress} ${remotePort}`;
}
