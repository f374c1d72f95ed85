/**
 * The first script of the page: starts the Worker and fetches the engine at once, while the page's own code is on its
 * way. The engine is compiled here, so that it is ready when the Worker has read its own code.
 *
 * Invariant: it is small and imports nothing, because everything waits for it.
 */
import type { EngineFile, Notice } from "../messages.ts";

/** Undefined: the browser has no Workers, or forbids them here. */
export const worker = startedWorker();

/** The Worker has the engine. The page's own code may come later than this notice. */
export const ready = new Promise<Notice>((resolve) =>
  worker?.addEventListener("message", ({ data }) => resolve(data), { once: true }),
);

/**
 * The message of the Worker's first error; empty: its script was not loaded, which may be known before the page's own
 * code is there.
 */
export const firstError = new Promise<string>((resolve) =>
  worker?.addEventListener("error", ({ message }) => resolve(message), { once: true }),
);

/** Rejects when there is no engine: nothing can run then. */
export const engineSent = fetchEngine().then((engine) => worker?.postMessage(engine));

function startedWorker(): Worker | undefined {
  try {
    return new Worker("worker.js", { type: "module" });
  } catch {
    return undefined;
  }
}

async function fetchEngine(): Promise<EngineFile> {
  const response = await fetch("engine.wasm");
  if (!response.ok) throw new Error(`engine.wasm: the server answered ${response.status}`);
  return { kind: "engine", module: await WebAssembly.compile(await response.arrayBuffer()) };
}
