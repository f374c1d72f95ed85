/**
 * Ports for the servers that tests start as separate processes, which bind them later.
 *
 * Invariant: of all processes that choose a port here, one alone has it until that process ends. A second one that
 * starts a server on the same port would take the first server for its own as soon as that answers: two API servers
 * would share one etcd. While its server is not bound yet, a port looks free to everyone. So the process that chooses a
 * port binds it on another address of loopback for as long as it lives. Leaves out systems whose loopback has one
 * address, and servers that a test binds itself, which take any free port and keep it.
 */
import { createServer, type Server } from "node:net";

/** Where servers listen. */
const LOOPBACK = "127.0.0.1";
/** Where a port is reserved. Nothing listens there otherwise. */
const RESERVATIONS = "127.0.0.2";

/**
 * A port that is free on 127.0.0.1, and that no other caller gets until this process ends.
 * @param candidate a port that is free now
 * @throws Error when none can be bound
 */
export async function freePort(candidate: () => Promise<number> = anyFreePort): Promise<number> {
  for (;;) {
    const port = await candidate();
    if (await reserve(port)) return port;
  }
}

async function anyFreePort(): Promise<number> {
  const server = await listen(LOOPBACK, 0);
  const { port } = server.address() as { port: number };
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** @returns whether no other process has it */
async function reserve(port: number): Promise<boolean> {
  try {
    (await listen(RESERVATIONS, port)).unref();
    return true;
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    if (code === "EADDRINUSE") return false;
    if (code === "EADDRNOTAVAIL") return true;
    throw error;
  }
}

function listen(host: string, port: number): Promise<Server> {
  return new Promise((resolve, reject) => {
    const server = createServer((socket) => socket.destroy());
    server.once("error", reject).listen(port, host, () => resolve(server));
  });
}
