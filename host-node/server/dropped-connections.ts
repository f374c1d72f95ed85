/**
 * Connections beyond a server's `maxConnections`, which Node closes without an answer: each is counted, and the log tells of them.
 *
 * Invariant: the log has a line a minute at most, however many they are. Leaves out who they were.
 */
import type { Server } from "node:net";
import type { Clock } from "../../bindings/js/host.ts";
import type { Log } from "../log.ts";

const MIN_LOG_INTERVAL_MS = 60_000;

/** The counter of servers that have metrics. */
export const DROPPED_CONNECTIONS = { name: "stint_dropped_connections_total", help: "Number of connections that were closed at once because there were as many as are allowed." };

export interface DroppedConnectionsOptions {
  readonly clock: Clock;
  readonly log: Log;
  /** Called for each. */
  readonly count: () => void;
}

export function noteDroppedConnections(server: Server, { clock, log, count }: DroppedConnectionsOptions): void {
  let loggedMs = -Infinity;
  let dropped = 0;
  server.on("drop", () => {
    count();
    dropped++;
    if (clock.now() - loggedMs < MIN_LOG_INTERVAL_MS) return;
    log.warn({ allowed: server.maxConnections, dropped }, "a connection was closed at once: there are as many as are allowed");
    loggedMs = clock.now();
    dropped = 0;
  });
}
