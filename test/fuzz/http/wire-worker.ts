/**
 * The real HTTPS server in front of a populated cluster, in a separate thread, which says how long its event loop was
 * kept.
 */
import { monitorEventLoopDelay } from "node:perf_hooks";
import { parentPort } from "node:worker_threads";
import { RealClock } from "../../../host-node/clock.ts";
import { startServer } from "../../../host-node/server/https-server.ts";
import { Front } from "./front.ts";
import { processGauge } from "./gauge.ts";

export interface WireServer {
  readonly port: number;
  readonly authority: string;
}

/** What the client asks for: the longest delay since it asked last. */
export interface WireDelay {
  readonly delayMs: number;
}

export const TOKEN = "wire";
/** Of the histogram: what it adds to each delay. */
const RESOLUTION_MS = 5;

if (parentPort !== null) {
  const port = parentPort;
  const front = await Front.start(processGauge);
  const server = await startServer({
    handler: front.handler,
    port: 0,
    token: TOKEN,
    clock: new RealClock(),
    onCrowded: () => {},
    onError: (error) => {
      throw error;
    },
  });
  const delays = monitorEventLoopDelay({ resolution: RESOLUTION_MS });
  delays.enable();
  port.on("message", () => {
    front.pass(RESOLUTION_MS);
    port.postMessage({ delayMs: Math.max(0, delays.max / 1e6 - RESOLUTION_MS) } satisfies WireDelay);
    delays.reset();
  });
  port.postMessage({ port: server.port, authority: server.authority } satisfies WireServer);
}
