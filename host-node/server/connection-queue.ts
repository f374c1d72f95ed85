/**
 * Serves the requests of one connection one after another. A client may send a hundred requests in one packet, and Node
 * would hand over all of them at once. Here each waits for the answer to the previous one, and for the other work of
 * the process.
 *
 * Invariant: a connection gets one turn of the event loop for a request, and only few requests wait on it.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** How many requests may wait behind the one that is being answered. One more, and the connection is closed. */
export const MAX_WAITING = 64;

export class ConnectionQueue {
  /** The waiting requests of each connection that has one under way. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  /** Calls `serve` when the earlier requests on the connection are answered; at once if there are none. */
  take({ socket }: IncomingMessage, response: ServerResponse, serve: () => void): void {
    const begin = (): void => {
      response.once("close", () => this.#next(socket));
      serve();
    };
    const waiting = this.#waiting.get(socket);
    if (waiting === undefined) {
      this.#waiting.set(socket, []);
      begin();
    } else if (waiting.length < MAX_WAITING) waiting.push(begin);
    else socket.destroy();
  }

  #next(socket: Socket): void {
    const next = this.#waiting.get(socket)?.shift();
    if (next === undefined || socket.destroyed) this.#waiting.delete(socket);
    else setImmediate(next);
  }
}
