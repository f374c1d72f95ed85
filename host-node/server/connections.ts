/**
 * The connections of a server: room for those who have shown something, whoever else comes.
 *
 * Invariant: who says nothing keeps nobody out. A connection is a stranger until `admit` is called for one of its
 * requests. One stranger too many takes the place of the stranger that was heard least lately; the admitted have places
 * of their own, and one on which nothing is under way gives its place up to another. Leaves out what it takes to be
 * admitted: the server knows.
 */
import type { IncomingMessage, Server, ServerResponse } from "node:http";
import type { Socket } from "node:net";
import type { Clock } from "../../bindings/js/host.ts";
import { rarely } from "./rarely.ts";

export interface ConnectionLimits {
  readonly maxStrangers: number;
  /** Of those that were admitted. */
  readonly maxAdmitted: number;
}

export interface ConnectionsOptions extends ConnectionLimits {
  readonly clock: Clock;
  /** Called for each connection that had to go. */
  readonly onClosed?: () => void;
  /** Called once a minute at most, with how many had to go since the last time. */
  readonly tell: (closed: number, limits: ConnectionLimits) => void;
}

/** The counter of servers that have metrics. */
export const DROPPED_CONNECTIONS = {
  name: "stint_dropped_connections_total",
  help: "Number of idle connections that were closed to make room for others.",
};

interface Connection {
  readonly socket: Socket;
  /** Requests on it that have no whole answer yet; one at most, but for clients that do not wait. */
  requests: number;
}

export class Connections {
  readonly #limits: ConnectionLimits;
  readonly #noteClosed: () => void;
  /** Least lately heard first. A name is the same for a connection and for what TLS makes of it. */
  readonly #strangers = new Map<string, Connection>();
  readonly #admitted = new Map<string, Connection>();

  /** To be made before the server has a listener for requests. */
  constructor(server: Server, { clock, onClosed, tell, ...limits }: ConnectionsOptions) {
    this.#limits = limits;
    const tellRarely = rarely(clock, (closed) => tell(closed, limits));
    this.#noteClosed = () => {
      onClosed?.();
      tellRarely();
    };
    server.on("connection", (socket: Socket) => this.#add(socket));
    server.on("request", (request: IncomingMessage, response: ServerResponse) => this.#hear(request.socket, response));
  }

  /**
   * Gives the connection of a request a place among the admitted. @returns false when all of those are taken by
   * requests under way
   */
  admit({ socket }: IncomingMessage): boolean {
    const name = nameOf(socket);
    const connection = this.#strangers.get(name);
    // It has been admitted before, or has gone.
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

  /** Whether an answer is under way, which a word about something else would spoil. */
  isAnswering(socket: Socket): boolean {
    const name = nameOf(socket);
    return ((this.#strangers.get(name) ?? this.#admitted.get(name))?.requests ?? 0) > 0;
  }

  /** Closes all of them, those in the middle of a handshake too. */
  closeAll(): void {
    for (const { socket } of [...this.#strangers.values(), ...this.#admitted.values()]) socket.destroy();
  }

  #add(socket: Socket): void {
    const name = nameOf(socket);
    if (this.#strangers.size >= this.#limits.maxStrangers) this.#closeFirst(this.#strangers, () => true);
    const connection = { socket, requests: 0 };
    this.#strangers.set(name, connection);
    socket.once("close", () => {
      // Another one may have the name by now.
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
