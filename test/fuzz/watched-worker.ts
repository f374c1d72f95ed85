/** A worker that counts what it does, and one that has stopped to get on. */
import { Worker } from "node:worker_threads";

const CHECK_MS = 500;

export interface WatchedOptions {
  /** Without progress for so long, the worker is ended. */
  readonly maxIdleMs: number;
  readonly progressMs: number;
  /** What the worker has counted so far, for a person. */
  readonly onProgress: (count: number) => void;
  /** What its memory may grow to; a worker beyond is ended. */
  readonly maxHeapMb?: number;
}

/**
 * Runs a module with its task until it posts a message.
 *
 * @param counter what the worker counts in
 * @returns its message; or why there is none: it stopped at a count, or ended with an error
 */
export async function runWatched<Message>(
  module: URL,
  task: object,
  counter: Int32Array,
  { maxIdleMs, progressMs, onProgress, maxHeapMb }: WatchedOptions,
): Promise<{ readonly message: Message } | { readonly stopped: string }> {
  const worker = new Worker(module, {
    workerData: task,
    ...(maxHeapMb !== undefined && { resourceLimits: { maxOldGenerationSizeMb: maxHeapMb } }),
  });
  const { promise, resolve } = Promise.withResolvers<{ readonly message: Message } | { readonly stopped: string }>();
  worker.on("message", (message: Message) => resolve({ message }));
  worker.on("error", (error) => resolve({ stopped: `the thread has ended: ${error.message}` }));
  let [last, lastMs, shownMs] = [-1, Date.now(), Date.now()];
  const timer = setInterval(() => {
    const now = Date.now();
    const count = Atomics.load(counter, 0);
    if (count !== last) [last, lastMs] = [count, now];
    if (now - lastMs > maxIdleMs) resolve({ stopped: `it has not come to an end in ${maxIdleMs / 1000} s` });
    if (now - shownMs < progressMs) return;
    shownMs = now;
    onProgress(count);
  }, CHECK_MS);
  try {
    return await promise;
  } finally {
    clearInterval(timer);
    await worker.terminate();
  }
}
