/**
 * Requests of one connection one after another. A client may send a hundred requests in one packet, and Node would hand
 * over all of them at once; here each waits for the answer to the one before it, and for what else there is to do.
 *
 * Invariant: a connection takes one turn of the event loop for a request, and keeps few waiting.
 */
import type { IncomingMessage, ServerResponse } from "node:http";
import type { Socket } from "node:net";

/** Requests that may wait behind the one that is being answered. The connection of one more is cut. */
export const MAX_WAITING = 64;

export class Turns {
  /** What waits on each connection that has a request under way. */
  readonly #waiting = new WeakMap<Socket, (() => void)[]>();

  /** Calls `serve` when it is the turn of a request: at once where none is under way on its connection. */
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
