/**
 * The page's entry: starts the Worker, opens what the address or the catalogue says, and draws the page.
 *
 * Invariant: the Worker is started before anything is drawn, so the engine compiles while the page is built; and both
 * page and Worker fetch what the first picture does not need after it is drawn. Then the page needs no network.
 */
import "./style/index.css";
import { render } from "preact";
import { FIRST_LESSON, loadLessons } from "../catalogue/index.ts";
import type { FetchTheRest, Notice } from "../messages.ts";
import { whenFirstRunIsKnown } from "./first-run.ts";
import { Playground } from "./playground.ts";
import { engineFault, NO_WORKER, NO_WORKER_SCRIPT } from "./start-faults.ts";
import { engineSent, firstError, ready, worker } from "./start.ts";
import { Memory } from "./storage.ts";
import { App, fetchTheRest } from "./view/app.tsx";
import { Reader } from "./view/stage.tsx";

const playground = new Playground(
  (command) => worker?.postMessage(command),
  new Memory(() => localStorage),
  location.search,
  new Memory(() => sessionStorage),
);
addEventListener("storage", ({ key }) => playground.storeChanged(key));
void ready.then((notice) => playground.session.handle(notice));
if (worker === undefined) playground.session.cannotStart(NO_WORKER);
worker?.addEventListener("message", ({ data }: MessageEvent<Notice>) => playground.session.handle(data));
void firstError.then((first) => {
  sayError(first);
  worker?.addEventListener("error", ({ message }) => sayError(message));
});
engineSent.catch((error: unknown) => playground.session.cannotStart(engineFault(error)));

function sayError(message: string): void {
  // A script that was not loaded has no message.
  if (message) playground.session.fail(`the Worker failed: ${message}`);
  else playground.session.cannotStart(NO_WORKER_SCRIPT);
}

/** The longest time with an empty page: on a slow network the page is drawn before the Worker has started. */
const WORKER_START_MS = 100;
/** Some browsers remember that a file could not be loaded; in others a retry helps. */
const RETRY_MS = 5_000;
/** The last error about files that could not be loaded. */
let missing = "";

await open();
// Chromium starts a Worker, and delivers its messages, in tasks of the page: they come before the page is drawn.
await Promise.race([ready, new Promise((resolve) => setTimeout(resolve, WORKER_START_MS))]);
render(<App playground={playground} />, document.getElementById("app")!);
// One frame draws the picture, and when the next one comes the user sees it.
whenFirstRunIsKnown(playground.session, () =>
  requestAnimationFrame(() => requestAnimationFrame(() => void fetchMore())),
);

async function open(): Promise<void> {
  const { hash } = location;
  if (hash !== "" && (await (await import("./lazy-page.ts")).openAddress(playground, hash))) {
    await Reader.fetch();
    return;
  }
  // A lesson that the user opens clears the earlier error; this one replaces a bad address, so the error stays.
  const trouble = playground.trouble.value;
  playground.openLesson(FIRST_LESSON);
  playground.trouble.value = trouble;
  if (hash === "" && !playground.settings.isEmbedded) welcome();
}

/** The first lesson plays at once, at the speed of the transport: it takes six seconds. */
function welcome(): void {
  playground.isFirstVisit.value = true;
  if (!matchMedia("(prefers-reduced-motion: reduce)").matches) playground.playFrom(0, false);
}

async function fetchMore(): Promise<void> {
  const { trouble } = playground;
  try {
    await fetchTheRest();
    playground.lessons.value = await loadLessons();
    const { followWithAddress, keepForLater } = await import("./lazy-page.ts");
    followWithAddress(playground);
    if (!playground.settings.isEmbedded) keepForLater();
    worker?.postMessage({ kind: "fetch-the-rest" } satisfies FetchTheRest);
    if (trouble.value === missing) trouble.value = "";
  } catch (error) {
    missing = `Panels, editor and lessons cannot be loaded. Load the page again when the network is back. (${String(error)})`;
    trouble.value = missing;
    setTimeout(() => void fetchMore(), RETRY_MS);
  }
}
