/**
 * The first script of the page: starts the Worker and fetches the engine at once, while the page's own code is on its
 * way. The engine is compiled here, so that it is ready when the Worker has read its own code.
 *
 * Invariant: it is small and imports only what fetches the engine, because everything waits for it.
 */
import { fetchEngineModule } from "./engine-file.ts";
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
export const engineSent = fetchEngineModule().then((module) =>
  worker?.postMessage({ kind: "engine", module } satisfies EngineFile),
);

function startedWorker(): Worker | undefined {
  try {
    return new Worker("worker.js", { type: "module" });
  } catch {
    return undefined;
  }
}
