/** The thread of a gate (gate-thread.ts): says its address, and later that a write is held. */
import { parentPort, workerData } from "node:worker_threads";
import { type GateOptions, startGate } from "./gate.ts";
import type { GateNews } from "./gate-thread.ts";

const say = (news: GateNews): void => parentPort!.postMessage(news);
const { url, held } = await startGate(workerData as GateOptions);
say({ url });
void held.then(() => say({ isHeld: true }));
