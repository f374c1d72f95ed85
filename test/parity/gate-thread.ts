/**
 * A gate in a separate thread: all that upstream's controller asks goes through it, and the process of the theatre is
 * busy with the kubelet and the observer of all scenarios. In that one upstream would wait for its turn, as Stint does
 * not.
 */
import { once } from "node:events";
import { Worker } from "node:worker_threads";
import type { Gate, GateOptions } from "./gate.ts";

/** What the thread says, in this order. */
export type GateNews = { readonly url: string } | { readonly isHeld: true };

/** As `startGate`. Its end cuts the connections that there are. */
export async function startGateThread(options: GateOptions): Promise<Gate> {
  const worker = new Worker(new URL("./gate-worker.ts", import.meta.url), { workerData: options });
  const held = new Promise<void>((resolve) => {
    worker.on("message", (news: GateNews) => {
      if ("isHeld" in news) resolve();
    });
  });
  const [{ url }] = (await once(worker, "message")) as [{ url: string }];
  return {
    url,
    held,
    stop: async () => {
      await worker.terminate();
    },
  };
}
