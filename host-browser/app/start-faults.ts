/** Why nothing can run in this browser, and what its user can do about it. */
const ANOTHER = "Open the page in a current version of Chrome, Edge, Firefox or Safari, over http: or https:.";

export const NO_WORKER = `this browser has no Web Workers, or forbids them to this page. ${ANOTHER}`;

export const NO_WORKER_SCRIPT =
  "its script worker.js cannot be loaded. Load the page again; if that does not help, something between this page and " +
  "its server may block the script: an extension of the browser, or a proxy.";

export function engineFault(error: unknown): string {
  return typeof WebAssembly === "undefined"
    ? `this browser has no WebAssembly, or forbids it, as a lockdown mode does. ${ANOTHER}`
    : `its engine cannot be loaded (${String(error)}). Load the page again when the network is back.`;
}
