/**
 * Events of watches that Node holds back. It keeps what is written to a connection to the end of the turn, in order to
 * send it at once, but an answer goes out when it is complete. So a client would get the answer to its own write before
 * its watch gets the event.
 *
 * Invariant: what was written to watches in this turn goes out before an answer that calls release. It costs no further
 * packets: a connection is released once a turn.
 */
import type { ServerResponse } from "node:http";
import type { Socket } from "node:net";

export class HeldEvents {
  /** The connections that have something held back in this turn. */
  readonly #sockets = new Set<Socket>();

  /** An event was written to a watch. */
  add({ socket }: ServerResponse): void {
    if (socket === null) return;
    if (this.#sockets.size === 0) process.nextTick(() => this.#sockets.clear());
    this.#sockets.add(socket);
  }

  /** Sends what is held back. */
  release(): void {
    for (const socket of this.#sockets) socket.uncork();
    this.#sockets.clear();
  }
}
