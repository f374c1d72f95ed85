/**
 * What the page is, in one headline, and three things to try: over the lessons, for readers who come without an
 * address.
 */
import type * as LazyPage from "../lazy-page.ts";
import type { Playground } from "../playground.ts";
import { usePlayground } from "./context.ts";

export function Hero() {
  const playground = usePlayground();
  if (!playground.isFirstVisit.value || playground.lesson.value === undefined) return null;
  return (
    <section class="hero" aria-labelledby="hero-title">
      <h2 id="hero-title">
        The real Kubernetes Job controller, in your browser. <em>Break it.</em>
      </h2>
      <div class="choices">
        <Try label="Lose a node" run={({ loseNode }) => loseNode(playground)} />
        <Try label="Kill the controller" run={({ killController }) => killController(playground)} />
        <button type="button" onClick={() => pasteYours(playground)}>
          Paste yours
        </button>
      </div>
    </section>
  );
}

function Try({ label, run }: { readonly label: string; readonly run: (page: typeof LazyPage) => void }) {
  return (
    <button type="button" onClick={() => void import("../lazy-page.ts").then(run)}>
      {label}
    </button>
  );
}

/** Opens the door for the reader's own Job. */
function pasteYours(playground: Playground): void {
  playground.dialog.value = "door";
}
