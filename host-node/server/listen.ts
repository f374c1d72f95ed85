/** Makes a server listen, and ends it. Has sentences for addresses that cannot be used. */
import type { Server } from "node:net";
import type { ListenAddress } from "../settings/kinds.ts";
import { UsageError } from "../usage-error.ts";

/**
 * How often a server checks for connections that have timed out. With Node's own 30 s each could stay that long,
 * whatever its time-out is.
 */
export const CONNECTIONS_CHECKING_INTERVAL_MS = 1_000;

/** The words for errors of `listen`: `port 6443 of 127.0.0.1`, and `name another one with --port`. */
export interface AddressInWords {
  readonly what: string;
  readonly remedy: string;
}

/**
 * Listens.
 * @returns the port; for port 0 it is the one that the system chose.
 * @throws UsageError when the address cannot be used
 */
export function listen(
  server: Server,
  { host, port }: ListenAddress,
  { what, remedy }: AddressInWords,
): Promise<number> {
  return new Promise((resolve, reject) => {
    server.once("error", (error: NodeJS.ErrnoException) =>
      reject(new UsageError(`${what} ${problemOf(error)}; ${remedy}`)),
    );
    server.listen(port, host, () => resolve((server.address() as { port: number }).port));
  });
}

function problemOf({ code, message }: NodeJS.ErrnoException): string {
  if (code === "EADDRINUSE") return "is in use";
  if (code === "EACCES") return "is not allowed to this user";
  if (code === "EADDRNOTAVAIL" || code === "ENOTFOUND") return "is not an address of this machine";
  return `cannot be used: ${message}`;
}

/** Takes no new connection, and closes the existing ones. */
export function closeAtOnce(server: Server & { closeAllConnections(): void }): Promise<void> {
  return new Promise((resolve) => {
    server.close(() => resolve());
    server.closeAllConnections();
  });
}
