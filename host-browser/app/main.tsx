/**
 * The page's entry: starts the Worker, opens what the address or the catalogue says, and draws the page.
 *
 * Invariant: the Worker is started before anything is drawn, so the engine compiles while the page is built; and what
 * the first picture does not need is fetched after it stands, by the Worker, too. Then the page works without a network.
 */
import "./style/index.css";
import { render } from "preact";
import { FIRST_LESSON, loadLessons } from "../catalogue/index.ts";
import type { Notice } from "../messages.ts";
import { whenFirstRunIsKnown } from "./first-run.ts";
import { Playground } from "./playground.ts";
import { Memory } from "./storage.ts";
import { App, fetchTheRest } from "./view/app.tsx";

const worker = new Worker("worker.js", { type: "module" });
const playground = new Playground(
  (command) => worker.postMessage(command),
  new Memory(() => localStorage),
  location.search,
);
worker.addEventListener("message", ({ data }: MessageEvent<Notice>) => playground.session.handle(data));
worker.addEventListener("error", (event) => playground.session.fail(`the Worker failed: ${event.message}`));

await open();
render(<App playground={playground} />, document.getElementById("app")!);
// A frame for the picture first.
whenFirstRunIsKnown(playground.session, () => requestAnimationFrame(() => setTimeout(() => void fetchMore())));

async function open(): Promise<void> {
  const { hash } = location;
  if (hash !== "" && (await (await import("./rest.ts")).openAddress(playground, hash))) return;
  // A lesson that somebody opens clears what went wrong before; this one stands in for a bad address.
  const trouble = playground.trouble.value;
  playground.openLesson(FIRST_LESSON);
  playground.trouble.value = trouble;
}

async function fetchMore(): Promise<void> {
  fetchTheRest();
  playground.lessons.value = await loadLessons();
  (await import("./rest.ts")).followWithAddress(playground);
}
