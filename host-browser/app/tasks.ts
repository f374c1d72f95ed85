/** Work in pieces, so that the page draws and answers between them. */

/** Idle moments may not come for so long: then it is done all the same. */
const IDLE_TIMEOUT_MS = 2_000;
/** Where the browser does not tell idle moments. */
const IDLE_GUESS_MS = 200;

/** The browser may draw, and handle what came, before what follows this. */
export function nextTask(): Promise<void> {
  return new Promise((resolve) => setTimeout(resolve));
}

/** Does it when the page has nothing else to do. @returns what cancels it */
export function whenIdle(action: () => void): () => void {
  if (typeof requestIdleCallback === "function") {
    const handle = requestIdleCallback(action, { timeout: IDLE_TIMEOUT_MS });
    return () => cancelIdleCallback(handle);
  }
  const timer = setTimeout(action, IDLE_GUESS_MS);
  return () => clearTimeout(timer);
}
