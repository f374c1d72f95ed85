/** Work in pieces, so that the page draws and answers between them. */

/** Without an idle moment for this time, the action runs anyway. */
const IDLE_TIMEOUT_MS = 2_000;
/** The delay where the browser has no requestIdleCallback. */
const IDLE_GUESS_MS = 200;

/** Lets the browser draw, and handle pending events, before the caller continues. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Runs the action when the page is idle. @returns cancels it */
export function whenIdle(action: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const handle = requestIdleCallback(action, { timeout: IDLE_TIMEOUT_MS });
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(action, IDLE_GUESS_MS);
  return () => clearTimeout(timer);
}
