/** Has the browser keep the page's files (service-worker.ts). Where it cannot, the page needs the network. */
export function keepForLater(): void {
  // Absent without HTTPS, but for this machine's own addresses.
  if ("serviceWorker" in navigator) void navigator.serviceWorker.register("service-worker.js").catch(() => undefined);
}
