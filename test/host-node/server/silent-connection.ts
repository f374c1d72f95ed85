/** Clients that connect and say nothing, for tests of what a server does about them. */
import { subscribe, unsubscribe } from "node:diagnostics_channel";
import type { Server } from "node:http";
import type { Socket } from "node:net";

const REQUESTS = "http.server.request.start";

/**
 * Resolves when the server has cut a connection on which nothing is said. The headers may take no time then, so that
 * what is waited for is the server's next look at its connections.
 *
 * @param ask sends the server a request, by which it is found
 * @param open connects to it, by TLS where it wants that
 */
export async function silentConnectionIsCut(ask: () => Promise<unknown>, open: () => Socket): Promise<void> {
  let server: Server | undefined;
  const find = (message: unknown): void => void ({ server } = message as { readonly server: Server });
  subscribe(REQUESTS, find);
  await ask();
  unsubscribe(REQUESTS, find);
  const { headersTimeout } = server!;
  server!.headersTimeout = 1;
  await new Promise((resolve) =>
    open()
      .on("error", () => {})
      .on("close", resolve)
      .resume(),
  );
  server!.headersTimeout = headersTimeout;
}
