/** Requests for the HTTP front, in a thread, with a report of the worst. */
import { buildModule } from "../../../scripts/build-engine.ts";
import { runWatched } from "../watched-worker.ts";
import { REQUESTS_A_ROUND, stallOf } from "./fuzzer.ts";
import { drawRequest } from "./requests.ts";
import type { HttpOutcome, HttpTask } from "./worker.ts";
import { told } from "./worst.ts";

/** Nothing that is accepted may keep the event loop for longer. */
export const MAX_STALL_MS = 250;
const MAX_REQUEST_MS = 60_000;
const PROGRESS_MS = 10_000;
/** Many times what the cluster takes. */
const MAX_HEAP_MB = 2_048;
const SHOWN_MESSAGE = 2_000;

export interface HttpRun {
  readonly seed: number;
  readonly first: number;
  readonly last: number;
}

export interface HttpResult {
  readonly isBorne: boolean;
  /** Requests that kept the event loop for longer than MAX_STALL_MS. */
  readonly stalls: number;
}

export async function runHttp({ seed, first, last }: HttpRun): Promise<HttpResult> {
  await buildModule("engine");
  const at = new SharedArrayBuffer(4);
  const counter = new Int32Array(at);
  // A stall is looked at again behind the requests of its round.
  let furthest = first;
  const end = await runWatched<HttpOutcome>(
    new URL("worker.ts", import.meta.url),
    { seed, first, last, maxStallMs: MAX_STALL_MS, at } satisfies HttpTask,
    counter,
    {
      maxIdleMs: MAX_REQUEST_MS,
      progressMs: PROGRESS_MS,
      onProgress: (index) => {
        furthest = Math.max(furthest, index);
        const again = index < furthest ? ", and one before it again" : "";
        console.log(`request ${furthest.toLocaleString("en-US")} of ${last.toLocaleString("en-US")}${again}`);
      },
      maxHeapMb: MAX_HEAP_MB,
    },
  );
  if ("stopped" in end) {
    const index = Atomics.load(counter, 0);
    reportFailure(seed, index, end.stopped);
    return { isBorne: false, stalls: 0 };
  }
  const { stalls, peaks, accepted, failure } = end.message;
  if (failure !== undefined) {
    reportFailure(seed, failure.index, failure.message);
    return { isBorne: false, stalls: 0 };
  }
  const requests = last - first + 1;
  console.log(
    `${requests.toLocaleString("en-US")} requests of seed ${seed}, ${accepted.toLocaleString("en-US")} of them accepted: all borne`,
  );
  console.log(
    `longest stalls of the event loop (processor time), with the memory that they took:\n${stalls.map((finding) => told(finding, seed)).join("\n")}`,
  );
  console.log(`most memory:\n${peaks.map((finding) => told(finding, seed)).join("\n")}`);
  const tooLong = stalls.filter((finding) => stallOf(finding) > MAX_STALL_MS).length;
  const worst = stalls[0];
  if (worst !== undefined)
    console.log(
      `worst stall: ${stallOf(worst).toFixed(0)} ms; allowed are ${MAX_STALL_MS} ms${tooLong > 0 ? `: WARNING, ${tooLong} are longer` : ""}`,
    );
  return { isBorne: true, stalls: tooLong };
}

function reportFailure(seed: number, index: number, message: string): void {
  const { what, method, path, body } = drawRequest(seed, index);
  console.log(
    [
      `request ${index} of seed ${seed} fails (${what}, input ${(index % REQUESTS_A_ROUND) + 1} of its round): ${method} ${path.slice(0, 200)}, ${body.length} bytes`,
      `  ${message.slice(0, SHOWN_MESSAGE)}`,
      "to see it again:",
      `  npm run fuzz -- --seed ${seed} --request ${index}`,
    ].join("\n"),
  );
}
