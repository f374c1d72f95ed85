/**
 * Keeps the page for a time without a network: all its files are fetched once more after the first picture, and are
 * served where the network does not answer.
 *
 * Invariant: the network comes first, so no reader sees an old page; and the kept files are those of one build. Leaves
 * out addresses with a query: the server decides by it who may embed the page.
 */

/** The files beside this one, and a name that changes with any of them; scripts/build-playground.ts puts both here. */
declare const FILES: readonly string[];
declare const BUILD: string;

interface Waiting extends Event {
  waitUntil(done: Promise<unknown>): void;
}
interface Fetching extends Event {
  readonly request: Request;
  respondWith(answer: Promise<Response>): void;
}
interface ServiceWorkerScope {
  addEventListener(type: "install" | "activate", listener: (event: Waiting) => void): void;
  addEventListener(type: "fetch", listener: (event: Fetching) => void): void;
}
const scope = globalThis as unknown as ServiceWorkerScope;

const PREFIX = "stint-playground-";
const NAME = PREFIX + BUILD;

scope.addEventListener("install", (event) =>
  event.waitUntil(
    caches.open(NAME).then((cache) => {
      // Not what the browser keeps of the build before.
      const requests = ["./", ...FILES].map((file) => new Request(file, { cache: "no-cache" }));
      return cache.addAll(requests);
    }),
  ),
);

scope.addEventListener("activate", (event) => event.waitUntil(forgetOlder()));

scope.addEventListener("fetch", (event) => {
  const { request } = event;
  if (request.method !== "GET" || (request.mode === "navigate" && new URL(request.url).search !== "")) return;
  event.respondWith(fetch(request).catch(() => kept(request)));
});

async function forgetOlder(): Promise<void> {
  const names = await caches.keys();
  await Promise.all(
    names.filter((name) => name.startsWith(PREFIX) && name !== NAME).map((name) => caches.delete(name)),
  );
}

/** A part that is fetched again after a failure has a query. */
async function kept(request: Request): Promise<Response> {
  return (await (await caches.open(NAME)).match(request, { ignoreSearch: true })) ?? Response.error();
}
